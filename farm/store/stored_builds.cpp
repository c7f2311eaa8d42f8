#include "farm/store/stored_builds.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "farm/digest.h"

namespace simfarm::farm {
namespace {

namespace fs = std::filesystem;

constexpr u64 digest_bytes = 64;

}  // namespace

std::string build_name(const BuildParts& parts, const JudgingHost& host) {
  const std::string text =
      fmt::format("simfarm build\n{}\n{}\n{}\n{}\n{}\n{}\n", parts.sources, parts.options,
                  parts.headers, parts.local_bytes, host.toolchain, host.sandbox);
  return sha256(std::span(reinterpret_cast<const u8*>(text.data()), text.size()));
}

std::string headers_digest(const Task& task) {
  constexpr PackageLimits max_headers{.bytes = 4u << 20, .files = 256};
  std::vector<PackageFile> headers;
  const fs::path include = fs::path(task.folder) / "include";
  std::error_code error;
  if (fs::is_directory(include, error)) {
    Result<std::vector<PackageFile>> read = read_folder(include.string(), max_headers);
    if (!read) return {};
    headers = std::move(*read);
  }
  return sha256(headers);
}

/// Empty: the task's headers cannot be read.
std::string StoredBuilds::path(const Task& task, const Submission& submission) const {
  const std::string headers = headers_digest(task);
  if (headers.empty()) return {};
  const std::string key = build_name(
      {sha256(submission.files), options_digest(submission), headers, task.machine.map.local.bytes},
      host_);
  return fmt::format("{}/{}/{}", folder_, key.substr(0, 2), key);
}

std::optional<std::vector<u8>> StoredBuilds::find(const Task& task, const Submission& submission) {
  const std::string name = path(task, submission);
  if (name.empty()) return std::nullopt;
  const Result<std::vector<u8>> digest = read_file(name, digest_bytes);
  if (!digest) return std::nullopt;
  Result<std::vector<u8>> elf = blobs_.get({digest->begin(), digest->end()});
  if (!elf) return std::nullopt;
  return std::move(*elf);
}

void StoredBuilds::keep(const Task& task, const Submission& submission, std::span<const u8> elf) {
  const std::string name = path(task, submission);
  if (name.empty()) return;
  const Result<std::string> digest = blobs_.put(elf);
  std::error_code error;
  fs::create_directories(fs::path(name).parent_path(), error);
  if (!digest || error) return;
  (void)write_file(name, std::span(reinterpret_cast<const u8*>(digest->data()), digest->size()));
}

}  // namespace simfarm::farm
