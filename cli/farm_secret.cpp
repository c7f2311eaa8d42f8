// simfarm farm rotate-secret|held-out: held-out cases, for a farm's operator.
#include "cli/farm_secret.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "cli/interrupts.h"
#include "cli/validators.h"
#include "farm/held_out.h"
#include "farm/store/place.h"
#include "farm/store/store.h"

namespace simfarm::cli {
namespace {

int rotate_secret(const std::string& given) {
  const Result<std::string> path = farm_path(given);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open(*path);
  if (!store) return report(store.error());
  // Whoever judges now has the old one in memory.
  const Result<farm::CoordinatorLock> lock = farm::CoordinatorLock::take(*path);
  if (!lock) return report(lock.error());
  const auto ids = store->rotate_secret();
  if (!ids) return report(ids.error());
  return print(fmt::format("{}: secret {} in place of {}\n", *path, ids->second,
                           ids->first.empty() ? "none" : ids->first));
}

/// A submission's held-out cases, with everything that makes them.
struct HeldOutPlan {
  farm::Task task;
  std::vector<farm::HeldOutCase> cases;
  std::string elf;  ///< the program's path; empty: none was built
};

Result<HeldOutPlan> plan_held_out(farm::Store& store, i64 id) {
  const Result<std::optional<farm::StoredSubmission>> one = store.submission(id);
  if (!one) return one.error();
  if (!*one) return usage_error(fmt::format("{}: no submission {}", store.folder(), id));
  if ((*one)->task.empty() || (*one)->sources.empty())
    return usage_error(fmt::format("submission {}: intake refused it: it has no cases", id));
  const Result<std::optional<farm::StoredTask>> stored = store.find_task((*one)->task);
  if (!stored) return stored.error();
  const Result<std::string> folder = store.task_folder(**stored);
  if (!folder) return folder.error();
  Result<farm::Task> task = farm::load_task(*folder);
  if (!task) return task.error();
  if (task->held_out.empty())
    return usage_error(fmt::format("task {} has no held-out cases", task->name));
  const Result<std::optional<farm::Secret>> secret = store.secret();
  if (!secret) return secret.error();
  if (!*secret) return input_error(store.secret_path() + ": not there");
  HeldOutPlan plan;
  if (!(*one)->evaluation.empty()) {
    const Result<farm::Evaluation> evaluation = store.evaluation((*one)->evaluation);
    if (!evaluation) return evaluation.error();
    if (!evaluation->secret.empty() && evaluation->secret != (*secret)->id())
      return usage_error(
          fmt::format("submission {} was judged under secret {}, the farm's is {} now: its cases "
                      "cannot be made again",
                      id, evaluation->secret, (*secret)->id()));
    if (!evaluation->elf_digest.empty()) plan.elf = store.blobs().path(evaluation->elf_digest);
  }
  plan.cases = farm::held_out_cases(*task, **secret, (*stored)->digest, (*one)->sources);
  plan.task = std::move(*task);
  return plan;
}

int held_out(const std::string& given, i64 id, const std::string& folder) {
  const Result<std::string> path = farm_path(given);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open_to_read(*path);
  if (!store) return report(store.error());
  const Result<HeldOutPlan> plan = plan_held_out(*store, id);
  if (!plan) return report(plan.error());
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return report(io_error(fmt::format("{}: {}", folder, error.message())));
  const auto cancellation = catch_interrupts(true);
  farm::ProcessLimits limits = farm::generator_limits;
  limits.cancellation = cancellation.get();
  std::string text;
  for (const farm::HeldOutCase& each : plan->cases) {
    const std::string file = fmt::format("{}/{}.h5", folder, each.variant);
    const farm::MadeCase made = farm::make_case_file(plan->task, each, file, limits);
    if (made.fault.verdict == farm::Verdict::cancelled && !made.one) return exit_interrupted;
    if (!made.one)
      return report(input_error(fmt::format("variant {}, seed {}: {}\n{}", each.variant, each.seed,
                                            made.fault.why, made.fault.details)));
    text += fmt::format("{}: variant {}, seed {}\n", file, each.variant, each.seed);
    if (!plan->elf.empty())
      text += fmt::format("  simfarm run {} --task {} --in {} --out {}/{}.out.h5\n", plan->elf,
                          plan->task.folder, file, folder, each.variant);
  }
  return print(text);
}

struct SecretFlags {
  std::string path;
  std::string output;
  i64 id = 0;
};

}  // namespace

void add_farm_secret(CLI::App& command, int& exit_code) {
  auto flags = std::make_shared<SecretFlags>();
  CLI::App* rotate = command.add_subcommand(
      "rotate-secret", "Make a new secret, from which the seeds of held-out cases come");
  rotate->add_option("--farm", flags->path, farm_help);
  rotate->footer(
      "What is judged from then on has other held-out cases; what is on the board stays. The old "
      "secret is gone, its id stays. Exit codes: 0 done; 74 input/output error; 75 it is being "
      "judged.");
  rotate->callback([flags, &exit_code] { exit_code = rotate_secret(flags->path); });

  CLI::App* cases = command.add_subcommand(
      "held-out",
      "Write the held-out cases of a submission once more, for the operator to look at");
  cases->add_option("id", flags->id, "Its number, as submit printed it")
      ->required()
      ->check(above_zero());
  cases->add_option("--out", flags->output, "Folder to write them to")->required();
  cases->add_option("--farm", flags->path, farm_help);
  cases->footer(
      "Not for authors: what they print is what a farm holds out. Exit codes: 0 done; 2 no such "
      "submission, or it has none; 74 input/output error; 78 no secret, or the generator fails; "
      "130 "
      "interrupted.");
  cases->callback(
      [flags, &exit_code] { exit_code = held_out(flags->path, flags->id, flags->output); });
}

}  // namespace simfarm::cli
