// A farm of an older schema made into one of this program's.
#pragma once
#include <string>

#include "base/result.h"
#include "farm/store/database.h"

namespace simfarm::farm {

std::string database_path(const std::string& folder);

/// A farm's database, of this schema version or an older one. Error: no farm, a newer schema's, or
/// on a network file system.
Result<Database> open_any_version(const std::string& folder, Database::Mode mode);

/// Schema versions before and after; equal: there was nothing to do.
struct Upgraded {
  i64 before = 0;
  i64 after = 0;
};

/// Applies the migrations that the farm lacks, in one transaction: afterwards it has this version,
/// or it is as it was. `boundary` is also told "migrated" after each. Error: another coordinator is
/// at work, or as open_any_version.
Result<Upgraded> upgrade_farm(const std::string& folder, Boundary boundary = {});

}  // namespace simfarm::farm
