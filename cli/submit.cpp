// simfarm submit: hands submissions to a farm.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "farm/store/store.h"
#include "farm/text.h"

namespace simfarm::cli {
namespace {

struct SubmitFlags {
  std::vector<std::string> paths;
  std::string farm;
  bool json = false;
};

/// Why intake refused it; empty: it did not.
Result<std::string> refusal(farm::Store& store, const farm::StoredSubmission& one) {
  if (one.state != farm::State::rejected) return std::string();
  Result<std::vector<farm::Event>> events = store.events(one.id);
  if (!events) return events.error();
  return events->back().detail;
}

int submit(const SubmitFlags& flags) {
  const Result<std::string> path = farm_path(flags.farm);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open(*path);
  if (!store) return report(store.error());
  nlohmann::ordered_json document = {
      {"schema", "simfarm.submit"}, {"version", 1}, {"submissions", nlohmann::json::array()}};
  int code = exit_done;
  for (const std::string& each : flags.paths) {
    const Result<farm::StoredSubmission> one = store->submit(each);
    if (!one) {
      code = report(one.error());
      // What is wrong with a folder says nothing of the next.
      if (one.error().kind == Error::Kind::input || one.error().kind == Error::Kind::usage)
        continue;
      break;
    }
    const Result<std::string> why = refusal(*store, *one);
    if (!why) return report(why.error());
    document["submissions"].push_back(
        {{"id", one->id},
         {"path", each},
         {"task", one->task.empty() ? nlohmann::json() : nlohmann::json(one->task)},
         {"state", name(one->state)},
         {"refusal", why->empty() ? nlohmann::json() : nlohmann::json(*why)}});
    // At once: what is printed is on the disk, whatever happens next.
    const std::string line =
        fmt::format("{} {} {}{}\n", one->id, name(one->state), farm::visible_text(each),
                    why->empty() ? "" : ": REJECTED: " + *why);
    if (const int printed = flags.json ? exit_done : print(line); printed != exit_done)
      return printed;
  }
  if (flags.json)
    if (const int printed = print(document.dump(2) + "\n"); printed != exit_done) return printed;
  return code;
}

}  // namespace

void add_submit(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("submit", "Hand submissions to a farm; prints their ids");
  auto flags = std::make_shared<SubmitFlags>();
  command->add_option("submissions", flags->paths, "Folders or tar files")->required();
  command->add_option("--farm", flags->farm, farm_help);
  command->add_flag("--json", flags->json,
                    "Print one JSON document (docs/json.md, simfarm.submit)");
  command->footer(
      "What has an id is on the disk; one that cannot be read does not keep those behind it from "
      "being received. Exit codes: 0 received (REJECTED is a verdict, not a failure); 2 no such "
      "file, or no farm; 74 input/output error; 75 the author's quota is used "
      "up (simfarm farm quota); 78 a folder that cannot be packed.");
  command->callback([flags, &exit_code] { exit_code = submit(*flags); });
}

}  // namespace simfarm::cli
