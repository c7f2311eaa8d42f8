#include "profile/dma_timeline.h"

#include <fmt/format.h>

namespace simfarm::profile {

void DmaTimeline::transfer(Cycle cycle, PeId pe, u32 descriptor, u64 sequence,
                           std::string_view event) {
  if (pe != pe_) return;
  Transfer& transfer = transfers_[sequence];
  transfer.descriptor = descriptor;
  transfer.events.push_back({cycle, std::string(event)});
}

void DmaTimeline::released(Cycle cycle, PeId initiator, u64 sequence, PeId at, u32 semaphore,
                           u32 amount) {
  if (initiator != pe_) return;
  transfers_[sequence].events.push_back(
      {cycle, fmt::format("release: {} to semaphore {} of PE {}", amount, semaphore, at)});
}

void DmaTimeline::beat(Cycle cycle, PeId initiator, u64 sequence, u32 burst,
                       std::string_view resource) {
  if (initiator != pe_) return;
  transfers_[sequence].beats.push_back({cycle, burst, std::string(resource)});
}

std::string print(u64 sequence, const DmaTimeline::Transfer& transfer, size_t limit) {
  std::string out =
      fmt::format("transfer {} of descriptor 0x{:08x}\n", sequence, transfer.descriptor);
  size_t shown = 0;
  size_t event = 0;
  const auto events_until = [&](Cycle cycle) {
    for (; event < transfer.events.size() && transfer.events[event].cycle <= cycle; ++event)
      out += fmt::format("{:>10}  {}\n", transfer.events[event].cycle, transfer.events[event].what);
  };
  std::map<std::string, u64> by_resource;
  for (const DmaTimeline::Beat& beat : transfer.beats) {
    events_until(beat.cycle);
    ++by_resource[beat.resource];
    if (shown++ < limit)
      out += fmt::format("{:>10}  burst {:<5} beat of {}\n", beat.cycle, beat.burst, beat.resource);
  }
  if (shown > limit)
    out += fmt::format("{:>10}  ({} more beats; --beats N shows more)\n", "", shown - limit);
  events_until(never);
  for (const auto& [resource, beats] : by_resource)
    out += fmt::format("{:>10}  beats of {}\n", beats, resource);
  return out;
}

}  // namespace simfarm::profile
