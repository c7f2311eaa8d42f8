// A batch: which submissions, of which tasks, judged side by side on several threads. What comes
// out depends on neither the order in which they were named nor the order in which they finished.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "farm/evaluate.h"
#include "farm/submission.h"
#include "farm/toolchain.h"

namespace simfarm::farm {

struct ScoreRequest {
  /// Submissions (folders, tar files), tasks (their kernel/, submissions/* and wrong/*), or folders
  /// of tasks.
  std::vector<std::string> paths;
  std::string task;          ///< folder of the task that all are judged by; empty: found for each
  std::string tasks;         ///< folder in which tasks are found by name
  bool tasks_given = false;  ///< `tasks` is not the shipped folder: reruns must name the task
  bool baseline = true;      ///< judge a task's kernel/ too when it was not named
};

/// One submission of a batch.
struct Entry {
  std::string path;  ///< as it was found: what reruns it
  u64 order = 0;     ///< of equal scores the smaller first; then by id
  std::string id;    ///< on the board: relative to the task where it lies there, else the path
  std::shared_ptr<const LoadedTask> task;  ///< null: it names none that we have
  Result<Submission> submission = usage_error("not read");
  std::optional<Verdict> expected;  ///< what a deliberately wrong one must get
  std::string rerun;                ///< the command that judges it again; "--case NAME" can follow
};

/// The task's name, or "no task".
std::string task_name(const Entry& entry);

/// Finds and reads everything, in order of (task, id); a path named twice counts once. Errors are
/// the request's or a task's, never a submission's: that is a verdict.
Result<std::vector<Entry>> plan_score(const ScoreRequest& request);

/// The paths that do not lie below `folder`, links followed.
std::vector<std::string> outside(const std::vector<std::string>& paths, const std::string& folder);
/// Those of a plan.
std::vector<std::string> outside(const std::vector<Entry>& entries, const std::string& folder);

/// Where a farm has put an accepted submission beside its score (docs/farm.md, "Promotion").
struct Standing {
  bool leads = false;            ///< and so ranks first
  bool undecided = false;        ///< would lead by its score; nobody has decided it yet
  std::optional<u64> behind;     ///< order of the one that it may not pass
  std::optional<bool> promoted;  ///< what was decided, when it was its turn; none: nothing
  std::string why;
};

struct Scored {
  Entry entry;
  Evaluation evaluation;
  std::optional<Standing> standing = {};  ///< of a farm's accepted ones
  /// The verdict that was announced, or, where nothing was announced, any.
  bool as_expected() const { return !entry.expected || *entry.expected == evaluation.verdict; }
};

/// Told when a submission starts and when it is done, one call at a time. Once `stop` says so, what
/// has not started is CANCELLED.
struct ScoreProgress {
  std::function<bool()> stop;
  std::function<void(const Entry&)> started;
  std::function<void(const Entry&, const Evaluation&)> done;
};

/// Judges the plan on at most `threads` threads (0: the host's); results in the plan's order.
std::vector<Scored> run_score(std::vector<Entry> plan, const Workplace& workplace, u32 threads,
                              const ScoreProgress& progress);

}  // namespace simfarm::farm
