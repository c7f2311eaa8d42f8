#include "tests/timelines/page.h"

#include <fmt/format.h>

#include <algorithm>

#include "tests/timelines/assemble.h"
#include "tests/timelines/notation.h"
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {
namespace {

constexpr const char* introduction = R"(# Timelines

Small programs on small machines, and the cycle of everything that happens in them, worked out by
hand from [the machine's specification](machine.md). `tests/timelines` holds every engine to this
table; this page is printed from it (`SIMFARM_WRITE_TIMELINES=1` before `test_timelines` writes it
anew).

How to read it:

- A PE's line gives its instructions, each with the cycle in which it issues, then its stalls;
  `nop` x 5 @ 3-7 is five instructions. PEs that are not shown run `li a7, 93; ecall`, in cycles 0
  and 1.
- An engine's line gives start and completion of each transfer and the bins of all its cycles.
  Beats follow: `0.1 row bus 0: 22` is a beat of transfer 0, burst 1, granted in cycle 22; bursts
  are numbered as in machine.md, D3.
- Many timelines of one transfer run the same six instructions: descriptor address, amount, exit
  number, `gp.dma` at 3, `gp.wait` from 4 on, `ecall`. The transfer then starts at 4, sets up in
  4-7, and its first burst issues at 8.
- Unless it is said otherwise, figures are the shipped ones: link latency 2, credit 2, depth 4;
  post 2 + 1 a column or row; barrier 4 + extent; DMA queue 4, in flight 3, set-up 4; OCM 8 banks,
  16 bytes a beat, latency 10; DRAM 32 bytes a beat, latency 100; local ports 8 bytes a beat; 1 a
  hop.
)";

/// "lui a2, 0x10000 @ 0, nop x 5 @ 1-5": the instructions that issued, and where one waits or
/// traps.
std::string program_text(const Pe& pe) {
  const std::vector<Instruction> code = assemble(pe.program).value();
  const std::vector<Cycle> issues = read_cycles(pe.issues);
  if (issues.size() > code.size())
    return fmt::format("`{}` @ {}", code.front().text, write_cycles(issues));
  std::string text;
  for (u64 i = 0; i < issues.size();) {
    u64 j = i;
    while (j + 1 < issues.size() && code[j + 1].text == code[i].text) ++j;
    text += text.empty() ? "" : ", ";
    text += j > i ? fmt::format("`{}` x {}", code[i].text, j - i + 1)
                  : fmt::format("`{}`", code[i].text);
    text += fmt::format(" @ {}", write_cycles({issues.begin() + static_cast<i64>(i),
                                               issues.begin() + static_cast<i64>(j) + 1}));
    i = j + 1;
  }
  if (issues.size() < code.size())
    text +=
        fmt::format("{}`{}` does not issue", text.empty() ? "" : ", ", code[issues.size()].text);
  return text;
}

std::string machine_text(const Machine& machine) {
  const Machine shipped;
  std::string text = fmt::format("{} x {}", machine.rows, machine.columns);
  const auto note = [&](const char* key, u32 value, u32 usual) {
    if (value != usual) text += fmt::format(", {} = {}", key, value);
  };
  note("link.depth", machine.link.depth, shipped.link.depth);
  note("dma.queue", machine.dma.queue, shipped.dma.queue);
  note("dma.in_flight", machine.dma.in_flight, shipped.dma.in_flight);
  note("ocm.banks", machine.ocm.banks, shipped.ocm.banks);
  if (machine.torus_rows) text += ", torus_rows";
  if (machine.torus_columns) text += ", torus_columns";
  return text;
}

std::string end_text(const Timeline& timeline) {
  if (timeline.end.kind == Outcome::Kind::finished)
    return fmt::format("{} cycles", timeline.cycles);
  if (timeline.end.kind == Outcome::Kind::trap)
    return fmt::format("trap of PE {} at {}: {}", timeline.end.pe, timeline.cycles,
                       name(timeline.end.trap));
  return fmt::format("{} at {}", name(timeline.end.kind), timeline.cycles);
}

std::string section(const Timeline& timeline) {
  std::string text =
      fmt::format("\n### {}\n\n{}\n\n*{}; {}.*\n\n", timeline.name, timeline.situation,
                  machine_text(timeline.machine), end_text(timeline));
  for (PeId id = 0; id < timeline.pes.size(); ++id) {
    const Pe& pe = timeline.pes[id];
    if (pe.program == Pe{}.program && pe.issues == Pe{}.issues) continue;
    text += fmt::format("- PE {}: {}", id, program_text(pe));
    if (!pe.stalls.empty()) text += fmt::format("; {}", pe.stalls);
    text += '\n';
  }
  for (const Engine& engine : timeline.engines) {
    text += fmt::format("- Engine {}: ", engine.pe);
    if (!engine.transfers.empty()) text += engine.transfers + "; ";
    text += engine.bins;
    if (engine.read + engine.written > 0)
      text += fmt::format("; {} bytes read, {} written", engine.read, engine.written);
    text += '\n';
    std::string beats;
    for (const std::string& line : engine.beats)
      beats += fmt::format("{}{}", beats.empty() ? "  - " : "; ", line);
    if (!beats.empty()) text += beats + '\n';
  }
  return text + fmt::format("\n{}\n", timeline.arithmetic);
}

/// Where to break a line that is too long: the last space within `width` that is not inside `code`.
u64 cut_of(const std::string& line, u64 width) {
  u64 cut = line.rfind(' ', width);
  const auto ticks = std::count(line.begin(), line.begin() + static_cast<i64>(cut), '`');
  if (ticks % 2 == 1) cut = line.rfind(' ', line.rfind('`', cut));
  return cut;
}

/// Breaks lines at spaces so that none is longer than 100 characters; list items hang.
std::string wrapped(const std::string& text) {
  constexpr u64 width = 100;
  std::string out;
  for (u64 begin = 0; begin < text.size();) {
    const u64 newline = text.find('\n', begin);
    std::string line = text.substr(begin, newline - begin);
    begin = newline + 1;
    const u64 indent = line.find_first_not_of(' ');
    const bool item = indent != std::string::npos && line.compare(indent, 2, "- ") == 0;
    const std::string hang(item ? indent + 2 : 0, ' ');
    while (line.size() > width) {
      const u64 cut = cut_of(line, width);
      out += line.substr(0, cut) + '\n';
      line = hang + line.substr(cut + 1);
    }
    out += line + '\n';
  }
  return out;
}

}  // namespace

std::string page() {
  std::string text = introduction;
  for (const Part& part : parts()) {
    text += fmt::format("\n## {}\n", part.heading);
    for (const Timeline& timeline : part.table) text += wrapped(section(timeline));
  }
  return text;
}

}  // namespace simfarm::timelines
