// Whole files in and out, with a bound on what is read and no half-written file left under its
// name.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace simfarm {

/// The bytes of a regular file. Errors name the file: missing, not regular, larger than
/// `max_bytes`, or unreadable.
Result<std::vector<u8>> read_file(const std::string& path, u64 max_bytes);

/// A file in the making: written under a temporary name beside its own, then moved there at once. A
/// reader sees the old file or the new one, also after a crash. Not committed: removed.
class PendingFile {
 public:
  /// Creates the temporary file, empty, with those permissions.
  static Result<PendingFile> create(const std::string& path, u32 mode = 0644);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();

  const std::string& temporary() const { return temporary_; }
  /// fsync, rename, fsync of the folder.
  Result<void> commit();

 private:
  PendingFile(std::string path, std::string temporary)
      : path_(std::move(path)), temporary_(std::move(temporary)) {}
  std::string path_;
  std::string temporary_;  ///< empty: nothing to remove
};

/// Replaces `path` with `bytes`, as a PendingFile.
Result<void> write_file(const std::string& path, std::span<const u8> bytes, u32 mode = 0644);
/// The same of a text's bytes.
Result<void> write_text(const std::string& path, std::string_view text, u32 mode = 0644);

}  // namespace simfarm
