// simfarm try: one submission on its task's public cases, the same way as the official run.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "cli/interrupts.h"
#include "farm/report.h"
#include "farm/score.h"

namespace simfarm::cli {
namespace {

struct TryFlags {
  farm::ScoreRequest request;
  std::string path;
  std::string against;
  std::string elf;
  std::string crashes;
  std::optional<std::string> only_case;
  bool trust = false;
  bool json = false;
};

farm::Scored judge(farm::Entry entry, const farm::Workplace& workplace,
                   const std::optional<std::string>& only_case) {
  farm::Scored scored{std::move(entry), {}};
  if (scored.entry.task)
    scored.evaluation = farm::evaluate_with_repeats(*scored.entry.task, scored.entry.submission,
                                                    workplace, only_case);
  else
    scored.evaluation.failure = scored.entry.submission.error().message;
  return scored;
}

Result<farm::Entry> find(farm::ScoreRequest request, const std::string& path) {
  request.paths = {path};
  request.baseline = false;
  Result<std::vector<farm::Entry>> plan = farm::plan_score(request);
  if (!plan) return plan.error();
  if (plan->size() != 1)
    return usage_error(fmt::format("{}: {} submissions, try takes one", path, plan->size()));
  if (!plan->front().task) return plan->front().submission.error();
  return std::move(plan->front());
}

std::string result_text(const farm::Scored& scored) {
  const farm::Evaluation& evaluation = scored.evaluation;
  std::string text = farm::case_table(scored) + farm::public_only_text(scored.entry.task->task);
  if (!evaluation.accepted()) return text + farm::failure_text(scored);
  return text + fmt::format("ACCEPTED: {}, {} bytes of local data in each PE\n",
                            farm::result_line(scored), farm::grouped(evaluation.local_bytes));
}

/// Where the cycles went more or less than before, largest change first.
std::string comparison(const farm::Scored& now, const farm::Scored& before) {
  if (!now.evaluation.accepted() || !before.evaluation.accepted())
    return before.entry.id + " was not accepted: nothing to compare\n";
  const Counters a = farm::all_cases(before.evaluation);
  const Counters b = farm::all_cases(now.evaluation);
  std::vector<std::pair<i64, std::string_view>> changes = {
      {static_cast<i64>(b.instructions() - a.instructions()), "issued"}};
  for (u32 k = 0; k < stall_count; ++k)
    changes.emplace_back(static_cast<i64>(b.stalls[k] - a.stalls[k]), name(static_cast<Stall>(k)));
  std::stable_sort(changes.begin(), changes.end(), [](const auto& x, const auto& y) {
    return std::abs(x.first) > std::abs(y.first);
  });
  const std::string times =
      farm::gain(now.entry.task->task.score.kind, farm::score_of(now), farm::score_of(before));
  std::string text = fmt::format("{}x of {} ({}); cycles of all PEs:", times.empty() ? "?" : times,
                                 before.entry.id, farm::result_line(before));
  for (const auto& [change, what] : changes)
    if (change != 0) text += fmt::format(" {} {:+}", what, change);
  return text + "\n";
}

/// In the sandbox where there is one. Where there is none, one's own folder is built all the same:
/// its author has these rights anyway. An archive comes from somewhere.
Result<farm::Toolchain> tools_for(const TryFlags& flags, const std::string& shipped) {
  std::vector<std::string> paths = {flags.path};
  if (!flags.against.empty()) paths.push_back(flags.against);
  const std::vector<std::string> foreign = farm::outside(paths, shipped);
  Result<farm::Toolchain> tools = build_toolchain(not_own(foreign), flags.trust);
  if (tools && !tools->sandbox && !flags.trust && !foreign.empty())
    std::fprintf(stderr,
                 "simfarm: built with your rights: there is no build sandbox (simfarm doctor)\n");
  return tools;
}

int try_one(TryFlags& flags) {
  Result<std::string> shipped = shipped_tasks();
  if (!shipped) return report(shipped.error());
  flags.request.tasks_given = !flags.request.tasks.empty();
  if (!flags.request.tasks_given) flags.request.tasks = *shipped;
  Result<farm::Entry> entry = find(flags.request, flags.path);
  if (!entry) return report(entry.error());
  if (flags.only_case) {
    const auto& cases = entry->task->cases;
    if (std::none_of(cases.begin(), cases.end(),
                     [&](const farm::Case& each) { return each.name == *flags.only_case; }))
      return report(usage_error(fmt::format("--case {}: task {} has no such case", *flags.only_case,
                                            entry->task->task.name)));
  }
  Result<farm::Toolchain> tools = tools_for(flags, *shipped);
  if (!tools) return report(tools.error());
  const auto cancellation = catch_interrupts(true);
  farm::Simulators simulations(simulator_options(flags.crashes, cancellation));
  const farm::Workplace workplace{*tools, simulations, nullptr, nullptr, cancellation.get()};
  std::vector<farm::Scored> batch = {judge(std::move(*entry), workplace, flags.only_case)};
  const farm::Evaluation& evaluation = batch[0].evaluation;
  if (!flags.elf.empty() && !evaluation.elf.empty())
    if (const auto written = write_file(flags.elf, evaluation.elf); !written)
      return report(written.error());
  std::string text =
      flags.json ? farm::score_document(farm::make_boards(batch), {0, 0, tools->sandbox != nullptr})
                           .dump(2) +
                       "\n"
                 : result_text(batch[0]);
  if (!flags.against.empty() && !flags.json) {
    Result<farm::Entry> other = find(flags.request, flags.against);
    if (!other) return report(other.error());
    text += comparison(batch[0], judge(std::move(*other), workplace, flags.only_case));
  }
  if (const int code = print(text); code != exit_done) return code;
  if (interrupted()) return exit_interrupted;
  if (!farm::row(evaluation.verdict).authors) return exit_incomplete;
  return evaluation.accepted() ? exit_done : exit_gate_failed;
}

}  // namespace

void add_try(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "try", "Judge one submission on the public cases, as the official run does");
  auto flags = std::make_shared<TryFlags>();
  command->add_option("submission", flags->path, "Folder or tar file")->required();
  command->add_option("--case", flags->only_case, "This case alone, by name");
  command->add_option("--against", flags->against,
                      "Another submission: print the speed-up over it and where it comes from");
  command->add_option("--task", flags->request.task, "Judge by the task in this folder");
  command->add_option(
      "--tasks", flags->request.tasks,
      "Folder in which a submission's task is found by its name (the shipped tasks)");
  command->add_option("--elf", flags->elf, "Write the program that was judged to this file");
  command->add_option("--crashes", flags->crashes, crashes_help);
  command->add_flag("--trust", flags->trust, trust_help);
  command->add_flag("--json", flags->json, "Print one JSON document (docs/json.md, simfarm.score)");
  command->footer(
      "The sources are compiled in a sandbox (docs/sandbox.md). Where there is none, a folder of "
      "yours is compiled with your rights, an archive or somebody else's folder only with --trust. "
      "Exit codes: 0 accepted; 1 another verdict; 2 usage; 5 could not be judged; 78 a bad task, "
      "no "
      "toolchain or no sandbox.");
  command->callback([flags, &exit_code] { exit_code = try_one(*flags); });
}

}  // namespace simfarm::cli
