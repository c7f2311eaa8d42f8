// simfarm rerun: a simulation whose process failed, from what was saved of it; and the worker in
// whose children all submissions' programs are simulated.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "farm/crashes.h"
#include "farm/report.h"
#include "farm/simulators.h"

namespace simfarm::cli {
namespace {

struct RerunFlags {
  std::string folder;
  bool here = false;
};

std::string judgement_text(const farm::Judgement& judgement) {
  std::string text;
  for (const farm::CaseScore& each : judgement.cases)
    text += fmt::format("case {}: {} cycles\n", each.name, farm::grouped(each.cycles));
  text += name(judgement.verdict);
  if (!judgement.failed_case.empty()) text += " in case " + judgement.failed_case;
  text += "\n" + judgement.failure;
  if (text.back() != '\n') text += '\n';
  return text;
}

int rerun(const RerunFlags& flags) {
  const Result<std::vector<u8>> bytes = farm::load_crash(flags.folder);
  if (!bytes) return report(bytes.error());
  Result<farm::SimulationRequest> request = farm::unpack_request(*bytes);
  if (!request) return report(input_error(flags.folder + ": " + request.error().message));
  farm::Judgement judgement;
  if (flags.here) {
    judgement = farm::judge_program(request->task, request->cases, std::move(request->elf),
                                    request->options);
  } else {
    farm::Simulators simulators(simulator_options(""));
    judgement = simulators.judge_request(*bytes, request->task, request->cases);
  }
  if (const int code = print(judgement_text(judgement)); code != exit_done) return code;
  return farm::row(judgement.verdict).authors ? exit_done : exit_incomplete;
}

}  // namespace

void add_rerun(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "rerun", "Simulate again what a simulator's process failed at (docs/sandbox.md)");
  auto flags = std::make_shared<RerunFlags>();
  command->add_option("folder", flags->folder, "The reproducer: a folder that the farm named")
      ->required();
  command->add_flag("--here", flags->here, "In this process, for a debugger: with your rights");
  command->footer(
      "Exit codes: 0 it was judged, whatever the verdict; 5 it failed again; 74 no "
      "reproducer; 78 a damaged one.");
  command->callback([flags, &exit_code] { exit_code = rerun(*flags); });

  // The program starts itself so; it is of no use to anybody else.
  CLI::App* worker = app.add_subcommand(worker_command, "")->group("");
  worker->callback([&exit_code] { exit_code = farm::serve_simulations(farm::worker_socket); });
}

}  // namespace simfarm::cli
