#include "farm/files.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/file.h"
#include "farm/text.h"

namespace simfarm::farm {
namespace fs = std::filesystem;

Result<std::string> resolve_inside(const std::string& folder, const std::string& relative) {
  if (const auto problem = path_problem(relative))
    return input_error(fmt::format("{} {}", printable_key(relative), *problem));
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return io_error(fmt::format("{}: {}", folder, error.message()));
  const fs::path path = fs::canonical(root / relative, error);
  if (error) return input_error(fmt::format("{}: no such file", relative));
  const auto [rest, unused] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  if (rest != root.end()) return input_error(fmt::format("{}: a link out of the folder", relative));
  if (!fs::is_regular_file(path, error))
    return input_error(fmt::format("{}: not a regular file", relative));
  return (fs::path(folder) / relative).string();
}

namespace {

/// Adds what is below `folder`/`prefix` to `files`.
Result<void> collect(const std::string& folder, const std::string& prefix,
                     const PackageLimits& limits, u64& bytes, std::vector<PackageFile>& files) {
  std::error_code error;
  std::set<std::string> names;
  for (fs::directory_iterator at(fs::path(folder) / prefix, error), end; !error && at != end;
       at.increment(error))
    names.insert(at->path().filename().string());
  if (error) return io_error(fmt::format("{}: {}", folder, error.message()));
  for (const std::string& name : names) {
    if (name.front() == '.' || name == "__pycache__") continue;
    const std::string path = prefix + name;
    if (const auto problem = path_problem(path))
      return input_error(fmt::format("{}/{}: the name {}", folder, printable_key(path), *problem));
    const fs::file_status status = fs::symlink_status(fs::path(folder) / path, error);
    if (error) return io_error(fmt::format("{}/{}: {}", folder, path, error.message()));
    if (fs::is_directory(status)) {
      const auto below = collect(folder, path + "/", limits, bytes, files);
      if (!below) return below.error();
      continue;
    }
    if (!fs::is_regular_file(status))
      return input_error(fmt::format("{}/{}: neither a regular file nor a folder", folder, path));
    if (files.size() == limits.files)
      return input_error(fmt::format("{}: more than {} files", folder, limits.files));
    Result<std::vector<u8>> content = read_file((fs::path(folder) / path).string(), limits.bytes);
    if (!content) return content.error();
    bytes += content->size();
    if (bytes > limits.bytes)
      return input_error(fmt::format("{}: more than {} bytes of files", folder, limits.bytes));
    files.push_back({path, std::move(*content)});
  }
  return {};
}

}  // namespace

Result<std::vector<PackageFile>> read_folder(const std::string& folder,
                                             const PackageLimits& limits) {
  std::vector<PackageFile> files;
  u64 bytes = 0;
  if (const auto read = collect(folder, "", limits, bytes, files); !read) return read.error();
  std::sort(files.begin(), files.end(),
            [](const PackageFile& a, const PackageFile& b) { return a.path < b.path; });
  return files;
}

Result<TemporaryFolder> TemporaryFolder::create() {
  std::error_code error;
  const fs::path base = fs::temp_directory_path(error);
  if (error) return io_error(fmt::format("no temporary folder: {}", error.message()));
  std::string name = (base / "simfarm-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    return io_error(fmt::format("{}: {}", name, std::generic_category().message(errno)));
  return TemporaryFolder(std::move(name));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<void> write_folder(const std::string& folder, const std::vector<PackageFile>& files) {
  for (const PackageFile& file : files) {
    const fs::path path = fs::path(folder) / file.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(file.bytes.data()),
              static_cast<std::streamsize>(file.bytes.size()));
    out.close();
    if (error || !out) return io_error(fmt::format("{}: cannot write", path.string()));
  }
  return {};
}

}  // namespace simfarm::farm
