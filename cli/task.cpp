// simfarm task new|check|pack: writing task packages.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/parallel.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "cli/interrupts.h"
#include "cli/progress.h"
#include "farm/held_out.h"
#include "farm/package.h"
#include "farm/report.h"
#include "farm/score.h"

namespace simfarm::cli {
namespace {

int create(const std::string& name, const std::string& into, const std::string& score) {
  Result<std::string> home = home_folder();
  if (!home) return report(home.error());
  const auto& kinds = farm::score_kind_names();
  const auto kind =
      static_cast<farm::ScoreKind>(std::find(kinds.begin(), kinds.end(), score) - kinds.begin());
  Result<std::vector<farm::PackageFile>> files =
      farm::new_task(*home + "/sdk/task-template", name, kind);
  if (!files) return report(files.error());
  const std::string folder = into.empty() ? name : into;
  std::error_code error;
  if (std::filesystem::exists(folder, error))
    return report(usage_error(folder + ": is there already; nothing was written"));
  if (const auto written = farm::write_folder(folder, *files); !written)
    return report(written.error());
  return print(
      fmt::format("{0}: {1} files. Next: edit {0}/task.toml and {0}/reference.py, make cases "
                  "with {0}/generate.py, then\n  simfarm task check {0}\n",
                  folder, files->size()));
}

/// Each held-out variant made once, with a seed as large as a farm's; the starting kernel judged on
/// it. Lines of what is wrong.
std::vector<std::string> held_out_problems(const farm::LoadedTask& task,
                                           const std::vector<farm::Scored>& batch,
                                           const farm::Workplace& workplace) {
  constexpr u64 seed = 0x9e37'79b9'7f4a'7c15;
  std::vector<std::string> problems;
  farm::LoadedTask held_out{task.task, {}};
  farm::ProcessLimits limits = farm::generator_limits;
  limits.cancellation = workplace.cancellation;
  for (const std::string& variant : task.task.held_out) {
    farm::MadeCase made = farm::make_case(task.task, {variant, seed}, limits);
    if (!made.one) {
      problems.push_back(fmt::format("cases.held_out: {}, seed {}: {}\n{}", variant, seed,
                                     made.fault.why, made.fault.details));
      continue;
    }
    made.one->name = variant;
    held_out.cases.push_back(std::move(*made.one));
  }
  for (const farm::Scored& each : batch) {
    if (each.entry.id != "kernel" || !each.evaluation.accepted() || held_out.cases.empty())
      continue;
    const farm::Evaluation kernel = farm::evaluate(held_out, each.entry.submission, workplace);
    if (!kernel.accepted())
      problems.push_back(fmt::format("cases.held_out: the starting kernel is {} in {}, seed {}: {}",
                                     name(kernel.verdict), kernel.failed_case, seed,
                                     kernel.failure));
  }
  return problems;
}

int check(const std::string& folder, u32 jobs) {
  Result<std::vector<farm::Entry>> plan = farm::plan_score({.paths = {folder}, .tasks = folder});
  if (!plan) return report(plan.error());
  Result<std::shared_ptr<const farm::LoadedTask>> task = farm::load_task_and_cases(folder);
  if (!task) return report(task.error());
  Result<farm::Toolchain> tools = build_toolchain({}, false);
  if (!tools) return report(tools.error());
  const auto count = static_cast<i64>(plan->size());
  Progress progress(jobs == 0 ? host_threads() : jobs);
  progress.tell([&](farm::Pace& pace, i64) { pace.wait((*task)->task.name, count); });
  const auto cancellation = catch_interrupts(true);
  farm::Simulators simulations(simulator_options("", cancellation));
  const std::vector<farm::Scored> batch = farm::run_score(
      std::move(*plan), {*tools, simulations, nullptr, nullptr, cancellation.get()}, jobs,
      {interrupted,
       [&](const farm::Entry& entry) {
         progress.tell(
             [&](farm::Pace& pace, i64 now) { pace.begin(entry.id, farm::task_name(entry), now); });
       },
       [&](const farm::Entry& entry, const farm::Evaluation& evaluation) {
         progress.tell([&](farm::Pace& pace, i64 now) {
           pace.end(entry.id, now,
                    evaluation.verdict == entry.expected.value_or(farm::Verdict::accepted));
         });
       }});
  progress.end();

  std::vector<std::string> gaps = farm::package_gaps((*task)->task);
  for (std::string& problem : held_out_problems(
           **task, batch, {*tools, simulations, nullptr, nullptr, cancellation.get()}))
    gaps.push_back(std::move(problem));
  std::string text;
  for (const farm::Board& board : farm::make_boards(batch)) text += farm::board_text(board);
  for (const std::string& gap : gaps) text += "problem: " + gap + "\n";
  int code = gaps.empty() ? exit_done : exit_gate_failed;
  for (const farm::Scored& each : batch) {
    if (!farm::row(each.evaluation.verdict).authors) code = exit_incomplete;
    if (each.evaluation.verdict == each.entry.expected.value_or(farm::Verdict::accepted)) continue;
    text += "problem: " + farm::surprise_text(each) + "\n" + farm::failure_text(each);
    if (code == exit_done) code = exit_gate_failed;
  }
  const farm::Task& good = (*task)->task;
  const std::string held_out =
      good.held_out.empty() ? "" : fmt::format(" and {} held out", good.held_out.size());
  text += fmt::format("{} version {}: {} tensors, {} parameters, {} cases{}, {} submissions: {}\n",
                      good.name, good.version, good.tensors.size(), good.params.size(),
                      good.cases.size(), held_out, batch.size(),
                      code == exit_done ? "good" : "not good yet");
  const int printed = print(text);
  if (interrupted()) return exit_interrupted;
  return printed == exit_done ? code : printed;
}

int pack(const std::string& folder, const std::string& output) {
  Result<std::vector<u8>> bytes = farm::pack_task(folder);
  if (!bytes) return report(bytes.error());
  if (const auto written = write_file(output, *bytes); !written) return report(written.error());
  return print(fmt::format("{}: {} bytes\n", output, bytes->size()));
}

struct TaskFlags {
  std::string name;
  std::string output;
  std::string score = "cycles";
  u32 jobs = 0;
};

}  // namespace

void add_task(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("task", "Write task packages: new, check, pack");
  command->require_subcommand(1);
  auto flags = std::make_shared<TaskFlags>();

  CLI::App* fresh = command->add_subcommand(
      "new", "Begin a task: a complete small one, to be changed into yours (docs/tasks.md)");
  fresh->add_option("name", flags->name, "The task's name: a-z, 0-9, '-'")->required();
  fresh->add_option("-o,--output", flags->output, "Folder to make (the name)");
  const auto& kinds = farm::score_kind_names();
  fresh
      ->add_option("--score", flags->score,
                   "What it ranks by (cycles); logit-error is begun with a copy of the task logits")
      ->check(CLI::IsMember(std::vector<std::string>(kinds.begin(), kinds.end())));
  fresh->callback(
      [flags, &exit_code] { exit_code = create(flags->name, flags->output, flags->score); });

  CLI::App* look = command->add_subcommand(
      "check", "Read a task as the farm does; judge its kernel, submissions and wrong ones");
  look->add_option("folder", flags->name, "The task's folder")->required();
  look->add_option("-j,--jobs", flags->jobs, "Threads (the host's)")->check(CLI::Range(1, 1024));
  look->footer(
      "Sources are compiled in a sandbox, or, where there is none, with your rights. Exit codes: 0 "
      "good; 1 a gap, or a verdict that is "
      "not "
      "the one it must be; 5 something could not be judged; 78 a bad task.toml or case.");
  look->callback([flags, &exit_code] { exit_code = check(flags->name, flags->jobs); });

  CLI::App* packed =
      command->add_subcommand("pack", "Pack a task into one tar file; equal tasks, equal bytes");
  packed->add_option("folder", flags->name, "The task's folder")->required();
  packed->add_option("-o,--output", flags->output, "The tar file")->required();
  packed->callback([flags, &exit_code] { exit_code = pack(flags->name, flags->output); });
}

}  // namespace simfarm::cli
