// simfarm doctor: whether this host can build, judge and rank submissions.
#include "farm/doctor.h"

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"

namespace simfarm::cli {

void add_doctor(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("doctor", "Check this host: toolchain, build sandbox, temporary folder");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print one JSON document (docs/json.md)");
  command->footer(
      "Tries the build sandbox and builds a kernel in it. Each line is ok, or says what to do. "
      "Exit codes: 0 all ok; 78 something is not.");
  command->callback([json, &exit_code] {
    Result<std::vector<farm::Finding>> findings = examine();
    if (!findings) {
      exit_code = report(findings.error());
      return;
    }
    exit_code = print(*json ? farm::doctor_document(*findings).dump(2) + "\n"
                            : farm::doctor_text(*findings));
    if (exit_code == exit_done && !farm::healthy(*findings)) exit_code = exit_configuration;
  });
}

}  // namespace simfarm::cli
