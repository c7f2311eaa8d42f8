// Where programs are simulated. A submission's program is a stranger's; whoever judges it has only
// this door, behind which the farm keeps child processes (simulators.h) and tests nothing.
#pragma once
#include <span>
#include <vector>

#include "farm/judge.h"

namespace simfarm::farm {

class Simulations {
 public:
  virtual ~Simulations() = default;
  /// Something will be simulated soon: whoever simulates may make itself ready meanwhile.
  virtual void prepare() {}

  /// Reads, lints and judges a program, which is hostile until then, on those cases in order, up to
  /// the first that fails (judge_program). The cases need not be the task's public ones. Called on
  /// several threads. What happens to whoever simulates is a verdict too: SYSTEM_ERROR, HOST_LIMIT.
  virtual Judgement judge(const Task& task, const std::vector<Case>& cases, std::span<const u8> elf,
                          const JudgeOptions& options = {}) = 0;
};

/// In the calling thread: for tests, and for programs that are one's own.
class SimulationsHere : public Simulations {
 public:
  Judgement judge(const Task& task, const std::vector<Case>& cases, std::span<const u8> elf,
                  const JudgeOptions& options = {}) override {
    return judge_program(task, cases, {elf.begin(), elf.end()}, options);
  }
};

}  // namespace simfarm::farm
