// One submission on its way from a path to a verdict: intake, build, lint, judge.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/timing_version.h"
#include "farm/builds.h"
#include "farm/cancellation.h"
#include "farm/case.h"
#include "farm/judge.h"
#include "farm/secret.h"
#include "farm/simulations.h"
#include "farm/submission.h"
#include "farm/task.h"
#include "farm/toolchain.h"
#include "farm/verdict.h"

namespace simfarm::farm {

/// A task with its cases in memory, shared by all its submissions.
struct LoadedTask {
  Task task;
  std::vector<Case> cases;
  std::string digest = {};  ///< of its package, in a farm
};
Result<std::shared_ptr<const LoadedTask>> load_task_and_cases(const std::string& folder,
                                                              const std::string& digest = {});

/// All that anybody is told of the held-out cases.
struct HeldOutScore {
  u32 cases = 0;
  Cycle cycles = 0;  ///< of all together, boot included
};

/// What became of a submission. Everything here is the same on every host.
struct Evaluation {
  Verdict verdict = Verdict::system_error;
  std::string failed_case;  ///< where the verdict has one
  std::string failure;      ///< lines for people; empty when accepted
  std::vector<CaseScore> cases;
  u64 local_bytes = 0;        ///< of the program's segments in local memory
  std::string source_digest;  ///< of the submission's files; empty when intake refused it
  std::string elf_digest;     ///< empty without a program
  std::vector<u8> elf;
  u32 timing = timing_version;  ///< version of the timing that its cycles are of
  std::string secret;  ///< id of the secret that held-out cases came from; empty: none were run
  std::optional<HeldOutScore> held_out;  ///< when all of them passed

  bool accepted() const { return verdict == Verdict::accepted; }
  /// Cycles of all public cases, boot included. Held-out ones differ from submission to submission:
  /// what they cost cannot be compared. The score is score_of(task, cases) (task_score.h).
  Cycle cycles() const;
};

/// What judging needs of the host.
struct Workplace {
  const Toolchain& toolchain;      ///< builds sources
  Simulations& simulations;        ///< run programs
  const Secret* secret = nullptr;  ///< a farm's; null: public cases only
  Builds* builds = nullptr;        ///< programs that need not be built again; null: none
  /// What ends a build or a generator at once: CANCELLED.
  const Cancellation* cancellation = nullptr;
};

/// Judges a submission that intake accepted (or the reason why it did not). With `only_case`, that
/// case alone: for reruns, never for a board. With a farm's secret, on the task's held-out cases
/// too, once the public ones have passed.
Evaluation evaluate(const LoadedTask& task, const Result<Submission>& submission,
                    const Workplace& workplace, const std::optional<std::string>& only_case = {});

/// The same, repeated at once while it is HOST_LIMIT or SYSTEM_ERROR and may be (verdict.h,
/// repeats): for batches. A farm queues it again instead. JUDGE_ERROR is not repeated: without
/// held-out cases nothing that it comes from changes.
Evaluation evaluate_with_repeats(const LoadedTask& task, const Result<Submission>& submission,
                                 const Workplace& workplace,
                                 const std::optional<std::string>& only_case = {});

}  // namespace simfarm::farm
