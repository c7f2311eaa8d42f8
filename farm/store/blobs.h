// Content-addressed files: archives, task packages, programs. A blob's name is the SHA-256 of its
// bytes, and is held against them whenever it is read.
#pragma once
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
  /// returns their address.
  Result<std::string> put(std::span<const u8> bytes) const;
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

/// Makes a folder's entries last: fsync of it.
Result<void> sync_folder(const std::string& folder);

}  // namespace simfarm::farm
