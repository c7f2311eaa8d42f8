// From a submission's sources to an ELF file, and no word more than that about the host: a compiler
// that breaks is the farm's fault, a source that breaks it is the author's.
#pragma once
#include <string>
#include <vector>

#include "farm/process.h"
#include "farm/submission.h"
#include "farm/task.h"
#include "farm/toolchain.h"
#include "farm/verdict.h"

namespace simfarm::farm {

/// Bounds on one compiler run. CPU time is the author's; the wall clock is the host's safety net.
inline constexpr ProcessLimits compile_limits{.cpu_seconds = 20,
                                              .address_bytes = u64{2} << 30,
                                              .file_bytes = 64u << 20,
                                              .wall_seconds = 120,
                                              .log_bytes = 64u << 10,
                                              .output_bytes = 64u << 20};

struct Built {
  Verdict verdict = Verdict::system_error;  ///< accepted: there is an ELF
  std::string log;                          ///< what compiler and linker said, capped; safe to show
  std::vector<u8> elf;
};

/// Compiles each source and links them, in a fresh folder that holds the submission's files, with
/// the task's include/ folder in the search path. Equal submissions, tasks and toolchains give
/// equal bytes.
///
/// In the toolchain's sandbox; without one, the sources can read what this process can (#include,
/// .incbin).
Built build(const Toolchain& toolchain, const Task& task, const Submission& submission,
            const ProcessLimits& limits = compile_limits);

}  // namespace simfarm::farm
