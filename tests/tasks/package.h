// The shipped task packages: their submissions built and run as the farm does, without the farm.
#pragma once
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "farm/case.h"
#include "farm/compare.h"
#include "farm/submission.h"
#include "farm/task.h"
#include "farm/task_score.h"
#include "tests/support/compiled.h"
#include "tests/support/equal_engines.h"

namespace simfarm::test {

inline const std::vector<std::string> task_names = {
    "bev-broadcast", "depthwise-conv", "gemm",    "gemv",         "histogram",
    "logits",        "reduce-rows",    "rnnoise", "systolic-gemm"};
inline const std::string tasks_folder = SIMFARM_SOURCE_DIR "/tasks/";

/// The submissions below `folder`, by path from the task's folder, in order.
inline std::vector<std::string> list(const std::string& task, const std::string& folder) {
  std::vector<std::string> names;
  const std::filesystem::path path = tasks_folder + task + "/" + folder;
  if (!std::filesystem::is_directory(path)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    names.push_back(folder + "/" + entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// A submission's program; nothing when it does not compile.
inline std::optional<Image> compile(const std::string& task, const std::string& name) {
  const std::string folder = tasks_folder + task + "/" + name;
  const auto submission = farm::load_submission(folder);
  if (!submission) {
    ADD_FAILURE() << submission.error().message;
    return std::nullopt;
  }
  Folder out;
  std::string arguments = "--root '" + folder + "' -g -" +
                          std::string(farm::name(submission->optimise)) + " -I '" + tasks_folder +
                          task + "/include' -o '" + out.path() + "/out.elf'";
  for (const std::string& source : submission->sources) arguments += " '" + source + "'";
  std::string output;
  if (simfarm_cc(out, arguments, output) != 0) return std::nullopt;
  auto image = load_elf(out.path() + "/out.elf");
  if (!image) {
    ADD_FAILURE() << image.error().message;
    return std::nullopt;
  }
  return *image;
}

struct Judged {
  farm::Verdict verdict{};
  Cycle cycles = 0;
  std::string detail;
};

/// The task as this submission is judged by it.
inline farm::Task task_for(const farm::Task& task, const std::string& name) {
  const auto submission = farm::load_submission(tasks_folder + task.name + "/" + name);
  EXPECT_TRUE(submission && farm::check_against(*submission, task)) << name;
  return submission ? farm::judged_as(task, *submission) : task;
}

/// One case: run with race checks and poisoned memory, outputs compared byte for byte.
inline Judged judge(const farm::Task& task, const farm::Case& one, const Image& image, u64 poison) {
  RunInput input;
  input.machine = task.machine;
  input.program.images.push_back(std::make_shared<const Image>(image));
  input.memory = farm::initial_memory(one.layout, one.before, poison);
  input.arguments = one.arguments;
  input.poison = poison;
  const profile::Ran ran = run_on_all(input,
                                      {.cycle_limit = task.limits.cycles,
                                       .check_races = true,
                                       .console_limit = task.limits.console_bytes},
                                      Suspicion::traps_only);
  if (ran.refused) return {farm::Verdict::rejected, 0, ran.refused->message};
  const Outcome& outcome = ran.outcome;
  Judged judged{farm::Verdict::accepted, outcome.cycles, ""};
  switch (outcome.kind) {
    case Outcome::Kind::trap:
      judged.detail = std::string(name(outcome.trap->kind)) + ": " + outcome.trap->detail;
      judged.verdict = outcome.trap->kind == TrapKind::output_limit ? farm::Verdict::output_limit
                                                                    : farm::Verdict::runtime_trap;
      return judged;
    case Outcome::Kind::deadlock:
      judged.verdict = farm::Verdict::deadlock;
      return judged;
    case Outcome::Kind::cycle_limit:
      judged.verdict = farm::Verdict::cycle_limit;
      return judged;
    case Outcome::Kind::finished:
      break;
  }
  const farm::Memory memory = farm::read_arenas(one.layout, *ran.simulation);
  if (const auto wrong = farm::find_difference(one, memory, poison)) {
    judged.verdict = farm::Verdict::wrong_output;
    judged.detail = *wrong;
  }
  return judged;
}

/// A task with its cases; the test fails when they cannot be read.
struct Package {
  farm::Task task;
  std::vector<farm::Case> cases;
};

inline Package open(const std::string& task) {
  Package package;
  auto loaded = farm::load_task(tasks_folder + task);
  if (!loaded) {
    ADD_FAILURE() << loaded.error().message;
    return package;
  }
  package.task = std::move(*loaded);
  auto cases = farm::load_cases(package.task);
  if (!cases)
    ADD_FAILURE() << cases.error().message;
  else
    package.cases = std::move(*cases);
  return package;
}

}  // namespace simfarm::test
