#include "farm/toolchain.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace simfarm::farm {
namespace {

bool is_program(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error) && ::access(path.c_str(), R_OK | X_OK) == 0;
}

}  // namespace

Result<std::string> find_program(const std::string& given, std::string_view program,
                                 std::string_view package, const std::string& search_path) {
  if (!given.empty()) {
    if (is_program(given)) return std::filesystem::absolute(given).string();
    return input_error(fmt::format("{}: no such program", given));
  }
  for (size_t start = 0; start < search_path.size();) {
    const size_t end = std::min(search_path.find(':', start), search_path.size());
    const std::string path = fmt::format("{}/{}", search_path.substr(start, end - start), program);
    if (path.front() == '/' && is_program(path)) return path;
    start = end + 1;
  }
  return input_error(
      fmt::format("{} is not installed; on Debian 12: apt-get install {}", program, package));
}

Result<Toolchain> find_toolchain(const ToolchainPlaces& places) {
  Toolchain toolchain;
  toolchain.driver = (std::filesystem::path(places.home) / "sdk/bin/simfarm-cc").string();
  Result<std::string> clang =
      find_program(places.clang, "clang-19", "clang-19", places.search_path);
  if (!clang) return clang.error();
  Result<std::string> lld = find_program(places.lld, "ld.lld-19", "lld-19", places.search_path);
  if (!lld) return lld.error();
  toolchain.clang = *clang;
  toolchain.lld = *lld;
  if (const auto there = check_toolchain(toolchain); !there) return there.error();
  return toolchain;
}

Result<void> check_toolchain(const Toolchain& toolchain) {
  for (const std::string& program : {toolchain.driver, toolchain.clang, toolchain.lld})
    if (!is_program(program))
      return input_error(fmt::format("toolchain: {} is missing or cannot be executed", program));
  return {};
}

}  // namespace simfarm::farm
