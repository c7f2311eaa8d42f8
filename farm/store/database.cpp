#include "farm/store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace simfarm::farm {
namespace {

// Other processes (submit, while score runs) hold the database for milliseconds.
constexpr int busy_milliseconds = 60'000;

int flags_of(Database::Mode mode) {
  if (mode == Database::Mode::read) return SQLITE_OPEN_READONLY;
  return SQLITE_OPEN_READWRITE | (mode == Database::Mode::create ? SQLITE_OPEN_CREATE : 0);
}

/// Nobody at all, or not this user, can make a file beside that one.
bool is_in_fixed_folder(const std::string& path) {
  struct statvfs status {};
  if (::statvfs(path.c_str(), &status) == 0 && (status.f_flag & ST_RDONLY) != 0) return true;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return ::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0;
}

/// What SQLite opens. It reads through a file of its own beside the database; where it cannot make
/// one, and nobody else has, it must be told that it needs none.
std::string name_to_open(const std::string& path, Database::Mode mode) {
  std::error_code error;
  const bool fixed = mode == Database::Mode::read && is_in_fixed_folder(path) &&
                     !std::filesystem::exists(path + "-wal", error);
  std::string name = path.starts_with('/') ? "file://" : "file:";
  for (const char c : path)
    name += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", static_cast<unsigned>(c))
                                             : std::string(1, c);
  return name + (fixed ? "?immutable=1" : "");
}

/// A value into its place; SQLite's code.
int bind_value(sqlite3_stmt* statement, int place, const Value& value) {
  if (const i64* number = std::get_if<i64>(&value))
    return sqlite3_bind_int64(statement, place, *number);
  if (const std::string* text = std::get_if<std::string>(&value))
    return sqlite3_bind_text64(statement, place, text->data(), text->size(), SQLITE_TRANSIENT,
                               SQLITE_UTF8);
  return sqlite3_bind_null(statement, place);
}

}  // namespace

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close(handle); }

Result<Database> Database::open(const std::string& path, Mode mode) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name_to_open(path, mode).c_str(), &handle,
                                   flags_of(mode) | SQLITE_OPEN_URI, nullptr);
  Database database(path, handle);
  if (code != SQLITE_OK) return database.error();
  sqlite3_busy_timeout(handle, busy_milliseconds);
  const char* const settings = mode == Mode::read
                                   ? "PRAGMA foreign_keys = ON; PRAGMA query_only = ON"
                                   : "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
                                     "PRAGMA foreign_keys = ON";
  if (const auto set = database.run_all(settings); !set) return set.error();
  return database;
}

Error Database::error() const {
  const int code = handle_ == nullptr ? SQLITE_NOMEM : sqlite3_extended_errcode(handle_.get());
  const char* const message = handle_ == nullptr ? "out of memory" : sqlite3_errmsg(handle_.get());
  std::string text = fmt::format("{}: {} (SQLite {})", path_, message, code);
  if (const int why = handle_ == nullptr ? 0 : sqlite3_system_errno(handle_.get()); why != 0)
    text += ": " + std::generic_category().message(why);
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Error::Kind::temporary, text};
    case SQLITE_NOTADB:
      return input_error(text);
    case SQLITE_CONSTRAINT:
    case SQLITE_ERROR:
    case SQLITE_MISUSE:
      return {Error::Kind::internal, text};
    default:
      return io_error(text);
  }
}

Result<void> Database::run(std::string_view sql, const std::vector<Value>& values) {
  Query query(*this, sql, values);
  while (query.next()) continue;
  return query.end();
}

Result<void> Database::run_all(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return error();
  return {};
}

Result<i64> Database::integer(std::string_view sql, const std::vector<Value>& values,
                              i64 otherwise) {
  Query query(*this, sql, values);
  const i64 value = query.next() ? query.integer(0) : otherwise;
  if (const auto read = query.end(); !read) return read.error();
  return value;
}

i64 Database::changed() const { return sqlite3_changes64(handle_.get()); }

i64 Database::inserted() const { return sqlite3_last_insert_rowid(handle_.get()); }

void Query::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Query::Query(const Database& database, std::string_view sql, const std::vector<Value>& values)
    : database_(database) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(database.handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                &statement, nullptr);
  statement_.reset(statement);
  for (size_t k = 0; code == SQLITE_OK && k < values.size(); ++k)
    code = bind_value(statement, static_cast<int>(k) + 1, values[k]);
  if (code != SQLITE_OK) result_ = database.error();
}

bool Query::next() {
  if (!result_) return false;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) result_ = database_.error();
  return false;
}

i64 Query::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string Query::text(int column) const {
  const auto* text = sqlite3_column_text(statement_.get(), column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

bool Query::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Result<Transaction> Transaction::begin(Database& database) {
  database.reached("begin");
  if (const auto begun = database.run("BEGIN IMMEDIATE"); !begun) return begun.error();
  Transaction transaction(database);
  database.reached("began");
  return transaction;
}

Transaction::~Transaction() {
  // An error may have rolled it back already; then this one says so and changes nothing.
  if (database_ != nullptr) (void)database_->run("ROLLBACK");
}

Result<void> Transaction::commit() {
  database_->reached("commit");
  if (const auto done = database_->run("COMMIT"); !done) return done.error();
  std::exchange(database_, nullptr)->reached("committed");
  return {};
}

}  // namespace simfarm::farm
