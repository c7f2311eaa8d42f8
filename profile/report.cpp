#include "profile/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "profile/source.h"

namespace simfarm::profile {
namespace {

std::string where(const Machine& machine, const Program& program, PeId pe, u32 pc) {
  const std::string place = source_place(program, machine, pe, pc);
  return fmt::format("PE {} (row {}, column {}) at pc 0x{:08x}{}{}", pe, machine.row_of(pe),
                     machine.column_of(pe), pc, place.empty() ? "" : ", ", place);
}

std::string describe(const Machine& machine, const Program& program, const Waiting& party) {
  return fmt::format("{}{}: {} since cycle {}",
                     party.who == Waiting::Who::dma ? "DMA engine of " : "",
                     where(machine, program, party.pe, party.pc), party.what, party.since);
}

// Columns are as wide as their widest cell; text is left-aligned, numbers right.
std::string layout(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t k = 0; k < row.size(); ++k)
      line += fmt::format("{}{:>{}}", k == 0 ? "" : "  ", row[k], widths[k]);
    out += line + "\n";
  }
  return out;
}

}  // namespace

std::string percent(u64 part, u64 whole) {
  if (whole == 0) return "0.0";
  const u64 tenths = static_cast<u64>(static_cast<unsigned __int128>(part) * 1000 / whole);
  return fmt::format("{}.{}", tenths / 10, tenths % 10);
}

Counters total(const Outcome& outcome) {
  Counters all;
  for (const PeReport& pe : outcome.pes) all += pe.total;
  return all;
}

std::string stall_line(const Counters& all) {
  std::vector<std::pair<u64, std::string>> parts = {{all.instructions(), "issued"}};
  for (u32 k = 0; k < stall_count; ++k)
    if (all.stalls[k] != 0)
      parts.emplace_back(all.stalls[k], std::string(name(static_cast<Stall>(k))));
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  for (const auto& [cycles, what] : parts)
    out += fmt::format("{}{} {} %", out.empty() ? "" : ", ", what, percent(cycles, all.cycles()));
  return out;
}

std::string summary(const Machine& machine, const Program& program, const Outcome& outcome) {
  std::string out = fmt::format("{} after {} cycles, {} instructions on {} ({} x {} PEs)\n",
                                name(outcome.kind), outcome.cycles, outcome.instructions(),
                                machine.name, machine.rows, machine.columns);
  if (outcome.trap) {
    const Trap& trap = *outcome.trap;
    out += fmt::format("trap: {} in cycle {}, {}\n", name(trap.kind), trap.cycle,
                       where(machine, program, trap.pe, trap.pc));
    if (trap.instruction != 0) out += fmt::format("  instruction 0x{:08x}\n", trap.instruction);
    out += fmt::format("  address 0x{:08x}\n", trap.address);
    if (!trap.detail.empty()) out += fmt::format("  {}\n", trap.detail);
  }
  if (outcome.deadlock) {
    const Deadlock& deadlock = *outcome.deadlock;
    out += fmt::format("deadlock: nothing can move from cycle {} on\n", deadlock.cycle);
    for (const Waiting& party : deadlock.waiting)
      out += "  " + describe(machine, program, party) + "\n";
    if (!deadlock.blame.empty()) {
      out += "blame chain:\n";
      for (const u32 index : deadlock.blame)
        out += "  " + describe(machine, program, deadlock.waiting[index]) + "\n";
    }
  }
  std::vector<std::pair<PeId, u32>> failed;
  for (PeId pe = 0; pe < outcome.pes.size(); ++pe)
    if (outcome.pes[pe].exit_code.value_or(0) != 0)
      failed.emplace_back(pe, *outcome.pes[pe].exit_code);
  for (size_t k = 0; k < failed.size() && k < 8; ++k)
    out += fmt::format("PE {} ended with exit code {}\n", failed[k].first, failed[k].second);
  if (failed.size() > 8) out += fmt::format("and {} more PEs with exit codes\n", failed.size() - 8);
  return out;
}

std::string pe_table(const Machine& machine, const Outcome& outcome) {
  const Counters all = total(outcome);
  std::vector<std::vector<std::string>> rows = {{"PE", "row", "column", "exit", "issued"}};
  for (u32 k = 0; k < stall_count; ++k)
    if (all.stalls[k] != 0) rows[0].emplace_back(name(static_cast<Stall>(k)));
  for (PeId pe = 0; pe < outcome.pes.size(); ++pe) {
    const PeReport& report = outcome.pes[pe];
    std::vector<std::string> row = {std::to_string(pe), std::to_string(machine.row_of(pe)),
                                    std::to_string(machine.column_of(pe)),
                                    report.exit_code ? std::to_string(*report.exit_code) : "-",
                                    std::to_string(report.total.instructions())};
    for (u32 k = 0; k < stall_count; ++k)
      if (all.stalls[k] != 0) row.push_back(std::to_string(report.total.stalls[k]));
    rows.push_back(std::move(row));
  }
  return layout(rows);
}

std::string dma_table(const Machine& machine, const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows = {
      {"DMA", "row", "column", "descriptors", "read", "written"}};
  for (u32 k = 0; k < dma_bin_count; ++k) rows[0].emplace_back(name(static_cast<DmaBin>(k)));
  for (PeId pe = 0; pe < outcome.dma.size(); ++pe) {
    const DmaReport& report = outcome.dma[pe];
    if (report.cycles[static_cast<u32>(DmaBin::idle)] == outcome.cycles) continue;
    std::vector<std::string> row = {std::to_string(pe),
                                    std::to_string(machine.row_of(pe)),
                                    std::to_string(machine.column_of(pe)),
                                    std::to_string(report.descriptors),
                                    std::to_string(report.bytes_read),
                                    std::to_string(report.bytes_written)};
    for (const u64 cycles : report.cycles) row.push_back(std::to_string(cycles));
    rows.push_back(std::move(row));
  }
  return rows.size() == 1 ? "" : layout(rows);
}

}  // namespace simfarm::profile
