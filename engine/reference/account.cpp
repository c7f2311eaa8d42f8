#include "engine/reference/account.h"

#include <algorithm>

#include "base/check.h"

namespace simfarm::reference {

void Account::settle_stall(Cycle end) {
  const Cycle until = std::min(stall_.until, end);
  if (until > stall_.from) {
    const u64 cycles = until - stall_.from;
    const bool over = stall_.until < end;
    const Stall bin = over ? stall_.bin_at_end : stall_.bin;
    stall_.region->stalls[static_cast<u32>(bin)] += cycles;
    profile_.add_stall(stall_.number, stall_.pc, bin, cycles);
    watch_.stalled(stall_.from, pe_, stall_.pc, bin, cycles,
                   over ? stall_.culprit_at_end : stall_.culprit);
  }
  stall_.from = stall_.until = 0;
}

void Account::report(Cycle end, PeReport& report) const {
  for (const auto& [region, counters] : regions_) {
    if (region != 0 && counters.cycles() == 0) continue;
    report.regions.emplace(region, counters);
    report.total += counters;
  }
  report.profile = profile_.profile();
  check(report.total.cycles() == end, "a PE's bins do not sum to the run's cycles");
}

}  // namespace simfarm::reference
