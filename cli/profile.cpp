// simfarm profile: where the cycles of a run go, and what moved between two runs.
#include <fmt/format.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/run_options.h"
#include "profile/hot_spots.h"
#include "profile/report.h"

namespace simfarm::cli {
namespace {

struct ProfileFlags : RunFlags {
  std::string json, folded;  ///< files; empty: none
  u32 top = 10;
};

struct DiffFlags {
  std::string before, after;
  bool json = false;
  u32 top = 10;
};

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// The command that makes the same run.
std::string rerun(const ProfileFlags& flags) {
  std::string text = "simfarm profile " + quoted(flags.program);
  if (flags.task.empty())
    text += " --machine " + quoted(flags.machine);
  else
    text += " --task " + quoted(flags.task);
  if (!flags.inputs.empty()) text += " --in " + quoted(flags.inputs);
  if (flags.check_races) text += " --check-races";
  if (flags.poison) text += fmt::format(" --poison {}", *flags.poison);
  if (flags.cycle_limit != RunFlags{}.cycle_limit)
    text += fmt::format(" --cycle-limit {}", flags.cycle_limit);
  return text;
}

int profile_run(const ProfileFlags& flags) {
  Result<RunInput> input = load_run(flags);
  if (!input) return report(input.error());
  if (const auto tensors = load_tensors(flags, *input); !tensors) return report(tensors.error());
  RunOptions options = run_options(flags, nullptr);
  options.profile = true;
  auto simulation = make_simulation(*find_engine(flags.engine), *input, options);
  if (!simulation) return report(simulation.error());
  const Outcome outcome = (*simulation)->run();
  const auto spots = profile::hot_spots(input->machine, input->program, outcome);
  if (!flags.json.empty()) {
    const auto document =
        profile::profile_document(input->machine, outcome, spots, rerun(flags)).dump(2) + "\n";
    if (const auto written = write_text(flags.json, document); !written)
      return report(written.error());
  }
  if (!flags.folded.empty())
    if (const auto written = write_text(flags.folded, profile::folded_stacks(spots)); !written)
      return report(written.error());
  return print(profile::summary(input->machine, input->program, outcome) +
               fmt::format("\nall PEs: {}\n", profile::stall_line(profile::total(outcome))) +
               profile::profile_tables(spots, flags.top));
}

Result<profile::Json> load_profile(const std::string& path) {
  const Result<std::vector<u8>> bytes = read_file(path, 1u << 30);
  if (!bytes) return bytes.error();
  profile::Json document = profile::Json::parse(*bytes, nullptr, false);
  if (document.is_discarded()) return input_error(path + ": not JSON");
  return document;
}

int diff(const DiffFlags& flags) {
  const auto before = load_profile(flags.before), after = load_profile(flags.after);
  if (!before) return report(before.error());
  if (!after) return report(after.error());
  const auto moved = profile::profile_differences(*before, *after,
                                                  fmt::format("{}, {}", flags.before, flags.after));
  if (!moved) return report(moved.error());
  return print(flags.json ? moved->dump(2) + "\n" : profile::print_differences(*moved, flags.top));
}

}  // namespace

void add_profile(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "profile", "Run a program and say where its cycles go: functions, lines, instructions");
  auto flags = std::make_shared<ProfileFlags>();
  add_run_flags(*command, *flags);
  command->get_option("program")->required(false);
  command->add_option("--json", flags->json, "Write the profile to this file (docs/profile.md)");
  command->add_option("--folded", flags->folded, "Write stacks for flame graphs to this file");
  command->add_option("--top", flags->top, "Lines of a table")->capture_default_str();
  command->footer(
      "Profiling changes no cycle. Exit codes: 0 profiled, however the run ended; 2 usage; 74 a "
      "file; 78 a bad program, machine or case file.");

  CLI::App* two = command->add_subcommand("diff", "Which bins moved between two profiles, where");
  auto sides = std::make_shared<DiffFlags>();
  two->add_option("before", sides->before, "A file of --json")->required();
  two->add_option("after", sides->after, "Another one")->required();
  two->add_option("--top", sides->top, "Lines of a table")->capture_default_str();
  two->add_flag("--json", sides->json, "Print one JSON document (docs/profile.md)");
  two->callback([sides, &exit_code] { exit_code = diff(*sides); });

  command->require_subcommand(0, 1);
  command->callback([flags, command, &exit_code] {
    if (!command->get_subcommands().empty()) return;
    exit_code = flags->program.empty() ? report(usage_error("profile: which program?"))
                                       : profile_run(*flags);
  });
}

}  // namespace simfarm::cli
