// Content-addressed files: archives, task packages, programs. A blob's name is the SHA-256 of its
// bytes, and is held against them whenever it is read.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace simfarm::farm {

class Blobs {
 public:
  explicit Blobs(std::string folder) : folder_(std::move(folder)) {}

  /// Makes the folders, on the disk when it returns.
  Result<void> create() const;
  /// Writes the bytes, on the disk when it returns, unless they are there already (and whole);
  /// returns their address. Afterwards the blob is new: what removes old ones leaves it.
  Result<std::string> put(std::span<const u8> bytes) const;
  /// Whether something is there; it is not read.
  bool exists(const std::string& digest) const;
  /// Removes a blob that nobody has put since then (milliseconds since 1970). Returns whether it
  /// did. Who puts it meanwhile waits, or is waited for.
  Result<bool> remove_older(const std::string& digest, i64 than) const;
  /// Error (io): nothing there, or other bytes than the address says.
  Result<std::vector<u8>> get(const std::string& digest) const;
  std::string path(const std::string& digest) const;

  /// What lies in the folders.
  struct Listing {
    std::vector<std::string> digests;  ///< sorted
    std::vector<std::string> strays;   ///< files that are no blobs: what a crash left half written
  };
  Result<Listing> list() const;

 private:
  std::string folder_;
};

/// When a file, not followed as a link, was last written, in milliseconds since 1970; none: it is
/// not there.
std::optional<i64> written_at(const std::string& path);

/// Makes a folder's entries last: fsync of it.
Result<void> sync_folder(const std::string& folder);

}  // namespace simfarm::farm
