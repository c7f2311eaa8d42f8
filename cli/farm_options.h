// What the farm's commands have in common: where the shipped tasks, the toolchain and the farm are.
#pragma once
#include <string>

#include "base/result.h"
#include "farm/store/key.h"
#include "farm/toolchain.h"

namespace simfarm::cli {

/// simfarm's own folder, which holds sdk/ and tasks/: SIMFARM_HOME, or the nearest folder above the
/// program that has both.
Result<std::string> home_folder();

/// The folder of the shipped tasks.
Result<std::string> shipped_tasks();

/// The toolchain that PATH, SIMFARM_CLANG and SIMFARM_LLD name.
Result<farm::Toolchain> toolchain();

/// What --farm is, in a command's help.
inline constexpr const char* farm_help = "The farm's folder ($SIMFARM_FARM)";

/// The farm that was named, or that SIMFARM_FARM names.
Result<std::string> farm_path(const std::string& given);

/// This host's part of an evaluation's key: the toolchain's digest, and this program's.
Result<farm::JudgingHost> judging_host(const farm::Toolchain& tools);

}  // namespace simfarm::cli
