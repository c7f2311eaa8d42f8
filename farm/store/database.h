// SQLite, and the only includer of it: statements, transactions, errors as values. Everything that
// a farm must not lose goes through here.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/types.h"

struct sqlite3;
struct sqlite3_stmt;

namespace simfarm::farm {

/// What a statement is given: nothing (NULL), an integer, or text.
using Value = std::variant<std::monostate, i64, std::string>;

/// Told where a transaction is: "begin", "began", "commit", "committed". For tests, which end the
/// process there.
using Boundary = std::function<void(std::string_view)>;

/// One connection. Not for two threads at once.
class Database {
 public:
  enum class Mode : u8 { read, write, create };
  /// In write-ahead mode, every commit on the disk before it returns, foreign keys enforced.
  static Result<Database> open(const std::string& path, Mode mode);

  /// Runs one statement that returns no rows.
  Result<void> run(std::string_view sql, const std::vector<Value>& values = {});
  /// Runs statements separated by ';'.
  Result<void> run_all(const std::string& sql);
  /// The first column of the first row; `otherwise` without one.
  Result<i64> integer(std::string_view sql, const std::vector<Value>& values = {},
                      i64 otherwise = 0);
  /// Rows that the last statement changed.
  i64 changed() const;
  /// The rowid of the last insertion.
  i64 inserted() const;
  void set_boundary(Boundary boundary) { boundary_ = std::move(boundary); }

 private:
  friend class Query;
  friend class Transaction;
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  Database(std::string path, sqlite3* handle) : path_(std::move(path)), handle_(handle) {}
  /// What SQLite says is wrong now.
  Error error() const;
  void reached(std::string_view where) const {
    if (boundary_) boundary_(where);
  }

  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
  Boundary boundary_;
};

/// A statement's rows, one after the other; the first error ends them, and end() tells it.
class Query {
 public:
  Query(const Database& database, std::string_view sql, const std::vector<Value>& values = {});
  /// Goes to the next row; false at the end and after an error.
  bool next();
  i64 integer(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;
  Result<void> end() const { return result_; }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  Result<void> result_;
};

/// A write transaction (BEGIN IMMEDIATE: it waits for other writers at its begin and nowhere else);
/// rolled back unless committed.
class Transaction {
 public:
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace simfarm::farm
