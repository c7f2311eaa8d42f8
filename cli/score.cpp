// simfarm score: a batch of submissions, judged and ranked.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "base/file.h"
#include "base/parallel.h"
#include "cli/commands.h"
#include "cli/events.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "cli/interrupts.h"
#include "cli/progress.h"
#include "cli/score_farm.h"
#include "farm/junit.h"
#include "farm/report.h"
#include "farm/score.h"
#include "farm/task_score.h"

namespace simfarm::cli {
namespace {

struct ScoreFlags {
  farm::ScoreRequest request;
  std::vector<std::string> fail_on;
  std::string farm;
  std::string events;  ///< file for --events
  std::string junit;   ///< file for --junit
  u32 jobs = 0;
  std::string crashes;
  bool examples = false;
  bool trust = false;
  bool json = false;
  bool quiet = false;
};

/// The verdicts of --fail-on: by name, or "any" for everything but ACCEPTED.
Result<std::set<farm::Verdict>> parse_fail_on(const std::vector<std::string>& words) {
  std::set<farm::Verdict> verdicts;
  for (const std::string& word : words) {
    const auto verdict = farm::parse_verdict(word);
    if (verdict) verdicts.insert(*verdict);
    if (!verdict && word != "any")
      return usage_error("--fail-on " + word + ": no such verdict (docs/tasks.md lists them)");
    for (u32 k = 1; word == "any" && k < static_cast<u32>(farm::Verdict::count); ++k)
      verdicts.insert(static_cast<farm::Verdict>(k));
  }
  return verdicts;
}

/// What the batch means for whoever called: the farm's own faults first, then surprises.
int batch_exit_code(const std::vector<farm::Scored>& batch,
                    const std::set<farm::Verdict>& fail_on) {
  int code = exit_done;
  for (const farm::Scored& each : batch) {
    if (!farm::row(each.evaluation.verdict).authors) {
      std::fprintf(stderr, "simfarm: not judged: %s", farm::failure_text(each).c_str());
      code = exit_incomplete;
      continue;
    }
    const bool surprise =
        !each.as_expected() || (!each.entry.expected && fail_on.contains(each.evaluation.verdict));
    if (!surprise) continue;
    std::fprintf(stderr, "simfarm: %s\n", farm::surprise_text(each).c_str());
    if (code == exit_done) code = exit_gate_failed;
  }
  return code;
}

std::string text_report(const std::vector<farm::Board>& boards, bool quiet) {
  std::string text;
  for (const farm::Board& board : boards) {
    text += (text.empty() ? "" : "\n") + farm::board_text(board);
    if (board.task != nullptr) text += farm::public_only_text(*board.task);
    for (const farm::Row& row : board.rows)
      if (!quiet && !(row.scored->entry.expected && row.scored->as_expected()))
        text += farm::failure_text(*row.scored);
  }
  return text;
}

/// A farm's queue, when no submission is named; none: a batch is meant.
std::optional<int> score_queue(const ScoreFlags& flags) {
  const bool batch = flags.examples || !flags.request.paths.empty();
  if (batch && !flags.farm.empty())
    return report(usage_error("--farm scores what was submitted to it; name no submissions"));
  if (batch) return std::nullopt;
  const Result<std::string> path = farm_path(flags.farm);
  if (!path) return std::nullopt;
  const farm::ScoreRequest& request = flags.request;
  if (!flags.fail_on.empty() || !request.task.empty() || !request.tasks.empty() ||
      !request.baseline || !flags.junit.empty())
    return report(
        usage_error("--fail-on, --junit, --task, --tasks and --no-baseline are for submissions "
                    "that are named, not for the farm's queue in " +
                    *path));
  return score_farm(
      {*path, flags.crashes, flags.events, flags.jobs, flags.json, flags.trust, interrupted});
}

/// An event of a batch: what a farm's log would say.
nlohmann::ordered_json batch_event(const char* what, const farm::Entry& entry) {
  return {{"event", what}, {"task", farm::task_name(entry)}, {"submission", entry.id}};
}

void tell_settled(EventLog& events, const farm::Entry& entry, const farm::Evaluation& evaluation) {
  nlohmann::ordered_json event = batch_event("settled", entry);
  event["state"] = nullptr;
  event["verdict"] = name(evaluation.verdict);
  event["cycles"] = nullptr;
  event["score"] = nullptr;
  if (evaluation.accepted()) {
    const farm::Task& task = entry.task->task;
    event["cycles"] = evaluation.cycles();
    event["score"] = farm::score_digits(task.score.kind, farm::score_of(task, evaluation.cases));
  }
  event["answered"] = false;
  events.write(event);
}

Result<void> write_junit(const std::string& path, const std::vector<farm::Board>& boards) {
  if (path.empty()) return {};
  const std::string text = farm::junit_xml(boards);
  return write_text(path, text);
}

int score(ScoreFlags& flags) {
  if (flags.events == "-" && flags.json)
    return report(usage_error("--events - and --json would both be on standard output"));
  if (const auto code = score_queue(flags)) return *code;
  Result<std::set<farm::Verdict>> fail_on = parse_fail_on(flags.fail_on);
  if (!fail_on) return report(fail_on.error());
  Result<std::string> shipped = shipped_tasks();
  if (!shipped) return report(shipped.error());
  if (flags.examples) {
    flags.request.paths.push_back(*shipped);
    // An example that says nothing else must be accepted.
    for (u32 k = 1; k < static_cast<u32>(farm::Verdict::count); ++k)
      fail_on->insert(static_cast<farm::Verdict>(k));
  }
  flags.request.tasks_given = !flags.request.tasks.empty();
  if (!flags.request.tasks_given) flags.request.tasks = *shipped;
  Result<std::vector<farm::Entry>> plan = farm::plan_score(flags.request);
  if (!plan) return report(plan.error());
  if (plan->empty()) {
    std::fprintf(stderr,
                 "simfarm: nothing to score; name submissions, say --examples, or --farm PATH\n");
    return exit_nothing;
  }
  Result<farm::Toolchain> tools = build_toolchain(farm::outside(*plan, *shipped), flags.trust);
  if (!tools) return report(tools.error());

  Result<EventLog> events = EventLog::open(flags.events);
  if (!events) return report(events.error());
  events->write({{"event", "begin"},
                 {"schema", "simfarm.event"},
                 {"version", 1},
                 {"farm", nullptr},
                 {"submissions", plan->size()}});
  const auto cancellation = catch_interrupts();
  const u32 threads = flags.jobs == 0 ? host_threads() : flags.jobs;
  const auto start = std::chrono::steady_clock::now();
  Progress progress(threads);
  progress.tell([&](farm::Pace& pace, i64) {
    for (const farm::Entry& each : *plan) pace.wait(farm::task_name(each), 1);
  });
  const auto label = [](const farm::Entry& entry) {
    return fmt::format("{} {}", farm::task_name(entry), entry.id);
  };
  farm::Simulators simulations(simulator_options(flags.crashes, cancellation), threads);
  const std::vector<farm::Scored> batch = farm::run_score(
      std::move(*plan), {*tools, simulations, nullptr, nullptr, cancellation.get()}, threads,
      {interrupted,
       [&](const farm::Entry& entry) {
         progress.tell([&](farm::Pace& pace, i64 now) {
           pace.begin(label(entry), farm::task_name(entry), now);
         });
         events->write(batch_event("running", entry));
       },
       [&](const farm::Entry& entry, const farm::Evaluation& evaluation) {
         progress.tell([&](farm::Pace& pace, i64 now) {
           pace.end(label(entry), now,
                    evaluation.accepted() || entry.expected == evaluation.verdict);
         });
         tell_settled(*events, entry, evaluation);
       }});
  progress.end();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const std::vector<farm::Board> boards = farm::make_boards(batch);
  const std::string text =
      flags.json
          ? farm::score_document(boards, {elapsed.count(), threads, tools->sandbox != nullptr})
                    .dump(2) +
                "\n"
          : text_report(boards, flags.quiet);
  events->write({{"event", "end"}, {"interrupted", interrupted()}});
  if (events->on_standard_output())
    std::fputs(text.c_str(), stderr);
  else if (const int code = print(text); code != exit_done)
    return code;
  if (const auto told = events->end(); !told) return report(told.error());
  if (const auto written = write_junit(flags.junit, boards); !written)
    return report(written.error());
  if (interrupted()) {
    std::fprintf(stderr, "simfarm: interrupted; what is CANCELLED was not judged\n");
    return exit_interrupted;
  }
  return batch_exit_code(batch, *fail_on);
}

}  // namespace

void add_score(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "score", "Judge and rank a batch of submissions; print a board for each task");
  auto flags = std::make_shared<ScoreFlags>();
  command->add_option("paths", flags->request.paths,
                      "Submissions (folders or tar files), tasks, or folders of tasks");
  command->add_option("--farm", flags->farm,
                      "Instead of paths: judge all that is queued in this farm ($SIMFARM_FARM)");
  command->add_flag("--examples", flags->examples,
                    "Score the shipped tasks; a verdict that an example must not get fails");
  command->add_option("--task", flags->request.task, "Judge all by the task in this folder");
  command->add_option(
      "--tasks", flags->request.tasks,
      "Folder in which a submission's task is found by its name (the shipped tasks)");
  command
      ->add_option("--fail-on", flags->fail_on,
                   "End with 1 when a submission gets one of these verdicts; any: all but ACCEPTED")
      ->delimiter(',');
  command->add_flag("!--no-baseline", flags->request.baseline,
                    "Do not add a task's starting kernel to the batch");
  command->add_flag("--trust", flags->trust, trust_help);
  command->add_option("-j,--jobs", flags->jobs, "Threads (the host's)")->check(CLI::Range(1, 1024));
  command->add_option("--crashes", flags->crashes, crashes_help);
  command->add_flag("--json", flags->json, "Print one JSON document (docs/json.md)");
  command->add_option("--events", flags->events,
                      "Write what happens to this file while it happens, one JSON object a line "
                      "(docs/json.md, simfarm.event); -: to standard output, and the report to "
                      "standard error");
  command->add_option("--junit", flags->junit,
                      "Write the results to this file as JUnit XML: a test suite for each task");
  command->add_flag("-q,--quiet", flags->quiet, "Boards only, no reports of failures");
  command->footer(
      "Sources are compiled in a sandbox (docs/sandbox.md). Where there is none, submissions from "
      "outside the shipped tasks are refused (78) without --trust; `simfarm doctor` says what is "
      "missing. Exit codes: 0 done, whatever the verdicts; 1 an announced verdict (expect.toml) "
      "was not the "
      "one, "
      "or --fail-on; 2 usage; 4 nothing to score; 5 a submission could not be judged; 78 a bad "
      "task, no toolchain or no sandbox; 130 interrupted. With --farm (docs/farm.md): 0 done, also "
      "when nothing is queued; 5; 74 input/output error; 75 another coordinator; 78; 130.");
  command->callback([flags, &exit_code] { exit_code = score(*flags); });
}

}  // namespace simfarm::cli
