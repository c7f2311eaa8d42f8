#include "tests/support/differential/coverage.h"

#include <fmt/format.h>

#include "isa/decode.h"
#include "isa/row.h"
#include "profile/source.h"

namespace simfarm::test {
namespace {

/// Counts rows as they are written: compressed ones by what the program's bytes say.
class RowCounter final : public Observer {
 public:
  RowCounter(const profile::RunCase& run_case, std::array<u64, op_count>& rows)
      : machine_(run_case.input.machine), program_(run_case.input.program), rows_(rows) {}

  void issued(Cycle, PeId pe, u32 pc, const Operation& op, std::span<const u32, 32>) override {
    std::optional<Op> row = op.op;
    if (op.length == 2)
      for (const Segment& segment : profile::image_of(program_, machine_, pe).segments)
        if (segment.executable && pc >= segment.address &&
            pc - segment.address + 2 <= segment.bytes.size()) {
          const u64 at = pc - segment.address;
          row =
              find_compressed_row(static_cast<u16>(segment.bytes[at] | segment.bytes[at + 1] << 8));
        }
    if (row) ++rows_[static_cast<u32>(*row)];
  }

 private:
  const Machine& machine_;
  const Program& program_;
  std::array<u64, op_count>& rows_;
};

template <class Values, class Sums>
void sum(const Values& values, Sums& sums) {
  for (size_t k = 0; k < values.size(); ++k) sums[k] += values[k];
}

}  // namespace

void Coverage::add(const profile::RunCase& run_case) {
  RowCounter counter(run_case, rows);
  profile::RunCase watched = run_case;
  watched.options.observer = &counter;
  const profile::Ran ran = profile::run(profile::side_of(EngineKind::reference), watched);
  ++cases;
  if (ran.refused) {
    ++refused;
    return;
  }
  const Outcome& outcome = ran.outcome;
  ++outcomes[outcome.kind];
  if (outcome.trap) ++traps[outcome.trap->kind];
  u64 descriptors = 0;
  for (const PeReport& pe : outcome.pes) {
    sum(pe.total.stalls, stalls);
    sum(pe.total.issued, issued);
    instructions += pe.total.instructions();
    pe_cycles += outcome.cycles;
  }
  for (const DmaReport& engine : outcome.dma) {
    sum(engine.cycles, engine_cycles);
    descriptors += engine.descriptors;
  }
  with_dma += descriptors != 0;
  if (outcome.pes.size() < 16) return;
  ++gangs;
  finished_gangs += outcome.kind == Outcome::Kind::finished;
}

std::string Coverage::print() const {
  std::string text = fmt::format(
      "{} cases, {} instructions, {} PE-cycles; {} refused; {} with DMA; {} of 16 PEs and more, {} "
      "of them finished\n",
      cases, instructions, pe_cycles, refused, with_dma, gangs, finished_gangs);
  for (const auto& [kind, count] : outcomes) text += fmt::format("{} {}\n", name(kind), count);
  for (const auto& [kind, count] : traps) text += fmt::format("trap {} {}\n", name(kind), count);
  for (u32 k = 0; k < stall_count; ++k)
    text += fmt::format("stall {} {}\n", name(static_cast<Stall>(k)), stalls[k]);
  for (u32 k = 0; k < dma_bin_count; ++k)
    text += fmt::format("engine {} {}\n", name(static_cast<DmaBin>(k)), engine_cycles[k]);
  for (u32 k = 0; k < issue_class_count; ++k)
    text += fmt::format("issued {} {}\n", name(static_cast<IssueClass>(k)), issued[k]);
  for (u32 k = 0; k < op_count; ++k)
    text += fmt::format("row {} {}\n", row(static_cast<Op>(k)).name, rows[k]);
  return text;
}

}  // namespace simfarm::test
