#include "cli/farm_options.h"

#include <cstdlib>
#include <filesystem>

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

}  // namespace simfarm::cli
