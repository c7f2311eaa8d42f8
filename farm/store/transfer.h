// A whole farm as one file, and a new farm from it.
#pragma once
#include <string>

#include "farm/store/store.h"

namespace simfarm::farm {

struct Transferred {
  u64 rows = 0;
  u64 blobs = 0;
  u64 missing = 0;  ///< blobs that rows name and that were not in the file: of an import
};

/// Writes everything that boards are a function of: all rows, in order, and the tasks' packages;
/// with `blobs`, archives and programs too. Written aside, readable for its owner alone, then
/// renamed to `path`. The secret is not in it. Error (io): a blob is damaged, or the disk is full.
Result<Transferred> export_farm(Store& store, const std::string& path, bool blobs);

/// Makes a farm in `folder`, which is not there or empty, from such a file; its boards are those of
/// the farm that was exported. Every line is checked, and the whole as fsck does, before the folder
/// has its name: nothing is imported by half. Without blobs, what is missing is noted as dropped.
/// It has a new secret. Error: of another schema (input); a wrong line, by number (input);
/// something there already (usage).
Result<Transferred> import_farm(const std::string& path, const std::string& folder);

}  // namespace simfarm::farm
