// simfarm cancel, hold, approve: what a person decides about submissions of a farm.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "cli/validators.h"
#include "farm/store/store.h"

namespace simfarm::cli {
namespace {

struct ActFlags {
  std::vector<i64> ids;
  std::string reason;
  std::string farm;
  bool json = false;
};

std::string acts_text(const std::vector<farm::Acted>& acted) {
  std::string text;
  for (const farm::Acted& each : acted)
    text += fmt::format("{} {} (was {})\n", each.submission, name(each.after), name(each.before));
  return text;
}

nlohmann::ordered_json acts_json(farm::Act act, const std::string& reason,
                                 const std::vector<farm::Acted>& acted) {
  nlohmann::ordered_json document = {{"schema", "simfarm.act"},
                                     {"version", 1},
                                     {"act", name(act)},
                                     {"reason", reason},
                                     {"submissions", nlohmann::json::array()}};
  for (const farm::Acted& each : acted)
    document["submissions"].push_back(
        {{"id", each.submission}, {"before", name(each.before)}, {"state", name(each.after)}});
  return document;
}

int act(const ActFlags& flags, farm::Act which) {
  const Result<std::string> path = farm_path(flags.farm);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open(*path);
  if (!store) return report(store.error());
  const Result<std::vector<farm::Acted>> acted = store->act(flags.ids, which, flags.reason);
  if (!acted) return report(acted.error());
  return print(flags.json ? acts_json(which, flags.reason, *acted).dump(2) + "\n"
                          : acts_text(*acted));
}

void add_act(CLI::App& app, int& exit_code, farm::Act which, const std::string& help,
             const std::string& footer) {
  CLI::App* command = app.add_subcommand(std::string(name(which)), help);
  auto flags = std::make_shared<ActFlags>();
  command->add_option("ids", flags->ids, "Numbers, as submit printed them")
      ->required()
      ->check(above_zero());
  CLI::Option* reason =
      command->add_option("--reason", flags->reason, "Why, in one line; kept in the log");
  if (which != farm::Act::cancel) reason->required();
  command->add_option("--farm", flags->farm, farm_help);
  command->add_flag("--json", flags->json, "Print one JSON document (docs/json.md, simfarm.act)");
  command->footer(footer +
                  " All of the submissions or, when one cannot be, none. Exit codes: 0 done; 2 no "
                  "such submission, or in a state in which that cannot be done (the message says "
                  "what can); 74 input/output error; 78 another version's farm.");
  command->callback([flags, which, &exit_code] { exit_code = act(*flags, which); });
}

}  // namespace

void add_acts(CLI::App& app, int& exit_code) {
  add_act(app, exit_code, farm::Act::cancel, "Withdraw submissions of a farm, for good",
          "Of queued, running and held ones; the result of a running one is thrown away.");
  add_act(app, exit_code, farm::Act::hold,
          "Take judged submissions of a farm off its board's ranks, until they are approved",
          "Of judged and ranked ones.");
  add_act(app, exit_code, farm::Act::approve,
          "Give held submissions of a farm back the verdict that they had",
          "What a rule held is ranked.");
}

}  // namespace simfarm::cli
