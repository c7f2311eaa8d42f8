#include "profile/lockstep.h"

#include <fmt/format.h>

#include <algorithm>

#include "profile/report.h"
#include "profile/trace.h"

namespace simfarm::profile {
namespace {

constexpr Cycle cycles_before = 24, cycles_after = 2;  // of the trace

std::vector<Difference> compare_to(const Side& a, const Side& b, RunCase run_case, Cycle limit) {
  run_case.options.cycle_limit = limit;
  return differences(run_case.input.machine, run(a, run_case), run(b, run_case));
}

std::vector<std::string> trace(const Side& side, RunCase run_case, std::optional<PeId> pe,
                               Cycle cycle) {
  TraceWindow window;
  if (pe) window.pes.insert(*pe);
  window.first = cycle - std::min(cycle, cycles_before);
  window.last = cycle + cycles_after;
  std::vector<std::string> lines;
  Tracer tracer(run_case.input.machine, run_case.input.program, window, false,
                [&](const std::string& line) { lines.push_back(line); });
  run_case.options.observer = &tracer;
  run_case.options.cycle_limit = std::min(run_case.options.cycle_limit, window.last + 1);
  run(side, run_case);
  return lines;
}

std::optional<Lockstep::Parting> find_parting(const Side& a, const Side& b, const RunCase& run_case,
                                              Cycle last) {
  // `equal` is a limit at which the runs are equal, `unequal` one at which they are not.
  Cycle equal = 0, unequal = std::min(run_case.options.cycle_limit, last + 1);
  if (!compare_to(a, b, run_case, equal).empty()) return std::nullopt;
  if (compare_to(a, b, run_case, unequal).empty()) return std::nullopt;
  while (unequal - equal > 1) {
    const Cycle middle = equal + (unequal - equal) / 2;
    (compare_to(a, b, run_case, middle).empty() ? equal : unequal) = middle;
  }
  Lockstep::Parting parting;
  parting.cycle = equal;
  parting.differences = compare_to(a, b, run_case, unequal);
  for (const Difference& difference : parting.differences)
    if (difference.pe && !parting.pe) parting.pe = difference.pe;
  parting.trace = trace(a, run_case, parting.pe, equal);
  return parting;
}

}  // namespace

Lockstep lockstep(const Side& a, const Side& b, RunCase run_case) {
  constexpr u32 checkpoints = 16;
  run_case.options.checkpoints = checkpoints;
  Lockstep result;
  Ran first = run(a, run_case);
  const Ran second = run(b, run_case);
  result.differences = differences(run_case.input.machine, first, second);
  if (result.differences.empty()) result.refused = first.refused;
  if (!result.differences.empty() && !first.refused && !second.refused)
    result.parting =
        find_parting(a, b, run_case, std::max(first.outcome.cycles, second.outcome.cycles));
  result.outcome = std::move(first.outcome);
  return result;
}

std::string print(const Lockstep& result, const Side& a, const Side& b, const RunCase& run_case) {
  const RunInput& input = run_case.input;
  if (result.differences.empty())
    return fmt::format("equal: {} and {}\n", a.name, b.name) +
           summary(input.machine, input.program, result.outcome);
  std::string text = fmt::format("{} and {} differ:\n", a.name, b.name);
  for (const Difference& difference : result.differences)
    text += fmt::format("  {}\n", difference.text);
  if (!result.parting) return text + "they are equal under every cycle limit that was tried\n";
  const Lockstep::Parting& parting = *result.parting;
  text += fmt::format("first in cycle {}{}:\n", parting.cycle,
                      parting.pe ? fmt::format(", PE {}", *parting.pe) : "");
  for (const Difference& difference : parting.differences)
    text += fmt::format("  {}\n", difference.text);
  text += fmt::format("{} there:\n", a.name);
  for (const std::string& line : parting.trace) text += fmt::format("  {}\n", line);
  return text;
}

}  // namespace simfarm::profile
