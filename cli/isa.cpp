// simfarm isa: the instruction-set manual, printed from the rows.
#include "isa/manual.h"

#include "cli/commands.h"
#include "cli/exit_codes.h"

namespace simfarm::cli {

void add_isa(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("isa", "Print the instruction-set manual (Markdown), or one instruction");
  auto which = std::make_shared<std::string>();
  command->add_option("instruction", *which, "Only the rows whose name contains this text");
  command->callback([which, &exit_code] {
    const std::string text = which->empty() ? manual() : manual_matching(*which);
    if (text.empty())
      exit_code = report(usage_error("no instruction's name contains '" + *which + "'"));
    else
      exit_code = print(text);
  });
}

}  // namespace simfarm::cli
