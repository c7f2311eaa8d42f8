// simfarm farm init|add-task|fsck|upgrade: a farm on a disk, for its operator.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_gc.h"
#include "cli/farm_options.h"
#include "cli/farm_secret.h"
#include "cli/farm_transfer.h"
#include "cli/validators.h"
#include "farm/store/fsck.h"
#include "farm/store/store.h"
#include "farm/store/upgrade.h"

namespace simfarm::cli {
namespace {

int add_tasks(farm::Store& store, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const Result<farm::StoredTask> task = store.add_task(folder);
    if (!task) return report(task.error());
    if (const int code =
            print(fmt::format("task {}: package {}\n", task->name, task->digest.substr(0, 12)));
        code != exit_done)
      return code;
  }
  return exit_done;
}

int init(const std::string& path, const std::vector<std::string>& tasks) {
  for (const std::string& task : tasks)
    if (const auto read = farm::load_task(task); !read) return report(read.error());
  if (const auto made = farm::Store::create(path); !made) return report(made.error());
  Result<farm::Store> store = farm::Store::open(path);
  if (!store) return report(store.error());
  if (const int code = print(path + ": a new farm\n"); code != exit_done) return code;
  return add_tasks(*store, tasks);
}

int add(const std::string& given, const std::vector<std::string>& tasks) {
  const Result<std::string> path = farm_path(given);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open(*path);
  if (!store) return report(store.error());
  return add_tasks(*store, tasks);
}

std::string fsck_text(const farm::FsckReport& found) {
  std::string text;
  for (const std::string& note : found.notes) text += "note: " + note + "\n";
  for (const std::string& problem : found.problems) text += "problem: " + problem + "\n";
  return text + fmt::format("{} blobs, {} submissions, {} events, {} results: {}\n", found.blobs,
                            found.submissions, found.events, found.evaluations,
                            found.problems.empty()
                                ? "whole"
                                : fmt::format("{} problems", found.problems.size()));
}

nlohmann::ordered_json fsck_json(const farm::FsckReport& found) {
  return {{"schema", "simfarm.fsck"},
          {"version", 1},
          {"whole", found.problems.empty()},
          {"problems", found.problems},
          {"notes", found.notes},
          {"blobs", found.blobs},
          {"submissions", found.submissions},
          {"events", found.events},
          {"results", found.evaluations},
          {"dropped", found.dropped}};
}

int fsck(const std::string& given, bool json) {
  const Result<std::string> path = farm_path(given);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open_to_read(*path);
  if (!store) return report(store.error());
  const Result<farm::FsckReport> found = farm::check_farm(*store);
  if (!found) return report(found.error());
  if (const int code = print(json ? fsck_json(*found).dump(2) + "\n" : fsck_text(*found));
      code != exit_done)
    return code;
  return found->problems.empty() ? exit_done : exit_gate_failed;
}

int upgrade(const std::string& given) {
  const Result<std::string> path = farm_path(given);
  if (!path) return report(path.error());
  const Result<farm::Upgraded> done = farm::upgrade_farm(*path);
  if (!done) return report(done.error());
  if (done->before == done->after)
    return print(
        fmt::format("{}: schema version {} already; nothing was changed\n", *path, done->after));
  return print(fmt::format("{}: schema version {} is now {}\n", *path, done->before, done->after));
}

std::string bound_text(i64 bound) { return bound == 0 ? "any number" : fmt::format("{}", bound); }

int quota(const std::string& given, const std::optional<i64>& waiting,
          const std::optional<i64>& daily) {
  const Result<std::string> path = farm_path(given);
  if (!path) return report(path.error());
  Result<farm::Store> store = farm::Store::open(*path);
  if (!store) return report(store.error());
  Result<farm::Quotas> quotas = store->quotas();
  if (!quotas) return report(quotas.error());
  quotas->waiting = waiting.value_or(quotas->waiting);
  quotas->daily = daily.value_or(quotas->daily);
  if (waiting || daily)
    if (const auto done = store->set_quotas(*quotas); !done) return report(done.error());
  return print(fmt::format("of each author: {} waiting, {} in 24 hours\n",
                           bound_text(quotas->waiting), bound_text(quotas->daily)));
}

struct FarmFlags {
  std::string path;
  std::vector<std::string> tasks;
  std::optional<i64> waiting, daily;
  bool json = false;
};

}  // namespace

void add_farm(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "farm",
      "A farm that keeps submissions and results: init, add-task, fsck, gc, quota, upgrade, "
      "rotate-secret, held-out, export, import");
  command->require_subcommand(1);
  command->footer("docs/farm.md tells how to run one.");
  auto flags = std::make_shared<FarmFlags>();

  CLI::App* fresh = command->add_subcommand("init", "Make a farm in a new folder on a local disk");
  fresh->add_option("path", flags->path, "The farm's folder")->required();
  fresh->add_option("--task", flags->tasks, "Task packages to add at once");
  fresh->footer(
      "Exit codes: 0 done; 2 there is a farm already; 74 input/output error; 78 a network file "
      "system, or a bad task.");
  fresh->callback([flags, &exit_code] { exit_code = init(flags->path, flags->tasks); });

  CLI::App* task = command->add_subcommand(
      "add-task", "Keep a copy of task packages in a farm, and queue their starting kernels");
  task->add_option("tasks", flags->tasks, "The tasks' folders")->required();
  task->add_option("--farm", flags->path, farm_help);
  task->footer(
      "The same package once more changes nothing. Exit codes: 0 done; 2 another package of this "
      "name is there; 74 input/output error; 78 a bad task.");
  task->callback([flags, &exit_code] { exit_code = add(flags->path, flags->tasks); });

  CLI::App* look = command->add_subcommand(
      "fsck", "Re-hash everything that a farm keeps, and hold its log against its tables");
  look->add_option("--farm,path", flags->path, farm_help);
  look->add_flag("--json", flags->json, "Print one JSON document (docs/json.md, simfarm.fsck)");
  look->footer(
      "Changes nothing, and may run while the farm works. Exit codes: 0 whole; 1 something is "
      "damaged or missing; 74 input/output error.");
  look->callback([flags, &exit_code] { exit_code = fsck(flags->path, flags->json); });

  CLI::App* bounds =
      command->add_subcommand("quota", "How much each author may submit; without options: show it");
  bounds->add_option("--farm,path", flags->path, farm_help);
  bounds->add_option("--waiting", flags->waiting, "Submissions that wait or run; 0: any number")
      ->check(whole_number());
  bounds->add_option("--daily", flags->daily, "Submissions in 24 hours; 0: any number")
      ->check(whole_number());
  bounds->footer(
      "An author is a name in manifests: who hands in for others must see that it is theirs. "
      "`submit` ends with 75 when it is used up. Exit codes: 0 done; 2 no farm; 74 input/output "
      "error.");
  bounds->callback(
      [flags, &exit_code] { exit_code = quota(flags->path, flags->waiting, flags->daily); });

  CLI::App* newer = command->add_subcommand(
      "upgrade", "Make a farm of an older simfarm's schema into one of this simfarm's");
  newer->add_option("--farm,path", flags->path, farm_help);
  newer->footer(
      "Everything is kept. One transaction: killed in the middle, the farm is as it was. Back it "
      "up before (docs/farm.md, section 5): an older simfarm cannot read it afterwards. Exit "
      "codes: "
      "0 done, or nothing to do; 2 no farm; 74 input/output error; 75 it is being judged; 78 a "
      "newer simfarm's farm.");
  newer->callback([flags, &exit_code] { exit_code = upgrade(flags->path); });
  add_farm_gc(*command, exit_code);
  add_farm_secret(*command, exit_code);
  add_farm_transfer(*command, exit_code);
}

}  // namespace simfarm::cli
