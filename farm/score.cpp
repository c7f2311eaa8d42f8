#include "farm/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/parallel.h"
#include "farm/text.h"

namespace simfarm::farm {
namespace {

namespace fs = std::filesystem;

bool has_file(const fs::path& folder, const char* name) {
  std::error_code error;
  return fs::is_regular_file(folder / name, error);
}

/// The folders in a folder, and the tar files, sorted; hidden ones left out.
std::vector<std::string> children(const fs::path& folder) {
  std::vector<std::string> result;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool archive = name.ends_with(".tar") || name.ends_with(".tar.gz");
    if (name.front() != '.' && (at->is_directory(error) || archive))
      result.push_back(at->path().string());
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::string canonical(const std::string& path) {
  std::error_code error;
  const fs::path result = fs::weakly_canonical(path, error);
  return error ? path : result.string();
}

/// `path` relative to `folder`; nothing when it is not below it.
std::optional<std::string> below(const std::string& path, const std::string& folder) {
  const std::string whole = canonical(path);
  const std::string root = canonical(folder) + "/";
  if (!whole.starts_with(root)) return std::nullopt;
  return whole.substr(root.size());
}

/// What was asked for, made into a list of entries.
class Planner {
 public:
  explicit Planner(const ScoreRequest& request) : request_(request) {}

  Result<std::vector<Entry>> plan() {
    for (const std::string& path : request_.paths)
      if (const auto found = find(fs::path(path).lexically_normal()); !found) return found.error();
    if (request_.baseline)
      for (const auto& [folder, task] : std::map(tasks_))
        if (has_file(fs::path(task->task.folder) / "kernel", "submission.toml"))
          if (const auto added = load_and_add((fs::path(task->task.folder) / "kernel").string(),
                                              task->task.folder, false);
              !added)
            return added.error();
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::pair(task_name(a), a.id) < std::pair(task_name(b), b.id);
    });
    return std::move(entries_);
  }

 private:
  /// A path that was named: a submission, a task, or a folder of tasks.
  Result<void> find(fs::path path) {
    if (!path.has_filename()) path = path.parent_path();  // "x/" is x
    std::error_code error;
    if (!fs::exists(path, error)) return usage_error(path.string() + ": no such file or folder");
    if (!fs::is_directory(path, error) || has_file(path, "submission.toml"))
      return add_submission(path.string());
    if (has_file(path, "task.toml")) return add_task(path);
    bool any = false;
    for (const std::string& child : children(path)) {
      if (!has_file(child, "task.toml")) continue;
      any = true;
      if (const auto added = add_task(child); !added) return added.error();
    }
    if (any) return {};
    // With a task that it belongs to, a folder without a manifest is a (refused) submission.
    if (!request_.task.empty() || task_above(path)) return add_submission(path.string());
    return usage_error(path.string() +
                       ": neither a submission (submission.toml), a task (task.toml) "
                       "nor a folder of tasks");
  }

  Result<void> add_task(const fs::path& folder) {
    Result<std::shared_ptr<const LoadedTask>> task = load(folder.string());
    if (!task) return task.error();
    std::vector<std::string> found;
    if (has_file(folder / "kernel", "submission.toml"))
      found.push_back((folder / "kernel").string());
    for (const char* const group : {"submissions", "wrong"})
      for (const std::string& child : children(folder / group)) found.push_back(child);
    for (const std::string& path : found)
      if (const auto added = add(path, *task, false, load_submission(path)); !added)
        return added.error();
    return {};
  }

  Result<void> add_submission(const std::string& path) {
    if (!request_.task.empty()) return load_and_add(path, request_.task, true);
    if (const auto folder = task_above(path)) return load_and_add(path, *folder, false);
    // Somewhere else: its manifest says which task, by name.
    Result<Submission> submission = load_submission(path);
    if (!submission) return add(path, nullptr, false, std::move(submission));
    const fs::path folder = fs::path(request_.tasks) / submission->task;
    if (!has_file(folder, "task.toml")) {
      const std::string why = fmt::format("task {} is not in {}", submission->task, request_.tasks);
      return add(path, nullptr, false, input_error(path + ": " + why));
    }
    return load_and_add(path, folder.string(), request_.tasks_given);
  }

  Result<void> load_and_add(const std::string& path, const std::string& folder, bool given) {
    Result<std::shared_ptr<const LoadedTask>> task = load(folder);
    if (!task) return task.error();
    return add(path, *task, given, load_submission(path));
  }

  /// The nearest folder above that is a task.
  static std::optional<std::string> task_above(const fs::path& path) {
    std::error_code error;
    for (fs::path at = fs::absolute(path, error).parent_path(); at.has_relative_path();
         at = at.parent_path())
      if (has_file(at, "task.toml")) return at.string();
    return std::nullopt;
  }

  Result<std::shared_ptr<const LoadedTask>> load(const std::string& folder) {
    const std::string key = canonical(folder);
    if (const auto found = tasks_.find(key); found != tasks_.end()) return found->second;
    Result<std::shared_ptr<const LoadedTask>> task = load_task_and_cases(folder);
    if (!task) return task;
    // A board is a task's: two of one name would be ranked together.
    for (const auto& [other, loaded] : tasks_)
      if (loaded->task.name == (*task)->task.name)
        return usage_error(fmt::format("two tasks are named {}: {} and {}; score them one by one",
                                       loaded->task.name, loaded->task.folder, folder));
    tasks_.emplace(key, *task);
    return task;
  }

  Result<void> add(const std::string& path, const std::shared_ptr<const LoadedTask>& task,
                   bool given, Result<Submission> submission) {
    if (!seen_.insert(canonical(path)).second) return {};
    Result<std::optional<Verdict>> expected = load_expectation(path);
    if (!expected) return expected.error();
    Entry entry;
    entry.path = path;
    entry.id = task ? below(path, task->task.folder).value_or(path) : path;
    entry.task = task;
    entry.submission = std::move(submission);
    entry.expected = *expected;
    entry.rerun = "simfarm try " + path;
    if (given) entry.rerun += " --task " + task->task.folder;
    entries_.push_back(std::move(entry));
    return {};
  }

  const ScoreRequest& request_;
  std::map<std::string, std::shared_ptr<const LoadedTask>> tasks_;
  std::set<std::string> seen_;
  std::vector<Entry> entries_;
};

}  // namespace

std::string task_name(const Entry& entry) { return entry.task ? entry.task->task.name : "no task"; }

Result<std::vector<Entry>> plan_score(const ScoreRequest& request) {
  return Planner(request).plan();
}

std::vector<std::string> outside(const std::vector<std::string>& paths, const std::string& folder) {
  std::vector<std::string> result;
  std::copy_if(paths.begin(), paths.end(), std::back_inserter(result),
               [&](const std::string& path) { return !below(path, folder); });
  return result;
}

std::vector<std::string> outside(const std::vector<Entry>& entries, const std::string& folder) {
  std::vector<std::string> paths;
  for (const Entry& entry : entries) paths.push_back(entry.path);
  return outside(paths, folder);
}

std::vector<Scored> run_score(std::vector<Entry> plan, const Workplace& workplace, u32 threads,
                              const ScoreProgress& progress) {
  std::vector<Scored> results;
  for (Entry& entry : plan) results.push_back({std::move(entry), {}});
  std::mutex telling;
  parallel_for(results.size(), threads, [&](size_t k) {
    Scored& each = results[k];
    {
      const std::lock_guard lock(telling);
      if (progress.stop && progress.stop()) {
        each.evaluation.verdict = Verdict::cancelled;
        return;
      }
      if (progress.started) progress.started(each.entry);
    }
    each.evaluation =
        each.entry.task ? evaluate_with_repeats(*each.entry.task, each.entry.submission, workplace)
                        : Evaluation{Verdict::rejected, {}, each.entry.submission.error().message};
    each.evaluation.elf = {};  // a board needs its digest only
    const std::lock_guard lock(telling);
    if (progress.done) progress.done(each.entry, each.evaluation);
  });
  return results;
}

}  // namespace simfarm::farm
