// simfarm show: one submission of a farm.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "cli/validators.h"
#include "farm/store/view.h"

namespace simfarm::cli {
namespace {

struct ShowFlags {
  std::string farm;
  i64 id = 0;
  bool json = false;
};

int show(const ShowFlags& flags) {
  const Result<std::string> path = farm_path(flags.farm);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open_to_read(*path);
  if (!store) return report(store.error());
  const Result<std::optional<farm::StoredSubmission>> one = store->submission(flags.id);
  if (!one) return report(one.error());
  if (!*one) return report(usage_error(fmt::format("{}: no submission {}", *path, flags.id)));
  if (!flags.json) {
    const Result<std::string> text = farm::submission_text(*store, **one);
    return text ? print(*text) : report(text.error());
  }
  const Result<nlohmann::ordered_json> document = farm::submission_document(*store, **one);
  return document ? print(document->dump(2) + "\n") : report(document.error());
}

}  // namespace

void add_show(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "show", "One submission of a farm: verdict, cases, failure, how to rerun it, its log");
  auto flags = std::make_shared<ShowFlags>();
  command->add_option("id", flags->id, "Its number, as submit printed it")
      ->required()
      ->check(above_zero());
  command->add_option("--farm", flags->farm, farm_help);
  command->add_flag("--json", flags->json,
                    "Print one JSON document (docs/json.md, simfarm.submission)");
  command->footer("Exit codes: 0 done; 2 no such submission; 74 input/output error.");
  command->callback([flags, &exit_code] { exit_code = show(*flags); });
}

}  // namespace simfarm::cli
