#include "farm/store/coordinator.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <map>
#include <mutex>

#include "base/parallel.h"
#include "farm/store/intake.h"
#include "farm/store/place.h"

namespace simfarm::farm {
namespace {

// With less, nothing more is claimed: a result that cannot be written is work lost.
constexpr u64 min_free_bytes = 16u << 20;

Result<void> check_space(const std::string& folder) {
  struct statvfs status {};
  if (::statvfs(folder.c_str(), &status) != 0) return io_error(folder + ": cannot stat");
  const u64 left = u64{status.f_bavail} * status.f_frsize;
  if (left >= min_free_bytes) return {};
  return io_error(fmt::format("{}: {} kB left on the disk, {} are needed; nothing more is claimed",
                              folder, left >> 10, min_free_bytes >> 10));
}

/// A task, and its part of the keys.
struct ReadyTask {
  std::shared_ptr<const LoadedTask> loaded;
  KeyParts parts;
};

class Coordination {
 public:
  Coordination(Store& store, const Judge& judge, const CoordinatorRequest& request)
      : store_(store), judge_(judge), request_(request) {}

  Result<CoordinatorSummary> run() {
    const Result<i64> taken = store_.requeue_leased();
    if (!taken) return taken.error();
    summary_.taken_back = *taken;
    const u32 threads = request_.threads == 0 ? host_threads() : request_.threads;
    parallel_for(threads, threads, [&](size_t) { work(); });
    if (!failed_) return failed_.error();
    const Result<i64> queued = count_queued();
    if (!queued) return queued.error();
    summary_.queued = *queued;
    return summary_;
  }

 private:
  /// One thread: until nothing is left that it could do.
  void work() {
    for (;;) {
      Result<std::optional<Claim>> claim = next();
      if (!claim) return;
      if (!*claim) return;
      const Evaluation evaluation = evaluate_claim(**claim);
      if (!settle(**claim, evaluation)) return;
    }
  }

  Result<std::optional<Claim>> next() {
    const std::lock_guard lock(mutex_);
    if (!failed_) return failed_.error();
    if (request_.stop && request_.stop()) return std::optional<Claim>();
    Result<std::optional<Claim>> claim = claim_one();
    if (!claim) failed_ = claim.error();
    return claim;
  }

  Result<std::optional<Claim>> claim_one() {
    if (const auto space = check_space(store_.folder()); !space) return space.error();
    if (const auto ready = load_tasks(); !ready) return ready.error();
    Result<Claimed> claimed = store_.claim(
        [&](i64 task, const std::string& sources, const std::string& options) -> std::string {
          const auto found = tasks_.find(task);
          if (found == tasks_.end()) return {};
          KeyParts parts = found->second.parts;
          parts.sources = sources;
          parts.options = options;
          return evaluation_key(parts);
        });
    if (!claimed) return claimed.error();
    const Result<i64> queued = count_queued();
    if (!queued) return queued.error();
    for (const i64 submission : claimed->answered) {
      ++summary_.answered;
      tell({CoordinatorNews::What::answered, submission, "", Settled::judged, {}, *queued});
    }
    if (claimed->claim)
      tell({CoordinatorNews::What::started,
            claimed->claim->submission,
            tasks_.at(claimed->claim->task).loaded->task.name,
            Settled::judged,
            {},
            *queued,
            claimed->claim->rejudge});
    return claimed->claim;
  }

  /// Tasks of what is queued; they stay in memory for the rest of the run.
  Result<void> load_tasks() {
    const Result<std::vector<i64>> needed = store_.queued_tasks();
    if (!needed) return needed.error();
    for (const i64 id : *needed)
      if (!tasks_.contains(id))
        if (const auto loaded = load(id); !loaded) return loaded.error();
    return {};
  }

  Result<void> load(i64 id) {
    const Result<std::vector<StoredTask>> all = store_.tasks();
    if (!all) return all.error();
    for (const StoredTask& each : *all) {
      if (each.id != id) continue;
      const Result<std::string> folder = store_.task_folder(each);
      if (!folder) return folder.error();
      Result<std::shared_ptr<const LoadedTask>> loaded = load_task_and_cases(*folder, each.digest);
      if (!loaded) return loaded.error();
      ReadyTask ready{*loaded, {}};
      ready.parts.held_out = !(*loaded)->task.held_out.empty();
      if (ready.parts.held_out && request_.host.secret.empty())
        return input_error(fmt::format(
            "{}: task {} has held-out cases, and the farm has no secret to make them from: put {} "
            "back, or make another one with `simfarm farm rotate-secret`",
            store_.folder(), each.name, store_.secret_path()));
      ready.parts.task = each.digest;
      ready.parts.cases = cases_digest((*loaded)->cases);
      ready.parts.machine = machine_digest((*loaded)->task.machine);
      ready.parts.host = request_.host;
      tasks_.emplace(id, std::move(ready));
    }
    return {};
  }

  Result<i64> count_queued() { return store_.count_queued(); }

  /// From the archive to the result; no lock is held.
  Evaluation evaluate_claim(const Claim& claim) {
    std::shared_ptr<const LoadedTask> task;
    {
      const std::lock_guard lock(mutex_);
      task = tasks_.at(claim.task).loaded;
    }
    const Result<std::vector<u8>> archive = store_.blobs().get(claim.archive);
    if (!archive) return judge_(*task, archive.error());
    return judge_(*task, parse_archive(*archive, "submission"));
  }

  bool settle(const Claim& claim, const Evaluation& evaluation) {
    const std::lock_guard lock(mutex_);
    const Result<Settled> settled = store_.complete(claim, evaluation, request_.host);
    if (!settled) {
      if (failed_) failed_ = settled.error();
      return false;
    }
    switch (*settled) {
      case Settled::judged:
        ++summary_.judged;
        break;
      case Settled::again:
        ++summary_.retried;
        break;
      case Settled::gave_up:
        ++summary_.gave_up;
        break;
      case Settled::stale:
        ++summary_.stale;
        break;
    }
    tell({CoordinatorNews::What::settled, claim.submission, tasks_.at(claim.task).loaded->task.name,
          *settled, evaluation.verdict, count_queued() ? *count_queued() : 0, claim.rejudge});
    return true;
  }

  void tell(const CoordinatorNews& news) const {
    if (request_.tell) request_.tell(news);
  }

  Store& store_;
  const Judge& judge_;
  const CoordinatorRequest& request_;
  std::mutex mutex_;  ///< of everything below, and of the store
  std::map<i64, ReadyTask> tasks_;
  CoordinatorSummary summary_;
  Result<void> failed_;
};

}  // namespace

Judge official_judge(const Workplace& workplace) {
  return [workplace](const LoadedTask& task, const Result<Submission>& submission) {
    return evaluate(task, submission, workplace);
  };
}

Result<CoordinatorSummary> coordinate(Store& store, const Judge& judge,
                                      const CoordinatorRequest& request) {
  const Result<CoordinatorLock> lock = CoordinatorLock::take(store.folder());
  if (!lock) return lock.error();
  return Coordination(store, judge, request).run();
}

}  // namespace simfarm::farm
