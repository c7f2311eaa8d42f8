// Whether a farm is whole: every blob re-hashed, the log held against the tables.
#pragma once
#include <string>
#include <vector>

#include "farm/store/store.h"

namespace simfarm::farm {

struct FsckReport {
  std::vector<std::string> problems;  ///< something is lost or wrong
  std::vector<std::string> notes;     ///< harmless: what a crash left lying about
  u64 blobs = 0;
  u64 submissions = 0;
  u64 events = 0;
  u64 evaluations = 0;
  u64 dropped = 0;  ///< blobs that are not kept, on purpose
};

/// Error: it could not be looked at. Changes nothing.
Result<FsckReport> check_farm(Store& store);

}  // namespace simfarm::farm
