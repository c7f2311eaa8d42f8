// What `task`, `try` and `score` have in common: where the shipped tasks and the toolchain are.
#pragma once
#include <string>

#include "base/result.h"
#include "farm/toolchain.h"

namespace simfarm::cli {

/// simfarm's own folder, which holds sdk/ and tasks/: SIMFARM_HOME, or the nearest folder above the
/// program that has both.
Result<std::string> home_folder();

/// The folder of the shipped tasks.
Result<std::string> shipped_tasks();

/// The toolchain that PATH, SIMFARM_CLANG and SIMFARM_LLD name.
Result<farm::Toolchain> toolchain();

}  // namespace simfarm::cli
