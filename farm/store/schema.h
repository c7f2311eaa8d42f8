// The tables of a farm, and their version.
#pragma once
#include "base/types.h"

namespace simfarm::farm {

/// PRAGMA user_version: changes whenever a table does.
inline constexpr i64 schema_version = 1;
/// PRAGMA application_id: "simf".
inline constexpr i64 schema_application = 0x73696d66;

/// Creates all tables.
extern const char* const schema_sql;

}  // namespace simfarm::farm
