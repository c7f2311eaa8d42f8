#include "bench/pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/measure.h"
#include "farm/process.h"

namespace simfarm::bench {
namespace {

// Bounds that a benchmark does not reach; they end one that hangs.
constexpr farm::ProcessLimits limits{.cpu_seconds = 3600,
                                     .address_bytes = u64{1} << 46,
                                     .file_bytes = 1u << 20,
                                     .wall_seconds = 3600,
                                     .log_bytes = 1u << 20,
                                     .output_bytes = 1u << 20};

struct Shot {
  double seconds = 0;
  std::string answer;  ///< cycles and digest, as text
};

Result<Shot> shoot(const PairPlan& plan, const std::string& program, const std::string& name) {
  std::vector<std::string> command = {program,     "bench",       name,      "--repeat",
                                      "1",         "--no-native", "--quiet", "--json",
                                      "--kernels", plan.kernels};
  command.insert(command.end(), plan.arguments.begin(), plan.arguments.end());
  const Result<farm::ProcessRun> run =
      farm::run_process(command, {"PATH=" + plan.search_path, "LC_ALL=C"}, "/", limits);
  if (!run) return run.error();
  const auto json = nlohmann::json::parse(run->log, nullptr, false);
  const bool told = json.is_object() && json.value("schema", "") == "simfarm.bench/1" &&
                    json.contains("rows") && json["rows"].size() == 1;
  if (run->end != farm::ProcessRun::End::exited || run->code != 0 || !told)
    return input_error(
        fmt::format("{} bench {} ended with {}: {}", program, name, run->code, run->log));
  const auto& row = json["rows"][0];
  return Shot{row.value("seconds", 0.0),
              fmt::format("{} cycles, {} instructions, digest {}", row.value("cycles", u64{0}),
                          row.value("instructions", u64{0}), row.value("digest", ""))};
}

double ratio_of(const PairRow& row, size_t from, double* band) {
  std::vector<double> ratios;
  for (size_t k = from; k < row.before.size(); ++k)
    ratios.push_back(row.after[k] > 0 ? row.before[k] / row.after[k] : 1);
  std::sort(ratios.begin(), ratios.end());
  if (band != nullptr && !ratios.empty()) {
    const size_t quarter = (ratios.size() - 1) / 4;
    const double spread = ratios[ratios.size() - 1 - quarter] - ratios[quarter];
    *band = 2 * spread / std::sqrt(static_cast<double>(ratios.size()));
  }
  return median(ratios);
}

}  // namespace

std::string_view name(PairVerdict verdict) {
  switch (verdict) {
    case PairVerdict::same:
      return "same";
    case PairVerdict::faster:
      return "faster";
    case PairVerdict::slower:
      return "slower";
    case PairVerdict::too_slow:
      return "TOO SLOW";
    case PairVerdict::different:
      return "DIFFERENT";
  }
  return "verdict";
}

void judge(PairRow& row, size_t last) {
  row.ratio = ratio_of(row, 0, &row.band);
  if (row.verdict == PairVerdict::different) return;
  const double noise = std::max(smallest_change, row.band);
  const double limit = 1 - std::max(slower_limit, row.band);
  const size_t from = last == 0 ? 0 : row.before.size() - last;
  row.verdict = row.ratio > 1 + noise   ? PairVerdict::faster
                : row.ratio < 1 - noise ? PairVerdict::slower
                                        : PairVerdict::same;
  if (row.ratio < limit && ratio_of(row, from, nullptr) < limit)
    row.verdict = PairVerdict::too_slow;
}

Result<PairRow> run_pair(const PairPlan& plan, const std::string& case_name,
                         const std::function<void(const std::string&)>& progress) {
  PairRow row;
  row.name = case_name;
  const auto add_pairs = [&]() -> Result<void> {
    for (u32 k = 0; k < plan.pairs; ++k) {
      Shot shots[2];
      for (u32 turn = 0; turn < 2; ++turn) {
        const u32 which = (turn + k) % 2;
        progress(fmt::format("{} pair {} {}", case_name, row.before.size() + 1,
                             which == 0 ? "before" : "after"));
        Result<Shot> shot = shoot(plan, which == 0 ? plan.before : plan.after, case_name);
        if (!shot) return shot.error();
        shots[which] = *shot;
      }
      row.before.push_back(shots[0].seconds);
      row.after.push_back(shots[1].seconds);
      if (shots[0].answer == shots[1].answer) continue;
      row.verdict = PairVerdict::different;
      row.difference = fmt::format("before: {}; after: {}", shots[0].answer, shots[1].answer);
      return {};
    }
    return {};
  };
  if (const auto done = add_pairs(); !done) return done.error();
  judge(row, 0);
  if (row.verdict == PairVerdict::too_slow) {
    if (const auto done = add_pairs(); !done) return done.error();
    judge(row, plan.pairs);
  }
  return row;
}

std::string pair_table(const std::vector<PairRow>& rows) {
  std::string text = fmt::format("{:<16} {:>5} {:>11} {:>11} {:>8} {:>7}  {}\n", "case", "pairs",
                                 "before, s", "after, s", "speed-up", "band", "verdict");
  for (const PairRow& row : rows) {
    text += fmt::format("{:<16} {:>5} {:>11.4f} {:>11.4f} {:>8.3f} {:>7.3f}  {}\n", row.name,
                        row.before.size(), median(row.before), median(row.after), row.ratio,
                        row.band, name(row.verdict));
    if (!row.difference.empty()) text += "  " + row.difference + "\n";
  }
  return text;
}

}  // namespace simfarm::bench
