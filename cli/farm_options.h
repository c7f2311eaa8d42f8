// What the farm's commands have in common: where the shipped tasks, the toolchain and the farm are.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "farm/doctor.h"
#include "farm/simulators.h"
#include "farm/store/key.h"
#include "farm/toolchain.h"

namespace simfarm::cli {

/// simfarm's own folder, which holds sdk/ and tasks/: SIMFARM_HOME, or the nearest folder above the
/// program that has both.
Result<std::string> home_folder();

/// The folder of the shipped tasks.
Result<std::string> shipped_tasks();

/// The toolchain that PATH, SIMFARM_CLANG and SIMFARM_LLD name, without a sandbox.
Result<farm::Toolchain> toolchain();

/// What --farm is, in a command's help.
inline constexpr const char* farm_help = "The farm's folder ($SIMFARM_FARM)";

/// The farm that was named, or that SIMFARM_FARM names.
Result<std::string> farm_path(const std::string& given);

/// This host's part of an evaluation's key: the toolchain's digest, and this program's.
Result<farm::JudgingHost> judging_host(const farm::Toolchain& tools);

/// The command that makes this program a worker (farm/simulator_worker.h).
inline constexpr const char* worker_command = "simulation-worker";

/// For child processes of this program, which simulate. `crashes` is the folder for reproducers;
/// empty: a temporary one.
farm::SimulatorOptions simulator_options(
    const std::string& crashes, std::shared_ptr<const farm::Cancellation> cancellation = nullptr);

/// What --crashes is about.
inline constexpr const char* crashes_help =
    "Folder for what a crash of the simulator leaves, to be had again (a temporary one)";

/// What `simfarm doctor` finds, looking where the commands look.
Result<std::vector<farm::Finding>> examine(bool generators);

/// The toolchain for a command's builds, in the sandbox of PATH's or SIMFARM_BWRAP's bwrap. Where
/// there is none: without, if there are no `foreign` submissions, else an error that says why there
/// is none. `trust` builds without and says so.
Result<farm::Toolchain> build_toolchain(const std::vector<std::string>& foreign, bool trust);

/// What the sandbox is not needed for when an author works on the own desk: folders of the
/// caller's. The others of `foreign`.
std::vector<std::string> not_own(const std::vector<std::string>& foreign);

/// What --trust is about.
inline constexpr const char* trust_help =
    "Build without a sandbox, with your rights: for authors whom you trust";

}  // namespace simfarm::cli
