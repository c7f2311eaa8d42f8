#include "farm/evaluate.h"

#include <algorithm>

#include "farm/build.h"
#include "farm/digest.h"

namespace simfarm::farm {

Result<std::shared_ptr<const LoadedTask>> load_task_and_cases(const std::string& folder) {
  Result<Task> task = load_task(folder);
  if (!task) return task.error();
  Result<std::vector<Case>> cases = load_cases(*task);
  if (!cases) return cases.error();
  return std::make_shared<const LoadedTask>(LoadedTask{std::move(*task), std::move(*cases)});
}

Cycle Evaluation::score() const {
  Cycle sum = 0;
  for (const CaseScore& each : cases) sum += each.score();
  return sum;
}

namespace {

Evaluation ended(Evaluation so_far, Verdict verdict, std::string why) {
  so_far.verdict = verdict;
  so_far.failure = std::move(why);
  if (!so_far.failure.empty() && so_far.failure.back() != '\n') so_far.failure += '\n';
  return so_far;
}

}  // namespace

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

  Built built = build(workplace.toolchain, loaded.task, *submission);
  if (built.verdict == Verdict::host_limit)
    built = build(workplace.toolchain, loaded.task, *submission);
  if (built.verdict != Verdict::accepted)
    return ended(std::move(result), built.verdict, std::move(built.log));
  result.elf_digest = sha256(built.elf);
  result.elf = std::move(built.elf);

  std::vector<Case> chosen;
  if (only_case)
    std::copy_if(loaded.cases.begin(), loaded.cases.end(), std::back_inserter(chosen),
                 [&](const Case& each) { return each.name == *only_case; });
  Judgement judgement =
      workplace.simulations.judge(loaded.task, only_case ? chosen : loaded.cases, result.elf);
  result.local_bytes = judgement.local_bytes;
  result.cases = std::move(judgement.cases);
  result.failed_case = std::move(judgement.failed_case);
  return ended(std::move(result), judgement.verdict, std::move(judgement.failure));
}

}  // namespace simfarm::farm
