// simfarm run: one program on one machine, exactly.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/run_options.h"
#include "profile/json.h"
#include "profile/report.h"
#include "profile/source.h"

namespace simfarm::cli {
namespace {

struct RunCommandFlags : RunFlags {
  u32 threads = 1;
  bool json = false;
  bool quiet = false;
};

bool all_zero_exits(const Outcome& outcome) {
  for (const PeReport& pe : outcome.pes)
    if (pe.exit_code != 0u) return false;
  return true;
}

std::string text_report(const RunInput& input, const Outcome& outcome, bool quiet) {
  std::string text;
  for (const ConsoleWrite& write : outcome.console) text += profile::printable(write.text);
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += profile::summary(input.machine, input.program, outcome);
  if (quiet) return text;
  text += fmt::format("\nall PEs: {}\n\n", profile::stall_line(profile::total(outcome)));
  text += profile::pe_table(input.machine, outcome);
  if (const std::string dma = profile::dma_table(input.machine, outcome); !dma.empty())
    text += "\n" + dma;
  return text;
}

int run(const RunCommandFlags& flags) {
  if (!flags.outputs.empty() && flags.inputs.empty())
    return report(usage_error("--out needs --in: the case says which outputs there are"));
  Result<RunInput> loaded = load_run(flags);
  if (!loaded) return report(loaded.error());
  RunInput& input = *loaded;
  const Result<std::optional<farm::CaseRun>> tensors = load_tensors(flags, input);
  if (!tensors) return report(tensors.error());
  RunOptions options = run_options(flags, nullptr);
  options.host.threads = flags.threads;
  Result<std::unique_ptr<Simulation>> simulation =
      make_simulation(*find_engine(flags.engine), input, options);
  if (!simulation) return report(simulation.error());
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = (*simulation)->run();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  if (!flags.outputs.empty()) {
    const Result<void> written = farm::write_outputs(**tensors, **simulation, flags.outputs);
    if (!written) return report(written.error());
  }
  const HostReport host = (*simulation)->host();
  if (!host.trouble.empty())
    std::fprintf(stderr, "simfarm: slower than it could be: %s\n", host.trouble.c_str());
  const std::string text =
      flags.json
          ? profile::run_document(input.machine, input.program, outcome,
                                  {std::string(name(host.engine)), elapsed.count(), host.trouble})
                    .dump(2) +
                "\n"
          : text_report(input, outcome, flags.quiet);
  if (const int code = print(text); code != exit_done) return code;
  return outcome.kind == Outcome::Kind::finished && all_zero_exits(outcome) ? exit_done
                                                                            : exit_gate_failed;
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "run", "Run a program: cycles, instructions, stall table, console, exit codes");
  auto flags = std::make_shared<RunCommandFlags>();
  add_run_flags(*command, *flags);
  command->add_option("--out", flags->outputs, "Write the run's output tensors to this HDF5 file");
  command
      ->add_option("--threads", flags->threads,
                   "Host threads of the fast engine, one for 16 PEs at most; 0: the host's")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->add_flag("--no-console", flags->no_console, "Ignore console writes, at the same cost");
  command->add_flag("--json", flags->json, "Print one JSON document (docs/json.md)");
  command->add_flag("-q,--quiet", flags->quiet, "No tables");
  command->footer(
      "Exit codes: 0 every PE ended with 0; 1 a trap, deadlock, cycle limit, or an exit code that "
      "is "
      "not 0; 2 usage; 78 a bad program, machine or case file.");
  command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace simfarm::cli
