// A DMA transfer told to its author: what the descriptor says, then when every burst moved.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "engine/simulation.h"

namespace simfarm::profile {

/// Collects the beats and events of one PE's transfers.
class DmaTimeline : public Observer {
 public:
  explicit DmaTimeline(PeId pe) : pe_(pe) {}

  void transfer(Cycle cycle, PeId pe, u32 descriptor, u64 sequence,
                std::string_view event) override;
  void released(Cycle cycle, PeId initiator, u64 sequence, PeId at, u32 semaphore,
                u32 amount) override;
  void beat(Cycle cycle, PeId initiator, u64 sequence, u32 burst,
            std::string_view resource) override;

  struct Beat {
    Cycle cycle = 0;
    u32 burst = 0;
    std::string resource;
  };
  struct Event {
    Cycle cycle = 0;
    std::string what;
  };
  struct Transfer {
    u32 descriptor = 0;
    std::vector<Event> events;
    std::vector<Beat> beats;
  };

  /// By sequence number.
  const std::map<u64, Transfer>& transfers() const { return transfers_; }

 private:
  PeId pe_;
  std::map<u64, Transfer> transfers_;
};

/// Events and beats of one transfer, a line a cycle and burst, then the count of beats a resource.
/// At most `limit` lines of beats; what is left out is said.
std::string print(u64 sequence, const DmaTimeline::Transfer& transfer, size_t limit);

}  // namespace simfarm::profile
