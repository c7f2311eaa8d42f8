// The `simfarm` command: one file a subcommand, each registered here.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "profile/source.h"
#include "simfarm_version.h"

int main(int argc, char** argv) {
  using namespace simfarm::cli;
  CLI::App app{"simfarm: exact simulator of a GPNPU-style machine, and the farm around it",
               "simfarm"};
  app.set_version_flag("--version", SIMFARM_VERSION);
  app.require_subcommand(1);
  app.footer("`simfarm COMMAND --help` explains a command. Exit codes: docs/cli.md.");
  int exit_code = exit_done;
  add_run(app, exit_code);
  add_trace(app, exit_code);
  add_profile(app, exit_code);
  add_lockstep(app, exit_code);
  add_dma(app, exit_code);
  add_disasm(app, exit_code);
  add_isa(app, exit_code);
  add_machine(app, exit_code);
  add_task(app, exit_code);
  add_try(app, exit_code);
  add_score(app, exit_code);
  add_farm(app, exit_code);
  add_submit(app, exit_code);
  add_status(app, exit_code);
  add_show(app, exit_code);
  add_leader(app, exit_code);
  add_acts(app, exit_code);
  add_rejudge(app, exit_code);
  add_board(app, exit_code);
  add_doctor(app, exit_code);
  add_rerun(app, exit_code);
  add_regress(app, exit_code);
  add_bench(app, exit_code);
  add_completion(app, exit_code);
  add_man(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    // What it has not understood says more than that something is missing.
    const std::vector<std::string> unknown = app.remaining(true);
    const bool of_commands = std::string_view(error.what()).find("subcommand") != std::string::npos;
    if (!of_commands || unknown.empty() || unknown.front().starts_with('-')) {
      app.exit(error);
    } else {
      std::fprintf(stderr, "simfarm: no such command: %s\nRun with --help for the commands.\n",
                   simfarm::profile::printable(unknown.front()).c_str());
    }
    return exit_usage;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? exit_done : exit_usage;
  } catch (const std::exception& error) {
    return report({simfarm::Error::Kind::internal, error.what()});
  }
  return exit_code;
}
