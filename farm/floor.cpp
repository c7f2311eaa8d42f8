#include "farm/floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace simfarm::farm {
namespace {

__extension__ typedef unsigned __int128 Product;

// One port of a local memory (docs/machine.md, "DMA timing").
constexpr u64 local_bytes_per_beat = 8;
// Above every cycle limit; products of sizes stop there.
constexpr u64 floor_cap = u64{1} << 60;

u64 per_cycle(Product work, Product peak) {
  return static_cast<u64>(std::min<Product>((work + peak - 1) / peak, floor_cap));
}

/// The size that a case gives a dimension, or the value of a parameter.
u64 size_of(const Task& task, const Case& one, const Dimension& wanted) {
  if (wanted.symbol.empty()) return wanted.size;
  for (size_t k = 0; k < task.tensors.size(); ++k)
    for (size_t d = 0; d < task.tensors[k].shape.size(); ++d)
      if (task.tensors[k].shape[d].symbol == wanted.symbol) return one.layout.tensors[k].shape[d];
  for (size_t k = 0; k < task.params.size(); ++k)
    if (task.params[k] == wanted.symbol)
      return static_cast<u64>(std::max(one.layout.params[k], i32{0}));
  return 0;
}

Floor floor_of_macs(const Task& task, const Case& one) {
  if (task.floor.macs.empty()) return {};
  const u64 macs = required_macs(task, one);
  const u64 pes = task.machine.pes();
  return {per_cycle(macs, Product{pes} * task.floor.macs_per_cycle),
          fmt::format("{} multiply-adds on {} PEs at {} a cycle", macs, pes,
                      task.floor.macs_per_cycle)};
}

Floor floor_of_bytes(const Task& task, const Case& one, Place place) {
  u64 bytes = 0;
  for (const PlacedTensor& tensor : one.layout.tensors) {
    const auto& reads = task.floor.reads;
    const bool counts = tensor.kind == TensorKind::output ||
                        std::count(reads.begin(), reads.end(), tensor.name) > 0;
    if (counts && tensor.place == place) bytes += tensor.bytes;
  }
  const Machine& machine = task.machine;
  const u64 peak = place == Place::dram ? machine.dram.bytes_per_beat
                                        : u64{machine.ocm.banks} * machine.ocm.bytes_per_beat;
  return {per_cycle(bytes, peak), fmt::format("{} bytes that {} moves at {} a cycle", bytes,
                                              place == Place::dram ? "DRAM" : "OCM", peak)};
}

std::string identity(std::string_view who, u64 id, u64 sum, Cycle cycles) {
  return fmt::format("{} {}: its bins sum to {}, the run has {} cycles\n", who, id, sum, cycles);
}

}  // namespace

u64 required_macs(const Task& task, const Case& one) {
  if (task.floor.macs.empty()) return 0;
  Product macs = 1;
  for (const Dimension& factor : task.floor.macs)
    macs = std::min<Product>(macs * size_of(task, one, factor), floor_cap);
  return static_cast<u64>(macs);
}

Floor floor_of(const Task& task, const Case& one) {
  const auto given = task.floor.cycles.find(one.variant.empty() ? one.name : one.variant);
  const std::array all = {
      floor_of_macs(task, one), floor_of_bytes(task, one, Place::dram),
      floor_of_bytes(task, one, Place::ocm),
      given == task.floor.cycles.end() ? Floor{} : Floor{given->second, "the task says so"}};
  return *std::max_element(all.begin(), all.end(),
                           [](const Floor& a, const Floor& b) { return a.cycles < b.cycles; });
}

void hold_below_floor(const Task& task, const std::vector<Case>& cases, Judgement& judgement) {
  if (judgement.verdict != Verdict::accepted) return;
  for (size_t k = 0; k < cases.size(); ++k) {
    const Floor floor = floor_of(task, cases[k]);
    const Cycle cycles = judgement.cases[k].cycles;
    if (cycles >= floor.cycles) continue;
    judgement.verdict = Verdict::held;
    judgement.failed_case = cases[k].name;
    judgement.failure = fmt::format("{} cycles, and no kernel should take fewer than {}: {}\n",
                                    cycles, floor.cycles, floor.why);
    return;
  }
}

std::optional<std::string> broken_identity(const Machine& machine, const Outcome& outcome) {
  for (size_t pe = 0; pe < outcome.pes.size(); ++pe) {
    const u64 sum = outcome.pes[pe].total.cycles();
    if (sum != outcome.cycles) return identity("PE", pe, sum, outcome.cycles);
  }
  u64 read = 0, written = 0;
  for (size_t pe = 0; pe < outcome.dma.size(); ++pe) {
    const DmaReport& dma = outcome.dma[pe];
    const u64 sum = std::accumulate(dma.cycles.begin(), dma.cycles.end(), u64{0});
    if (sum != outcome.cycles) return identity("DMA engine", pe, sum, outcome.cycles);
    read += dma.bytes_read;
    written += dma.bytes_written;
  }
  const u64 peak = local_bytes_per_beat * machine.pes() + machine.dram.bytes_per_beat +
                   u64{machine.ocm.banks} * machine.ocm.bytes_per_beat;
  if (Product{std::max(read, written)} > Product{peak} * outcome.cycles)
    return fmt::format(
        "{} bytes read and {} written in {} cycles: all memories together carry {} a cycle\n", read,
        written, outcome.cycles, peak);
  return std::nullopt;
}

}  // namespace simfarm::farm
