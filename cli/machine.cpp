// simfarm machine show|check|list
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "engine/machine.h"

namespace simfarm::cli {

void add_machine(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("machine", "Show and check machine files");
  command->require_subcommand(1);

  auto name = std::make_shared<std::string>();
  CLI::App* show = command->add_subcommand("show", "Print a machine file with every figure");
  show->add_option("machine", *name, "Machine file or shipped name")->required();
  show->callback([name, &exit_code] {
    const Result<Machine> machine = load_machine(*name);
    exit_code = machine ? print(print_machine(*machine)) : report(machine.error());
  });

  CLI::App* check = command->add_subcommand("check", "Check a machine file");
  check->add_option("machine", *name, "Machine file or shipped name")->required();
  check->callback([name, &exit_code] {
    const Result<Machine> machine = load_machine(*name);
    exit_code = machine ? print(fmt::format("{}: {}, {} x {} PEs: good\n", *name, machine->name,
                                            machine->rows, machine->columns))
                        : report(machine.error());
  });

  CLI::App* list = command->add_subcommand("list", "List the shipped machines");
  list->callback([&exit_code] {
    std::string text;
    for (const std::string& shipped : shipped_machines()) {
      const Result<Machine> machine = load_machine(shipped);
      if (!machine) {
        exit_code = report(machine.error());
        return;
      }
      text += fmt::format("{:<10} {} x {} PEs\n", shipped, machine->rows, machine->columns);
    }
    exit_code = print(text);
  });
}

}  // namespace simfarm::cli
