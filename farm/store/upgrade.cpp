#include "farm/store/upgrade.h"

#include <fmt/format.h>

#include <filesystem>

#include "farm/store/place.h"
#include "farm/store/schema.h"

namespace simfarm::farm {
namespace {

Result<i64> version_of(Database& database) { return database.integer("PRAGMA user_version"); }

/// One step; the version with it.
Result<void> migrate(Database& database, i64 version) {
  const Migration& step = migrations[static_cast<size_t>(version - 1)];
  if (const auto done = database.run_all(step.sql); !done) return done.error();
  if (step.code != nullptr)
    if (const auto done = step.code(database); !done) return done.error();
  return database.run_all(fmt::format("PRAGMA user_version = {}", version + 1));
}

/// What foreign keys do not hold while tables are made anew.
Result<void> check_references(Database& database) {
  Query wrong(database, "PRAGMA foreign_key_check");
  if (wrong.next())
    return io_error(
        fmt::format("farm.db: a row of {} refers to a row of {} that is not there; "
                    "nothing was changed (simfarm farm fsck of the older version)",
                    wrong.text(0), wrong.text(2)));
  return wrong.end();
}

}  // namespace

std::string database_path(const std::string& folder) { return folder + "/farm.db"; }

Result<Database> open_any_version(const std::string& folder, Database::Mode mode) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(database_path(folder), error))
    return usage_error(folder + ": no farm there (simfarm farm init makes one)");
  if (const auto local = check_local(folder); !local) return local.error();
  Result<Database> database = Database::open(database_path(folder), mode);
  if (!database) return database.error();
  const Result<i64> application = database->integer("PRAGMA application_id");
  if (!application) return application.error();
  if (*application != schema_application)
    return input_error(folder + ": farm.db is no farm of simfarm's");
  const Result<i64> version = version_of(*database);
  if (!version) return version.error();
  if (*version < 1 || *version > schema_version)
    return input_error(
        fmt::format("{}: a farm of schema version {}; this simfarm works on version {}", folder,
                    *version, schema_version));
  return database;
}

Result<Upgraded> upgrade_farm(const std::string& folder, Boundary boundary) {
  Result<Database> database = open_any_version(folder, Database::Mode::write);
  if (!database) return database.error();
  database->set_boundary(boundary);
  const Result<CoordinatorLock> lock = CoordinatorLock::take(folder);
  if (!lock) return lock.error();
  Result<Transaction> transaction = Transaction::begin(*database);
  if (!transaction) return transaction.error();
  const Result<i64> before = version_of(*database);
  if (!before) return before.error();
  for (i64 version = *before; version < schema_version; ++version) {
    if (const auto done = migrate(*database, version); !done) return done.error();
    if (boundary) boundary("migrated");
  }
  if (const auto whole = check_references(*database); !whole) return whole.error();
  if (const auto done = transaction->commit(); !done) return done.error();
  return Upgraded{*before, schema_version};
}

}  // namespace simfarm::farm
