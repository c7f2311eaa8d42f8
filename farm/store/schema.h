// The tables of a farm, their version, and the way from each version to the next.
#pragma once
#include <array>

#include "base/result.h"
#include "base/types.h"

namespace simfarm::farm {

class Database;

/// PRAGMA user_version: changes whenever a table does. A new version needs its migration, too.
inline constexpr i64 schema_version = 8;
/// PRAGMA application_id: "simf".
inline constexpr i64 schema_application = 0x73696d66;

/// Creates all tables as this version has them.
extern const char* const schema_sql;

/// From one version to the next.
struct Migration {
  const char* sql;
  /// What SQL cannot say, after it; in the same transaction. May be null.
  Result<void> (*code)(Database& database) = nullptr;
};

/// In order: migrations[k] leads from version k + 1 to version k + 2. One that has been released
/// is never changed; all together they make the tables that schema_sql makes.
extern const std::array<Migration, schema_version - 1> migrations;

}  // namespace simfarm::farm
