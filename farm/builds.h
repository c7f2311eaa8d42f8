// Programs that were built before: equal sources, options, task headers and toolchains give equal
// programs (build.h), so a farm need not build them twice.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "farm/submission.h"
#include "farm/task.h"

namespace simfarm::farm {

class Builds {
 public:
  virtual ~Builds() = default;
  /// The program of that submission, if it is known, whole. Called on several threads.
  virtual std::optional<std::vector<u8>> find(const Task& task, const Submission& submission) = 0;
  /// Keeps it, if it can: nobody relies on that.
  virtual void keep(const Task& task, const Submission& submission, std::span<const u8> elf) = 0;
};

}  // namespace simfarm::farm
