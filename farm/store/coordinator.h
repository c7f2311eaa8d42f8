// Judging a farm's queue: leases, the existing way of a submission (farm/evaluate.h), results.
#pragma once
#include <functional>
#include <string>

#include "farm/store/store.h"

namespace simfarm::farm {

/// From a submission to its evaluation; called on several threads.
using Judge = std::function<Evaluation(const LoadedTask&, const Result<Submission>&)>;

/// The official one. The only place from which a farm's sources are built and run.
Judge official_judge(const Workplace& workplace);

/// From two contenders to a decision about the lead; called on several threads.
using Referee = std::function<Decision(const Contest&)>;

/// The official one (farm/promotion.h).
Referee official_referee(const Workplace& workplace);

/// What just happened, one call at a time, by the thread that has the store.
struct CoordinatorNews {
  /// `deciding` and `decided` are about who leads.
  enum class What : u8 { started, answered, settled, deciding, decided } what{};
  i64 submission = 0;
  std::string task;
  Settled settled = Settled::judged;    ///< when `settled`
  Verdict verdict = Verdict::accepted;  ///< when `settled`
  i64 queued = 0;                       ///< that wait now
  i64 rejudge = 0;                      ///< the set for which it is judged again; 0: none
  Decision decision = {};               ///< when `decided`; maybe the farm's fault
};

struct CoordinatorRequest {
  u32 threads = 0;  ///< 0: the host's
  JudgingHost host;
  std::function<bool()> stop;  ///< once it says so, nothing more is begun
  std::function<void(const CoordinatorNews&)> tell;
  Referee referee = {};  ///< none: nobody is promoted
};

struct CoordinatorSummary {
  i64 taken_back = 0;  ///< leases of a coordinator that is gone
  i64 judged = 0;
  i64 answered = 0;  ///< from the store, without running
  i64 retried = 0;
  i64 gave_up = 0;
  i64 stale = 0;
  i64 promoted = 0;
  i64 not_promoted = 0;
  i64 disagreements = 0;      ///< of these, for engines that disagree
  i64 undecided = 0;          ///< tasks whose next leader the farm failed to decide about
  std::string undecided_why;  ///< the last of its faults
  i64 queued = 0;             ///< left: after a stop
};

/// Judges everything that is queued and comes in meanwhile, and decides who leads, then returns.
/// Whatever a coordinator left that was killed is judged and decided too. Error: another
/// coordinator, a task that cannot be read, the disk is full or nearly so; what was finished is
/// kept.
Result<CoordinatorSummary> coordinate(Store& store, const Judge& judge,
                                      const CoordinatorRequest& request);

}  // namespace simfarm::farm
