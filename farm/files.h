// Folders: what lies in a package, names that stay inside it, and folders that go away again.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace simfarm::farm {

/// A file of a package, in memory. `path` is relative, with '/' (text.h, path_problem).
struct PackageFile {
  std::string path;
  std::vector<u8> bytes;
};

/// Bounds on what is read from a package.
struct PackageLimits {
  u64 bytes = 1u << 20;  ///< of all files together
  u32 files = 256;
};

/// The existing regular file `relative` below `folder`. Error: a name that leaves the folder, also
/// by a link, or nothing there.
Result<std::string> resolve_inside(const std::string& folder, const std::string& relative);

/// Every regular file below `folder`, sorted by path. Left out: names that start with '.' (editors
/// and version control leave them) and Python's __pycache__. Links, special files and bad names are
/// errors, like what is over the limits.
Result<std::vector<PackageFile>> read_folder(const std::string& folder,
                                             const PackageLimits& limits);

/// A folder of its own below the system's temporary folder; gone with the object.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// Writes the files below an existing folder, making folders as needed.
Result<void> write_folder(const std::string& folder, const std::vector<PackageFile>& files);

}  // namespace simfarm::farm
