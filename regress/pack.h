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

/// In order of name, each name once. Errors name the file and what is wrong with it: damaged, of
/// another format, or recorded with other counters than this simfarm has.
Result<std::vector<Entry>> read_pack(const std::string& path);

/// At once or not at all. Equal entries give equal bytes.
Result<void> write_pack(const std::string& path, std::vector<Entry> entries);

}  // namespace simfarm::regress
