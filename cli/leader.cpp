// simfarm leader: who leads a task's board, and a copy of it to build on.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "farm/checkout.h"
#include "farm/report.h"
#include "farm/store/intake.h"
#include "farm/store/view.h"
#include "farm/text.h"

namespace simfarm::cli {
namespace {

struct LeaderFlags {
  std::string task;
  std::string farm;
  std::string checkout;
  std::string author;
  bool json = false;
};

/// Who leads, and what is needed to build on it.
struct Leader {
  farm::CheckoutBase base;
  std::optional<Cycle> cycles;  ///< none: a starting kernel that nobody has judged
  std::string score;            ///< likewise empty
  std::string speedup;          ///< over the starting kernel; may be empty
  bool by_cycles = true;        ///< of the task's score
  std::string task_folder;      ///< judges a checkout
};

/// A starting kernel, from a task's package.
Result<Leader> starting_kernel(const std::string& folder) {
  const Result<farm::Task> task = farm::load_task(folder);
  if (!task) return task.error();
  const std::string kernel = folder + "/kernel";
  std::error_code error;
  if (!std::filesystem::exists(kernel + "/submission.toml", error))
    return usage_error(
        fmt::format("task {}: nobody leads, and it has no starting kernel", task->name));
  Result<farm::Submission> submission = farm::load_submission(kernel);
  if (!submission) return submission.error();
  Leader leader{{std::move(*submission), "kernel", ""}, {}, "", "", true, folder};
  leader.base.about = fmt::format("the starting kernel of task {}, not judged", task->name);
  return leader;
}

/// Of a farm: who leads its board, else the task's starting kernel.
Result<Leader> leader_in(const std::string& path, const std::string& name) {
  Result<farm::Store> store = farm::Store::open_to_read(path);
  if (!store) return store.error();
  const Result<farm::TaskBoard> found = farm::task_board(*store, name);
  if (!found) return found.error();
  const farm::Row* const row = farm::leader_of(found->board);
  if (row == nullptr) return starting_kernel(found->task->task.folder);
  const i64 id = static_cast<i64>(row->scored->entry.order);
  const Result<std::optional<farm::StoredSubmission>> stored = store->submission(id);
  if (!stored) return stored.error();
  const Result<std::vector<u8>> archive = store->blobs().get((*stored)->archive);
  if (!archive) return archive.error();
  Result<farm::Submission> submission =
      farm::parse_archive(*archive, fmt::format("submission {}", id));
  if (!submission) return submission.error();
  Leader leader{{std::move(*submission), row->scored->entry.id, ""},
                row->scored->evaluation.cycles(),
                farm::score_digits_of(*row->scored),
                row->speedup,
                farm::kind_of(found->board) == farm::ScoreKind::cycles,
                found->task->task.folder};
  leader.base.about = fmt::format("submission {} of task {}, by {}: {}", leader.base.id, name,
                                  leader.base.submission.author, farm::result_line(*row->scored));
  return leader;
}

/// Where there is no farm: a task's folder, or a shipped task's name.
Result<Leader> leader_without_farm(const std::string& task) {
  std::error_code error;
  if (std::filesystem::exists(task + "/task.toml", error)) return starting_kernel(task);
  const Result<std::string> shipped = shipped_tasks();
  if (!shipped) return shipped.error();
  const std::string folder = *shipped + "/" + task;
  if (task.find('/') == std::string::npos && std::filesystem::exists(folder + "/task.toml", error))
    return starting_kernel(folder);
  return usage_error(task +
                     ": no shipped task of that name, no task's folder, and no farm named "
                     "(--farm, SIMFARM_FARM)");
}

/// Who checks out: as said, else the user's name where a manifest may have it.
std::string author_of(const LeaderFlags& flags) {
  if (!flags.author.empty()) return flags.author;
  const char* const user = std::getenv("USER");
  const std::string name = user == nullptr ? "" : user;
  const bool good = !name.empty() && name.size() <= 64 && !farm::text_problem(name, false);
  return good ? name : "anonymous";
}

std::string leader_text(const Leader& leader) {
  std::string text = leader.base.about;
  if (!leader.speedup.empty())
    text += fmt::format(", {}x as {} as the starting kernel", leader.speedup,
                        leader.by_cycles ? "fast" : "good");
  text += "\n";
  if (!leader.base.submission.parent.empty())
    text += fmt::format("  built on {}\n", leader.base.submission.parent);
  const std::string& note = leader.base.submission.note;
  for (size_t at = 0; at < note.size();) {
    const size_t end = std::min(note.find('\n', at), note.size());
    text += "  " + note.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

nlohmann::ordered_json leader_json(const Leader& leader, const std::string& checkout) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
  };
  const farm::Submission& submission = leader.base.submission;
  return {
      {"schema", "simfarm.leader"},
      {"version", 1},
      {"task", submission.task},
      {"submission", leader.base.id},
      {"cycles", leader.cycles ? nlohmann::ordered_json(*leader.cycles) : nlohmann::ordered_json()},
      {"score", or_null(leader.score)},
      {"speedup", or_null(leader.speedup)},
      {"author", submission.author},
      {"parent", or_null(submission.parent)},
      {"note", submission.note},
      {"checkout", or_null(checkout)}};
}

int leader(const LeaderFlags& flags) {
  if (const auto problem = farm::text_problem(flags.author, false))
    return report(usage_error("--author " + *problem));
  const Result<std::string> path = farm_path(flags.farm);
  const Result<Leader> found =
      path ? leader_in(*path, flags.task) : leader_without_farm(flags.task);
  if (!found) return report(found.error());
  if (!flags.checkout.empty())
    if (const auto done = farm::check_out(found->base, author_of(flags), flags.checkout); !done)
      return report(done.error());
  if (flags.json) return print(leader_json(*found, flags.checkout).dump(2) + "\n");
  std::string text = leader_text(*found);
  if (!flags.checkout.empty())
    text += fmt::format(
        "checked out into {0}. Next: change it, say why in {0}/submission.toml, "
        "then\n  simfarm try {0} --task {1}\n{2}",
        flags.checkout, found->task_folder,
        path ? fmt::format("  simfarm submit {} --farm {}\n", flags.checkout, *path) : "");
  return print(text);
}

}  // namespace

void add_leader(CLI::App& app, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("leader", "Who leads a task's board, and a copy of it to build on");
  auto flags = std::make_shared<LeaderFlags>();
  command
      ->add_option("task", flags->task,
                   "The task's name in the farm; without a farm a task's folder, or a shipped "
                   "task's name")
      ->required();
  command->add_option("--farm", flags->farm, farm_help);
  command->add_option("--checkout", flags->checkout,
                      "Write its sources into this folder, which must be new or empty, with a "
                      "manifest that has its note and names it as the parent");
  command->add_option("--author", flags->author, "Author in that manifest ($USER)");
  command->add_flag("--json", flags->json,
                    "Print one JSON document (docs/json.md, simfarm.leader)");
  command->footer(
      "Where nobody leads, or without a farm, it is the task's starting kernel. Exit codes: 0 "
      "done; 2 no such task, or a folder that is not empty; 74 input/output error; 78 another "
      "version's farm.");
  command->callback([flags, &exit_code] { exit_code = leader(*flags); });
}

}  // namespace simfarm::cli
