// Two simfarm programs, run in turn on the same cases: same answers, and how much faster?
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace simfarm::bench {

struct PairPlan {
  std::string before;  ///< paths of two simfarm programs
  std::string after;
  std::vector<std::string> cases;
  std::string kernels;                 ///< folder of compiled kernels, the same for both
  std::vector<std::string> arguments;  ///< of `simfarm bench`, beside the case
  std::string search_path;             ///< PATH of both
  u32 pairs = 5;
};

/// Differences below this are nothing, whatever the noise says ...
inline constexpr double smallest_change = 0.02;
/// ... and a slower `after` above this fails.
inline constexpr double slower_limit = 0.05;

enum class PairVerdict : u8 { same, faster, slower, too_slow, different };
std::string_view name(PairVerdict verdict);

struct PairRow {
  std::string name;            ///< of the case
  std::vector<double> before;  ///< CPU seconds, in order of pairs
  std::vector<double> after;
  double ratio = 1;  ///< median over the pairs of before / after: above 1, `after` is faster
  double band = 0;   ///< noise: about two standard errors of the median
  PairVerdict verdict = PairVerdict::same;
  std::string difference;  ///< of cycles or digest, for `different`
};

/// Sets ratio, band and verdict from the times: of all pairs, where only the last `last` must
/// confirm that `after` is too slow (0: all).
void judge(PairRow& row, size_t last);

/// Runs a case in alternating order (before, after, after, before, ...). One that looks too slow is
/// run again as often before it is called so. `progress` is told before each run.
Result<PairRow> run_pair(const PairPlan& plan, const std::string& case_name,
                         const std::function<void(const std::string&)>& progress);

std::string pair_table(const std::vector<PairRow>& rows);

}  // namespace simfarm::bench
