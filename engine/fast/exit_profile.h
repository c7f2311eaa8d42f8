// What the exits of a graph cost, instruction by instruction: a PE's profile is made of how often
// it took them, when the run is over.
#pragma once
#include <vector>

#include "engine/fast/graph.h"
#include "engine/profile.h"

namespace simfarm::fast {

class ExitProfile {
 public:
  /// Of all exits that `graph` has by now.
  explicit ExitProfile(const Graph& graph);

  /// Adds what exits cost that were taken counts[k] + together[k] times.
  void add(const u64* counts, const u64* together, ProfileTally& to) const;

 private:
  struct Cost {
    u32 key = 0;
    u32 cycles = 0;
  };
  std::vector<ProfileEntry> keys_;  ///< in order; their cycles say nothing
  std::vector<Cost> costs_;
  std::vector<u32> ends_;  ///< of costs_, by exit
};

}  // namespace simfarm::fast
