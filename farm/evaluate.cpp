#include "farm/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "farm/build.h"
#include "farm/digest.h"
#include "farm/floor.h"
#include "farm/held_out.h"
#include "farm/task_score.h"

namespace simfarm::farm {

Result<std::shared_ptr<const LoadedTask>> load_task_and_cases(const std::string& folder,
                                                              const std::string& digest) {
  Result<Task> task = load_task(folder);
  if (!task) return task.error();
  Result<std::vector<Case>> cases = load_cases(*task);
  if (!cases) return cases.error();
  return std::make_shared<const LoadedTask>(
      LoadedTask{std::move(*task), std::move(*cases), digest});
}

Cycle Evaluation::cycles() const {
  Cycle sum = 0;
  for (const CaseScore& each : cases) sum += each.charged();
  return sum;
}

namespace {

Evaluation ended(Evaluation so_far, Verdict verdict, std::string why) {
  so_far.verdict = verdict;
  so_far.failure = std::move(why);
  if (!so_far.failure.empty() && so_far.failure.back() != '\n') so_far.failure += '\n';
  return so_far;
}

/// Why a right submission is held for its held-out cases; empty: it is not.
std::string held_for(const Task& task, const std::vector<CaseScore>& open,
                     const std::vector<CaseScore>& held_out, bool below_floor) {
  if (below_floor) return "in a case that is held out, in fewer cycles than the task's floor";
  if (task.score.logits && errors_differ(*task.score.logits, open, held_out))
    return "in cases that are held out its error is more than twice that in the public ones";
  return {};
}

/// The held-out cases, after the public ones. What is told of a failure is the verdict.
Evaluation judge_held_out(Evaluation so_far, const Task& task, const std::string& task_digest,
                          const Secret& secret, const Workplace& workplace) {
  ProcessLimits limits = generator_limits;
  limits.cancellation = workplace.cancellation;
  so_far.secret = secret.id();
  std::vector<CaseScore> scores;
  HeldOutScore score;
  bool held = false;
  for (const HeldOutCase& wanted :
       held_out_cases(task, secret, task_digest, so_far.source_digest)) {
    MadeCase made = make_case(task, wanted, limits);
    if (!made.one)
      return ended(std::move(so_far), made.fault.verdict,
                   fmt::format("a held-out case could not be made: {}", made.fault.why));
    const std::vector<Case> cases = {std::move(*made.one)};
    Judgement judgement = workplace.simulations.judge(task, cases, so_far.elf);
    add_task_figures(task, cases, judgement);
    hold_below_floor(task, cases, judgement);
    if (!row(judgement.verdict).authors)
      return ended(std::move(so_far), judgement.verdict, "a held-out case could not be simulated");
    held |= judgement.verdict == Verdict::held;
    if (judgement.verdict != Verdict::accepted && judgement.verdict != Verdict::held) {
      so_far.failed_case = held_out_name;
      return ended(std::move(so_far), judgement.verdict,
                   "in a case that is held out: what it is, and where it failed, is not told");
    }
    scores.push_back(std::move(judgement.cases.front()));
    ++score.cases;
    score.cycles += scores.back().charged();
  }
  so_far.held_out = score;
  std::string why = held_for(task, so_far.cases, scores, held);
  if (so_far.verdict == Verdict::held || why.empty()) return so_far;
  so_far.failed_case = held_out_name;
  return ended(std::move(so_far), Verdict::held, std::move(why));
}

/// From the sources, or from when they were built before.
Built built_program(const Task& task, const Submission& submission, const Workplace& workplace) {
  if (workplace.builds != nullptr)
    if (auto known = workplace.builds->find(task, submission))
      return {Verdict::accepted, {}, std::move(*known)};
  ProcessLimits limits = compile_limits;
  limits.cancellation = workplace.cancellation;
  Built built = build(workplace.toolchain, task, submission, limits);
  if (built.verdict == Verdict::accepted && workplace.builds != nullptr)
    workplace.builds->keep(task, submission, built.elf);
  return built;
}

}  // namespace

Evaluation evaluate_with_repeats(const LoadedTask& task, const Result<Submission>& submission,
                                 const Workplace& workplace,
                                 const std::optional<std::string>& only_case) {
  u32 host_limits = 0, faults = 0;
  for (;;) {
    Evaluation result = evaluate(task, submission, workplace, only_case);
    const Verdict verdict = result.verdict;
    if (verdict != Verdict::host_limit && verdict != Verdict::system_error) return result;
    ++faults;
    host_limits += verdict == Verdict::host_limit ? 1 : 0;
    if (faults > repeats(Verdict::system_error) || host_limits > repeats(Verdict::host_limit))
      return result;
  }
}

Evaluation evaluate(const LoadedTask& loaded, const Result<Submission>& submission,
                    const Workplace& workplace, const std::optional<std::string>& only_case) {
  Evaluation result;
  if (!submission) {
    // What cannot be read for the host's sake is not the author's fault.
    const bool hosts = submission.error().kind == Error::Kind::io;
    return ended(std::move(result), hosts ? Verdict::system_error : Verdict::rejected,
                 submission.error().message);
  }
  result.source_digest = sha256(submission->files);
  if (const auto allowed = check_against(*submission, loaded.task); !allowed)
    return ended(std::move(result), Verdict::rejected, allowed.error().message);

  workplace.simulations.prepare();
  Built built = built_program(loaded.task, *submission, workplace);
  if (built.verdict != Verdict::accepted)
    return ended(std::move(result), built.verdict, std::move(built.log));
  result.elf_digest = sha256(built.elf);
  result.elf = std::move(built.elf);

  std::vector<Case> chosen;
  if (only_case)
    std::copy_if(loaded.cases.begin(), loaded.cases.end(), std::back_inserter(chosen),
                 [&](const Case& each) { return each.name == *only_case; });
  const std::vector<Case>& cases = only_case ? chosen : loaded.cases;
  const Task task = judged_as(loaded.task, *submission);
  Judgement judgement = workplace.simulations.judge(task, cases, result.elf);
  add_task_figures(task, cases, judgement);
  hold_below_floor(task, cases, judgement);
  result.local_bytes = judgement.local_bytes;
  result.cases = std::move(judgement.cases);
  result.failed_case = std::move(judgement.failed_case);
  result = ended(std::move(result), judgement.verdict, std::move(judgement.failure));
  const bool passed = result.verdict == Verdict::accepted || result.verdict == Verdict::held;
  if (!passed || workplace.secret == nullptr || only_case || loaded.task.held_out.empty())
    return result;
  return judge_held_out(std::move(result), task, loaded.digest, *workplace.secret, workplace);
}

}  // namespace simfarm::farm
