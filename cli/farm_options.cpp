#include "cli/farm_options.h"

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "farm/digest.h"
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
  Result<std::string> home = home_folder();
  if (!home) return home.error();
  return farm::find_toolchain(
      {*home, variable("PATH"), variable("SIMFARM_CLANG"), variable("SIMFARM_LLD")});
}

Result<std::string> farm_path(const std::string& given) {
  if (!given.empty()) return given;
  if (const std::string set = variable("SIMFARM_FARM"); !set.empty()) return set;
  return usage_error("which farm? Say --farm PATH, or set SIMFARM_FARM");
}

Result<farm::JudgingHost> judging_host(const farm::Toolchain& tools) {
  constexpr u64 max_program = u64{1} << 30;
  Result<std::string> digest = farm::toolchain_digest(tools);
  if (!digest) return digest.error();
  farm::JudgingHost host{std::move(*digest), SIMFARM_VERSION};
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return io_error("/proc/self/exe: " + error.message());
  // The generator of fast code is a part of the simulator, in a file of its own.
  for (const fs::path& part : {program, program.parent_path() / "libsimfarm_jit.so"}) {
    if (part != program && !fs::exists(part, error)) continue;
    Result<std::vector<u8>> bytes = simfarm::read_file(part.string(), max_program);
    if (!bytes) return bytes.error();
    host.simulator += " " + farm::sha256(*bytes);
  }
  return host;
}

}  // namespace simfarm::cli
