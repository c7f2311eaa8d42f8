// simfarm doctor: whether this host can build, judge and rank submissions, and keep a farm.
#include "farm/doctor.h"

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "farm/store/farm_doctor.h"

namespace simfarm::cli {
namespace {

struct DoctorFlags {
  std::string farm;
  bool json = false;
};

int doctor(const DoctorFlags& flags) {
  const Result<std::string> named = farm_path(flags.farm);
  // The shipped tasks have held-out cases.
  const bool generators = !named || farm::farm_has_generators(*named);
  Result<std::vector<farm::Finding>> findings = examine(generators);
  if (!findings) return report(findings.error());
  if (named)
    for (farm::Finding& each : farm::examine_farm(*named)) findings->push_back(std::move(each));
  if (const int code = print(flags.json ? farm::doctor_document(*findings).dump(2) + "\n"
                                        : farm::doctor_text(*findings));
      code != exit_done)
    return code;
  return farm::healthy(*findings) ? exit_done : exit_configuration;
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "doctor", "Check this host, and a farm's place: toolchain, sandbox, simulations, disks");
  auto flags = std::make_shared<DoctorFlags>();
  command->add_option("--farm", flags->farm,
                      "Also this farm's disk, schema and secret ($SIMFARM_FARM)");
  command->add_flag("--json", flags->json, "Print one JSON document (docs/json.md)");
  command->footer(
      "Tries the build sandbox and builds a kernel in it, starts a process with the simulations' "
      "filter and, where tasks have held-out cases, the generators' python. Each line is ok, or "
      "says what to do. Exit codes: 0 all ok; 78 something is not.");
  command->callback([flags, &exit_code] { exit_code = doctor(*flags); });
}

}  // namespace simfarm::cli
