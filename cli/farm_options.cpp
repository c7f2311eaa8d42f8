#include "cli/farm_options.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "farm/digest.h"
#include "farm/sandbox.h"
#include "simfarm_version.h"

namespace simfarm::cli {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_home(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "sdk/bin/simfarm-cc", error) &&
         fs::is_directory(folder / "tasks", error);
}

std::string list_of(const std::vector<std::string>& paths) {
  constexpr size_t shown = 5;
  std::string list;
  for (size_t k = 0; k < std::min(paths.size(), shown); ++k) list += "\n  " + paths[k];
  if (paths.size() > shown) list += fmt::format("\n  and {} more", paths.size() - shown);
  return list;
}

Result<farm::ToolchainPlaces> toolchain_places() {
  Result<std::string> home = home_folder();
  if (!home) return home.error();
  return farm::ToolchainPlaces{*home, variable("PATH"), variable("SIMFARM_CLANG"),
                               variable("SIMFARM_LLD")};
}

/// Version of the simulator, and digests of its files.
Result<std::string> simulator_build() {
  std::string build = SIMFARM_VERSION;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return io_error("/proc/self/exe: " + error.message());
  // The generator of fast code is a part of the simulator, in a file of its own.
  for (const fs::path& part : {program, program.parent_path() / "libsimfarm_jit.so"}) {
    if (part != program && !fs::exists(part, error)) continue;
    const Result<std::string> digest = farm::sha256_of_file(part.string());
    if (!digest) return digest.error();
    build += " " + *digest;
  }
  return build;
}

}  // namespace

Result<std::string> home_folder() {
  if (const std::string given = variable("SIMFARM_HOME"); !given.empty()) {
    if (is_home(given)) return given;
    return input_error("SIMFARM_HOME=" + given + ": no sdk/bin/simfarm-cc and tasks/ there");
  }
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  for (fs::path at = program.parent_path(); at.has_relative_path(); at = at.parent_path())
    if (is_home(at)) return at.string();
  return input_error(
      "cannot find simfarm's own folder (sdk/, tasks/) above the program; set SIMFARM_HOME");
}

Result<std::string> shipped_tasks() {
  Result<std::string> home = home_folder();
  if (!home) return home;
  return (fs::path(*home) / "tasks").string();
}

Result<farm::Toolchain> toolchain() {
  Result<farm::ToolchainPlaces> places = toolchain_places();
  if (!places) return places.error();
  return farm::find_toolchain(*places);
}

Result<std::vector<farm::Finding>> examine(bool generators) {
  Result<farm::ToolchainPlaces> places = toolchain_places();
  if (!places) return places.error();
  return farm::examine_host(*places, variable("SIMFARM_BWRAP"), generators);
}

Result<farm::Toolchain> build_toolchain(const std::vector<std::string>& foreign, bool trust) {
  Result<farm::Toolchain> tools = toolchain();
  if (!tools) return tools;
  if (trust) {
    if (!foreign.empty())
      std::fprintf(stderr,
                   "simfarm: %zu submissions from outside the shipped tasks are built without a "
                   "sandbox, as --trust says\n",
                   foreign.size());
    return tools;
  }
  auto sandbox = farm::Sandbox::create(*tools, variable("SIMFARM_BWRAP"), variable("PATH"));
  if (sandbox) tools->sandbox = *sandbox;
  if (sandbox || foreign.empty()) return tools;
  return input_error(fmt::format(
      "{}\nThese submissions are not among the shipped examples, and are not built without a "
      "sandbox: their sources could read every file that you can. When that is mended, `simfarm "
      "doctor` says so; for authors whom you trust there is --trust.{}",
      sandbox.error().message, list_of(foreign)));
}

std::vector<std::string> not_own(const std::vector<std::string>& foreign) {
  std::vector<std::string> others;
  for (const std::string& path : foreign) {
    struct stat status {};
    const bool own = ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                     status.st_uid == ::geteuid();
    if (!own) others.push_back(path);
  }
  return others;
}

Result<std::string> farm_path(const std::string& given) {
  if (!given.empty()) return given;
  if (const std::string set = variable("SIMFARM_FARM"); !set.empty()) return set;
  return usage_error("which farm? Say --farm PATH, or set SIMFARM_FARM");
}

Result<farm::JudgingHost> judging_host(const farm::Toolchain& tools) {
  Result<std::string> digest = farm::toolchain_digest(tools);
  if (!digest) return digest.error();
  Result<std::string> simulator = simulator_build();
  if (!simulator) return simulator.error();
  farm::JudgingHost host{std::move(*digest), std::move(*simulator)};
  if (tools.sandbox) host.sandbox = fmt::format("sandbox {}", farm::sandbox_policy.version);
  return host;
}

farm::SimulatorOptions simulator_options(const std::string& crashes,
                                         std::shared_ptr<const farm::Cancellation> cancellation) {
  // This very program, also when another one was installed in its place meanwhile.
  return {.command = {"/proc/self/exe", worker_command},
          .version =
              [] {
                const Result<std::string> build = simulator_build();
                return build ? *build : build.error().message;
              },
          .crashes = crashes,
          .limits = {},
          .cancellation = std::move(cancellation)};
}

}  // namespace simfarm::cli
