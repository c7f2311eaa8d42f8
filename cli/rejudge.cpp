// simfarm rejudge: judges submissions again, compares, and then counts all of it or nothing.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "farm/store/rejudge_view.h"

namespace simfarm::cli {
namespace {

struct RejudgeFlags {
  std::string farm, task, selection, reason;
  std::optional<i64> set;
  bool json = false;
};

int show_set(farm::Store& store, i64 id, bool json) {
  const Result<farm::RejudgeSet> set = store.rejudge(id);
  if (!set) return report(set.error());
  const Result<nlohmann::ordered_json> document = farm::rejudge_document(store, *set);
  if (!document) return report(document.error());
  return print(json ? document->dump(2) + "\n" : farm::rejudge_text(*document));
}

int begin(const RejudgeFlags& flags) {
  const Result<std::string> path = farm_path(flags.farm);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open(*path);
  if (!store) return report(store.error());
  const Result<std::optional<farm::StoredTask>> task = store->find_task(flags.task);
  if (!task) return report(task.error());
  if (!*task) return report(usage_error(fmt::format("{}: no task {}", *path, flags.task)));
  const Result<std::vector<i64>> ids =
      farm::select_submissions(*store, flags.task, flags.selection);
  if (!ids) return report(ids.error());
  const Result<i64> set = store->begin_rejudge(**task, *ids, flags.selection, flags.reason);
  if (!set) return report(set.error());
  if (flags.json) return show_set(*store, *set, true);
  return print(
      fmt::format("set {0}: {1} submissions wait. Next:\n  simfarm score --farm {2}\n"
                  "  simfarm rejudge show {0} --farm {2}\n",
                  *set, ids->size(), *path));
}

int show(const RejudgeFlags& flags) {
  const Result<std::string> path = farm_path(flags.farm);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open_to_read(*path);
  if (!store) return report(store.error());
  if (flags.set) return show_set(*store, *flags.set, flags.json);
  const Result<std::string> text = farm::rejudges_text(*store);
  return text ? print(*text) : report(text.error());
}

int settle(const RejudgeFlags& flags, farm::SetState to) {
  const Result<std::string> path = farm_path(flags.farm);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open(*path);
  if (!store) return report(store.error());
  if (const auto done = store->settle_rejudge(*flags.set, to, flags.reason); !done)
    return report(done.error());
  return show_set(*store, *flags.set, flags.json);
}

CLI::App* add_form(CLI::App* command, const std::shared_ptr<RejudgeFlags>& flags,
                   const std::string& name, const std::string& help) {
  CLI::App* form = command->add_subcommand(name, help);
  form->add_option("--farm", flags->farm, farm_help);
  form->add_flag("--json", flags->json, "Print one JSON document (docs/json.md, simfarm.rejudge)");
  return form;
}

}  // namespace

void add_rejudge(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "rejudge", "Judge submissions of a farm again, compare, apply all of it or nothing");
  command->require_subcommand(1);
  command->footer("docs/farm.md, section 3.");
  auto flags = std::make_shared<RejudgeFlags>();

  CLI::App* start = add_form(command, flags, "begin", "Begin a set: score judges its members");
  start->add_option("task", flags->task, "The task's name")->required();
  start
      ->add_option("--set", flags->selection,
                   "Which: all (that was judged), ranked, top:N, or numbers like 3,7-9")
      ->required();
  start->add_option("--reason", flags->reason, "Why, in one line; kept in the log")->required();
  start->footer(
      "What the members had counts until the set is applied. Exit codes: 0 done; 2 no such "
      "submission, or one that cannot be judged again; 74 input/output error.");
  start->callback([flags, &exit_code] { exit_code = begin(*flags); });

  CLI::App* look = add_form(command, flags, "show",
                            "What a set's members had and have now; without a number: all sets");
  look->add_option("set", flags->set, "Its number, as begin printed it");
  look->footer("Exit codes: 0 done; 2 no such set; 74 input/output error.");
  look->callback([flags, &exit_code] { exit_code = show(*flags); });

  for (const auto& [name, to, help] :
       {std::tuple("apply", farm::SetState::applied, "Let the new results of a set count"),
        std::tuple("cancel", farm::SetState::cancelled,
                   "Let what the members had count, for good; also of a set that was applied")}) {
    CLI::App* form = add_form(command, flags, name, help);
    form->add_option("set", flags->set, "Its number, as begin printed it")->required();
    form->add_option("--reason", flags->reason, "Why, in one line; kept in the log")->required();
    form->footer(
        "All members at once. Exit codes: 0 done; 2 no such set, or in a state in which that "
        "cannot be done (the message says why); 74 input/output error.");
    form->callback([flags, to = to, &exit_code] { exit_code = settle(*flags, to); });
  }
}

}  // namespace simfarm::cli
