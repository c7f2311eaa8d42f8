#include "engine/outcome.h"

namespace simfarm {

std::string_view name(DmaBin bin) {
  static constexpr std::array<std::string_view, dma_bin_count> names = {
      "idle",     "acquire_wait",     "setup",          "transfer", "source_wait",
      "bus_wait", "destination_wait", "in_flight_limit"};
  return names[static_cast<u32>(bin)];
}

std::string_view name(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::finished:
      return "finished";
    case Outcome::Kind::trap:
      return "trap";
    case Outcome::Kind::deadlock:
      return "deadlock";
    case Outcome::Kind::cycle_limit:
      return "cycle_limit";
  }
  return "outcome";
}

u64 Outcome::instructions() const {
  u64 sum = 0;
  for (const PeReport& pe : pes) sum += pe.total.instructions();
  return sum;
}

}  // namespace simfarm
