#include "engine/fast/engine_track.h"

#include <algorithm>

#include "base/check.h"
#include "engine/fast/planted.h"

namespace simfarm::fast {

void EngineTrack::take_back(DmaReport& report, Counted what, u32 amount) {
  switch (what) {
    case Counted::read:
    case Counted::read_ocm:
    case Counted::read_dram:
      report.bytes_read -= amount;
      break;
    case Counted::written:
    case Counted::written_ocm:
    case Counted::written_dram:
      report.bytes_written -= amount;
      break;
    case Counted::descriptors:
      report.descriptors -= amount;
      break;
  }
  if (what == Counted::read_ocm || what == Counted::written_ocm) report.ocm_bytes -= amount;
  if (what == Counted::read_dram || what == Counted::written_dram) report.dram_bytes -= amount;
}

void EngineTrack::forget(Cycle floor) {
  const auto kept = [&] { return charges_.size() + counts_.size() + repeated_.size(); };
  if (kept() < forget_at_) return;
  const auto over =
      std::partition_point(charges_.begin(), charges_.end(),
                           [&](const Charge& charge) { return charge.until() <= floor; });
  charges_.erase(charges_.begin(), over);
  std::erase_if(counts_, [&](const Count& count) { return count.at <= floor; });
  std::erase_if(repeated_,
                [&](const Repeated& one) { return one.from + one.counts->last <= floor; });
  forget_at_ = std::max(forget_from, 2 * kept());
}

DmaReport EngineTrack::report(Cycle end, std::optional<Cycle> waiting_since) const {
  DmaReport report = total_;
  const auto cycles = [&](DmaBin bin) -> u64& { return report.cycles[static_cast<u32>(bin)]; };
  // What lies beyond the end is taken back.
  Cycle until = charged_;
  for (auto charge = charges_.rbegin(); until > end; ++charge) {
    check(charge != charges_.rend(), "a report of an end that has been forgotten");
    const auto before = std::next(charge);
    const Cycle from = before == charges_.rend() ? end : std::max(end, before->until());
    cycles(charge->bin()) -= until - from;
    until = from;
  }
  const auto look_at = [&](const Count& count, Cycle from) {
    const Cycle at = from + count.at;
    if (at > end || (at == end && planted(Planted::bytes_counted_late)))
      take_back(report, count.what, count.amount);
  };
  for (const Count& count : counts_) look_at(count, 0);
  for (const Repeated& one : repeated_)
    for (const Count& count : one.counts->all) look_at(count, one.from);
  if (waiting_since && *waiting_since + 1 < end)
    cycles(DmaBin::acquire_wait) += end - std::max(until, std::min(end, *waiting_since + 1));
  u64 busy = 0;
  for (u32 bin = 0; bin < dma_bin_count; ++bin)
    if (static_cast<DmaBin>(bin) != DmaBin::idle) busy += report.cycles[bin];
  check(busy <= end, "a DMA engine's bins do not sum to the run's cycles");
  cycles(DmaBin::idle) = end - busy;
  return report;
}

}  // namespace simfarm::fast
