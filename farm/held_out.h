// Held-out cases: made by the task's generator from seeds that nobody outside the farm can know,
// after the submission was built, so that no source can hold their answers.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "farm/case.h"
#include "farm/process.h"
#include "farm/secret.h"
#include "farm/task.h"
#include "farm/verdict.h"

namespace simfarm::farm {

/// What every held-out case is called wherever an author can see it.
inline constexpr std::string_view held_out_name = "held-out";

/// Bounds on one run of a generator. It is the operator's program: they end what hangs.
inline constexpr ProcessLimits generator_limits{.cpu_seconds = 60,
                                                .address_bytes = u64{4} << 30,
                                                .file_bytes = u64{1} << 30,
                                                .wall_seconds = 300};

/// One case of a task that is still to be made.
struct HeldOutCase {
  std::string variant;
  u64 seed = 0;
};

/// Those that a submission is judged on: a seed for each variant of the task, from the secret, the
/// task's package and the submission's files.
std::vector<HeldOutCase> held_out_cases(const Task& task, const Secret& secret,
                                        const std::string& task_digest,
                                        const std::string& source_digest);

/// Why there is no case.
struct GeneratorFault {
  Verdict verdict = Verdict::judge_error;  ///< host_limit, system_error: not the task's doing
  std::string why;                         ///< for everybody: names neither variant nor seed
  std::string details;                     ///< for the operator: the generator's own words
};

/// Either a case or why not.
struct MadeCase {
  std::optional<Case> one;
  GeneratorFault fault;
};

/// Runs the task's generator in a process of its own and reads what it wrote as any case file. The
/// case has the name and the file held_out_name.
MadeCase make_case(const Task& task, const HeldOutCase& wanted,
                   const ProcessLimits& limits = generator_limits);

/// Whether generators can run: starts their python with numpy and h5py, as they are started.
/// Returns the versions, "Python 3.11.2, numpy 1.24.2, h5py 3.7.0". Error: what it said.
Result<std::string> try_generators();

/// The same, kept as the file `path`.
MadeCase make_case_file(const Task& task, const HeldOutCase& wanted, const std::string& path,
                        const ProcessLimits& limits = generator_limits);

}  // namespace simfarm::farm
