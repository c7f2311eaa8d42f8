// Cases with their goldens, in one HDF5 file a group: tables that h5py reads (docs/regress.md). A
// file is hostile until parsed, as all HDF5 files are (farm/tensor_file.h).
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "regress/golden.h"

namespace simfarm::regress {

struct Entry {
  GoldenCase one;
  Golden golden;
  friend bool operator==(const Entry&, const Entry&) = default;
};

/// A file's cases. `outdated`: recorded with other counters than this simfarm has; then no golden
/// is read.
struct Pack {
  std::vector<Entry> entries;  ///< in order of name, each name once
  bool outdated = false;
};
/// Errors name the file and what is wrong with it: damaged, or of another format.
Result<Pack> read_any_pack(const std::string& path);

/// The same; an outdated one is an error too.
Result<std::vector<Entry>> read_pack(const std::string& path);

/// At once or not at all. Equal entries give equal bytes.
Result<void> write_pack(const std::string& path, std::vector<Entry> entries);

}  // namespace simfarm::regress
