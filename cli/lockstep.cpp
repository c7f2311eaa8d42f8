// simfarm lockstep: two engines on one run, and where they part.
#include "profile/lockstep.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/run_options.h"

namespace simfarm::cli {
namespace {

struct LockstepFlags : RunFlags {
  std::string run_case;
  std::string save;
};

Result<profile::RunCase> load(const LockstepFlags& flags) {
  if (!flags.run_case.empty()) return profile::load_case(flags.run_case);
  if (flags.program.empty()) return usage_error("lockstep needs a program or --case");
  Result<RunInput> input = load_run(flags);
  if (!input) return input.error();
  if (const auto tensors = load_tensors(flags, *input); !tensors) return tensors.error();
  return profile::RunCase{std::move(*input), run_options(flags, nullptr), flags.program};
}

int lockstep(const LockstepFlags& flags) {
  const Result<profile::RunCase> run_case = load(flags);
  if (!run_case) return report(run_case.error());
  if (!flags.save.empty()) {
    const std::string text = profile::print_case(*run_case);
    const auto written = write_text(flags.save, text);
    if (!written) return report(written.error());
  }
  const profile::Side reference = profile::side_of(EngineKind::reference);
  const profile::Side other = profile::side_of(default_engine);
  const profile::Lockstep result = profile::lockstep(reference, other, *run_case);
  if (result.refused) return report(*result.refused);
  const int code = print(profile::print(result, reference, other, *run_case));
  if (code != exit_done) return code;
  return result.differences.empty() ? exit_done : exit_gate_failed;
}

}  // namespace

void add_lockstep(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "lockstep", "Run a program on both engines: equal, or the first cycle that differs");
  auto flags = std::make_shared<LockstepFlags>();
  add_run_flags(*command, *flags);
  command->remove_option(command->get_option("--engine"));  // it runs them all
  CLI::Option* program = command->get_option("program")->required(false);
  command->add_option("--case", flags->run_case, "The run in this file (docs/differential.md)")
      ->excludes(program);
  command->add_option("--save", flags->save, "Write the run to a file that --case takes");
  command->footer(
      "Exit codes: 0 the engines are equal in everything that a run reports and leaves in memory; "
      "1 "
      "they differ; 2 usage; 78 a bad program, machine or case file.");
  command->callback([flags, &exit_code] { exit_code = lockstep(*flags); });
}

}  // namespace simfarm::cli
