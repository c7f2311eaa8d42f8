#include "regress/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "profile/trace.h"
#include "regress/program.h"

namespace simfarm::regress {
namespace {

Golden without_outputs(Golden golden) {
  std::erase_if(golden.contents, [](const Content& content) { return content.output; });
  return golden;
}

constexpr Cycle cycles_before = 24, cycles_after = 2;  // of the trace
constexpr size_t most_lines = 60;                      // of an interval's

bool same_code(const Image& a, const Image& b) {
  const auto code = [](const Image& image) {
    std::vector<std::pair<u32, std::span<const u8>>> segments;
    for (const Segment& segment : image.segments)
      if (segment.executable) segments.emplace_back(segment.address, segment.bytes);
    return segments;
  };
  return std::ranges::equal(code(a), code(b), [](const auto& x, const auto& y) {
    return x.first == y.first && std::ranges::equal(x.second, y.second);
  });
}

/// What the reference engine of this program does in the cycles [first, last].
std::vector<std::string> trace(const GoldenCase& one, std::optional<PeId> pe, Cycle first,
                               Cycle last, const Symbols& symbols) {
  std::vector<std::string> lines;
  Result<profile::RunCase> run_case = profile::parse_case(one.text, one.name);
  if (!run_case) return lines;
  if (symbols)
    for (std::shared_ptr<const Image>& image : run_case->input.program.images) {
      if (!same_code(*image, *symbols)) continue;
      Image with = *image;
      with.symbols = symbols->symbols;
      with.lines = symbols->lines;
      image = std::make_shared<const Image>(std::move(with));
    }
  profile::TraceWindow window;
  if (pe) window.pes.insert(*pe);
  window.first = first;
  window.last = last;
  profile::Tracer tracer(run_case->input.machine, run_case->input.program, window, false,
                         [&](const std::string& line) { lines.push_back(line); });
  run_case->options.observer = &tracer;
  run_case->options.cycle_limit = std::min(run_case->options.cycle_limit, window.last + 1);
  profile::run(profile::side_of(EngineKind::reference), *run_case);
  return lines;
}

}  // namespace

Measure measure_here(const GoldenCase& one, const Variant& variant) {
  return [one, variant](Cycle limit) { return run_case(one, variant, limit); };
}

Measure measure_by(const std::string& program, const GoldenCase& one, const std::string& folder) {
  return [=](Cycle limit) -> Result<Golden> {
    const std::string in = folder + "/one.case";
    if (auto written = write_text(in, one.text); !written) return written.error();
    const Result<Measured> measured =
        measure_with(program, {in, "--cycle-limit", fmt::format("{}", limit)}, folder);
    if (!measured) return measured.error();
    if (measured->entries.size() != 1)
      return input_error(program + ": it has measured another case");
    return measured->entries.front().golden;
  };
}

bool same_but_outputs(const Golden& a, const Golden& b) {
  return without_outputs(a) == without_outputs(b);
}

bool has_code_of(const GoldenCase& one, const Image& image) {
  const Result<profile::RunCase> run_case = profile::parse_case(one.text, one.name);
  return run_case && std::ranges::any_of(run_case->input.program.images,
                                         [&](const auto& own) { return same_code(*own, image); });
}

Result<std::optional<Parting>> find_parting(const GoldenCase& one, const Measure& before,
                                            const Measure& now, Cycle last,
                                            const Symbols& symbols) {
  std::optional<Error> error;
  std::vector<profile::Difference> found;
  std::optional<Interval> interval;
  const auto parts = [&](Cycle limit) {
    const Result<Golden> a = before(limit), b = error ? Result<Golden>(*error) : now(limit);
    if (!a || !b) {
      if (!error) error = !a ? a.error() : b.error();
      return false;
    }
    found = differences(without_outputs(*a), without_outputs(*b));
    interval = first_interval(*a, *b);
    return !found.empty();
  };
  // At `equal` they are the same, at `unequal` not.
  Cycle equal = 0, unequal = last + 1;
  const bool at_first = parts(equal), at_last = !error && !at_first && parts(unequal);
  if (error) return *error;
  if (at_first || !at_last) return std::optional<Parting>();
  // Checkpoints say about where.
  if (const std::optional<Interval> guess = interval) {
    if (guess->first > equal && guess->first < unequal)
      (parts(guess->first) ? unequal : equal) = guess->first;
    if (!error && guess->last + 1 > equal && guess->last + 1 < unequal)
      (parts(guess->last + 1) ? unequal : equal) = guess->last + 1;
    if (error) return *error;
  }
  while (unequal - equal > 1) {
    const Cycle middle = equal + (unequal - equal) / 2;
    (parts(middle) ? unequal : equal) = middle;
    if (error) return *error;
  }
  Parting parting;
  parting.cycle = equal;
  parts(unequal);
  if (error) return *error;
  parting.differences = std::move(found);
  for (const profile::Difference& difference : parting.differences)
    if (difference.pe && !parting.pe) parting.pe = difference.pe;
  parting.trace =
      trace(one, parting.pe, equal - std::min(equal, cycles_before), equal + cycles_after, symbols);
  return std::optional(std::move(parting));
}

std::string print(const Interval& interval, const GoldenCase& one, const Symbols& symbols) {
  std::string text = fmt::format(
      "{}: PE {} is the first that does something else, in cycles {} to {} (checkpoints)\n"
      "this simfarm, in these cycles:\n",
      one.name, interval.pe, interval.first, interval.last);
  const std::vector<std::string> lines =
      trace(one, interval.pe, interval.first, interval.last, symbols);
  for (size_t k = 0; k < std::min(lines.size(), most_lines); ++k) text += "  " + lines[k] + "\n";
  if (lines.size() > most_lines)
    text += fmt::format("  ... {} more lines\n", lines.size() - most_lines);
  return text;
}

std::string print(const Parting& parting, const GoldenCase& one) {
  std::string text = parting.pe ? fmt::format("{}: first in cycle {}, PE {}\n", one.name,
                                              parting.cycle, *parting.pe)
                                : fmt::format("{}: first in cycle {}\n", one.name, parting.cycle);
  for (const profile::Difference& difference : parting.differences)
    text += "  " + difference.text + "\n";
  if (!parting.trace.empty()) text += "this simfarm, around it:\n";
  for (const std::string& line : parting.trace) text += "  " + line + "\n";
  return text;
}

}  // namespace simfarm::regress
