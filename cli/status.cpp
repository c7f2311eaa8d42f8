// simfarm status: what a farm is doing.
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "farm/store/view.h"

namespace simfarm::cli {
namespace {

struct StatusFlags {
  std::string farm;
  bool json = false;
};

int status(const StatusFlags& flags) {
  const Result<std::string> path = farm_path(flags.farm);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open_to_read(*path);
  if (!store) return report(store.error());
  const Result<nlohmann::ordered_json> document = farm::status_document(*store);
  if (!document) return report(document.error());
  return print(flags.json ? document->dump(2) + "\n" : farm::status_text(*document));
}

}  // namespace

void add_status(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("status", "What a farm has queued, judged and ranked, and who is judging");
  auto flags = std::make_shared<StatusFlags>();
  command->add_option("--farm", flags->farm, farm_help);
  command->add_flag("--json", flags->json,
                    "Print one JSON document (docs/json.md, simfarm.status)");
  command->footer(
      "Exit codes: 0 done; 2 no farm; 74 input/output error; 78 another version's farm.");
  command->callback([flags, &exit_code] { exit_code = status(*flags); });
}

}  // namespace simfarm::cli
