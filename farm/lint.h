// What an ELF file must be to be scored: nothing is free in a scored run.
#pragma once
#include <string>

#include "farm/task.h"
#include "farm/verdict.h"
#include "memory/program.h"

namespace simfarm::farm {

struct Linted {
  Verdict verdict = Verdict::accepted;  ///< or rejected, or memory_limit
  std::string why;                      ///< names segment and rule; empty when accepted
  u64 local_bytes = 0;                  ///< of the segments in local memory, zeroed ones included
};

/// Holds one image to the task's machine and limits: segments in instruction memory and local
/// memory only (DRAM or OCM would be preloaded for nothing), code where code belongs, the entry in
/// it, and no more local data than the task allows.
Linted lint(const Image& image, const Task& task);

/// Cycles charged before cycle 0 of each case: local segments and argument block, loaded into every
/// PE at 8 bytes a cycle, rounded up (docs/tasks.md, "Score").
Cycle boot_cycles(u64 local_bytes, u64 argument_bytes);

}  // namespace simfarm::farm
