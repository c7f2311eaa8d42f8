// Transfers that gp.waits have acquired, on their way into local memory. They are put there before
// a PE runs or anything reads the memory, and not at once: what the PEs of a tile get then is
// often the same, or has the same places, and is written for them together, since their words lie
// side by side.
#pragma once
#include <vector>

#include "engine/fast/dma_view.h"
#include "engine/fast/pe.h"

namespace simfarm::fast {

class Deliveries {
 public:
  explicit Deliveries(std::vector<Pe>& pes) : pes_(pes), due_(pes.size()) {}

  /// After what has been added for the same PE before.
  void add(PeId pe, SharedFlight flight) {
    if (due_[pe].flights.empty()) waiting_.push_back(pe);
    due_[pe].flights.push_back(std::move(flight));
  }
  /// Of one PE: what is due so far.
  void deliver(PeId pe);
  void deliver_all();

 private:
  struct Due {
    std::vector<SharedFlight> flights;
    std::size_t delivered = 0;  ///< of them
    bool done() const { return delivered == flights.size(); }
    const Flight& next() const { return *flights[delivered]; }
  };
  void deliver_next(PeId pe, PeId tile_end);
  void clear(PeId pe);

  std::vector<Pe>& pes_;
  std::vector<Due> due_;       ///< by PE
  std::vector<PeId> waiting_;  ///< PEs for which something has been added
};

}  // namespace simfarm::fast
