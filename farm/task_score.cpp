#include "farm/task_score.h"

#include <algorithm>

#include "farm/energy.h"
#include "farm/floor.h"
#include "farm/submission.h"

namespace simfarm::farm {
namespace {

__extension__ typedef unsigned __int128 Exact;

constexpr u64 weighted_unit = 1'000'000;     // 1, with the decimals of its kind
constexpr u64 utilisation_unit = 1'000'000;  // all of the peak: 100.0000 %
constexpr u64 error_unit = 1'000'000'000;    // 1, likewise
constexpr u64 largest_score = u64{1} << 62;  // what is larger is not told apart

u64 rounded_up(Exact number, Exact divisor) {
  return static_cast<u64>(std::min<Exact>((number + divisor - 1) / divisor, largest_score));
}

Cycle all_cycles(const std::vector<CaseScore>& cases) {
  Cycle sum = 0;
  for (const CaseScore& each : cases) sum += each.charged();
  return sum;
}

u64 weighted_score(const TaskScore& score, const std::vector<CaseScore>& cases) {
  Exact sum = 0, weights = 0;
  for (const CaseScore& each : cases) {
    const auto found = score.cases.find(each.name);
    // A case that the task gives no reference is worth its cycles.
    const CaseWeight counts =
        found == score.cases.end() ? CaseWeight{1, weighted_unit} : found->second;
    sum +=
        Exact{counts.weight} * rounded_up(Exact{each.charged()} * weighted_unit, counts.reference);
    weights += counts.weight;
  }
  return weights == 0 ? 0 : rounded_up(sum, weights);
}

u64 utilisation(const Task& task, const std::vector<CaseScore>& cases) {
  Exact macs = 0;
  for (const CaseScore& each : cases) macs += each.macs;
  const Exact peak = Exact{all_cycles(cases)} * task.machine.pes() * task.floor.macs_per_cycle;
  if (peak == 0) return 0;
  return static_cast<u64>(std::min<Exact>(macs * utilisation_unit / peak, largest_score));
}

struct ErrorSum {
  Exact error = 0;
  Exact outputs = 0;
};

ErrorSum error_sum(const std::vector<CaseScore>& cases) {
  ErrorSum sum;
  for (const CaseScore& each : cases) {
    sum.error += each.error;
    sum.outputs += each.outputs;
  }
  return sum;
}

u64 mean_error(const LogitRule& rule, const std::vector<CaseScore>& cases) {
  const ErrorSum sum = error_sum(cases);
  if (sum.outputs == 0) return 0;
  return rounded_up(sum.error * error_unit, sum.outputs << rule.fraction_bits);
}

}  // namespace

Task judged_as(const Task& task, const Submission& submission) {
  Task judged = task;
  if (task.score.kind == ScoreKind::local_memory && submission.local_memory_bytes)
    judged.machine.map.local.bytes = *submission.local_memory_bytes;
  return judged;
}

Task judged_as(const Task& task, const std::vector<CaseScore>& cases) {
  Task judged = task;
  if (task.score.kind == ScoreKind::local_memory && !cases.empty())
    judged.machine.map.local.bytes = cases.front().memory_bytes;
  return judged;
}

void add_task_figures(const Task& task, const std::vector<Case>& cases, Judgement& judgement) {
  for (size_t k = 0; k < judgement.cases.size(); ++k) {
    judgement.cases[k].macs = required_macs(task, cases[k]);
    if (task.score.kind == ScoreKind::local_memory)
      judgement.cases[k].memory_bytes = task.machine.map.local.bytes;
  }
}

u64 score_of(const Task& task, const std::vector<CaseScore>& cases) {
  switch (task.score.kind) {
    case ScoreKind::cycles:
    case ScoreKind::count:
      break;
    case ScoreKind::weighted:
      return weighted_score(task.score, cases);
    case ScoreKind::mac_utilisation:
      return utilisation(task, cases);
    case ScoreKind::local_memory: {
      u64 most = 0;
      for (const CaseScore& each : cases) most = std::max(most, each.memory_bytes);
      return most;
    }
    case ScoreKind::energy: {
      Femtojoules sum = 0;
      for (const CaseScore& each : cases)
        sum += energy_of(energy_tables()[task.score.energy_table - 1], each, task.machine.pes())
                   .total();
      return picojoules(sum);
    }
    case ScoreKind::logit_error:
      return mean_error(*task.score.logits, cases);
  }
  return all_cycles(cases);
}

bool errors_differ(const LogitRule& rule, const std::vector<CaseScore>& open,
                   const std::vector<CaseScore>& held_out) {
  const ErrorSum a = error_sum(open), b = error_sum(held_out);
  if (a.outputs == 0 || b.outputs == 0) return false;
  // Of means: b > 2 a + step, without a division.
  return b.error * a.outputs > (2 * a.error + Exact(rule.scale) * a.outputs) * b.outputs;
}

}  // namespace simfarm::farm
