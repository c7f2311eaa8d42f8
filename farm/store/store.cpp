#include "farm/store/store.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "farm/store/place.h"
#include "farm/store/schema.h"
#include "farm/store/upgrade.h"

namespace simfarm::farm {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, static_cast<size_t>(State::count) + 1> state_names = {
    "received", "rejected", "queued",    "running",      "judged",
    "ranked",   "held",     "cancelled", "system_error", "unknown"};

i64 host_clock() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

/// The database, whole or not there: made under another name.
Result<void> create_database(const std::string& folder) {
  const std::string fresh = database_path(folder) + ".new";
  std::error_code error;
  for (const char* const part : {"", "-wal", "-shm"}) fs::remove(fresh + part, error);
  {
    Result<Database> database = Database::open(fresh, Database::Mode::create);
    if (!database) return database.error();
    const std::string sql = fmt::format(
        "BEGIN IMMEDIATE; PRAGMA application_id = {}; PRAGMA user_version = {}; {} COMMIT",
        schema_application, schema_version, schema_sql);
    if (const auto made = database->run_all(sql); !made) return made.error();
  }
  fs::rename(fresh, database_path(folder), error);
  if (error) return io_error(fmt::format("{}: {}", fresh, error.message()));
  return sync_folder(folder);
}

/// A farm's database of this program's version.
Result<Database> open_database(const std::string& folder, Database::Mode mode) {
  Result<Database> database = open_any_version(folder, mode);
  if (!database) return database.error();
  const Result<i64> version = database->integer("PRAGMA user_version");
  if (!version) return version.error();
  if (*version < schema_version)
    return input_error(fmt::format(
        "{0}: a farm of schema version {1}, older than this simfarm's {2}; run `simfarm farm "
        "upgrade {0}` (it keeps everything; an older simfarm cannot read the farm afterwards)",
        folder, *version, schema_version));
  return database;
}

}  // namespace

std::string_view name(State state) { return state_names[static_cast<size_t>(state)]; }

std::optional<State> parse_state(std::string_view text) {
  for (size_t k = 0; k < static_cast<size_t>(State::count); ++k)
    if (state_names[k] == text) return static_cast<State>(k);
  return std::nullopt;
}

bool may_follow(State before, State after, Act act) {
  switch (act) {
    case Act::none:
      break;
    case Act::hold:
      return (before == State::judged || before == State::ranked) && after == State::held;
    case Act::approve:
      return before == State::held && (after == State::judged || after == State::ranked);
    case Act::cancel:
      return (before == State::queued || before == State::running || before == State::held) &&
             after == State::cancelled;
    case Act::promotion:
      return before == State::ranked && (after == State::ranked || after == State::held);
    default:
      return false;
  }
  switch (before) {
    case State::received:
      return after == State::rejected || after == State::queued;
    case State::queued:  // judged: answered from the store
      return after == State::running || after == State::judged;
    case State::running:
      return after == State::judged || after == State::queued || after == State::system_error;
    case State::judged:
      return after == State::ranked || after == State::held;
    default:
      return false;
  }
}

Store::Store(std::string folder, Database database, StoreOptions options)
    : folder_(std::move(folder)),
      blobs_(folder_ + "/blobs"),
      database_(std::move(database)),
      options_(std::move(options)) {
  if (!options_.clock) options_.clock = host_clock;
  database_.set_boundary(options_.boundary);
}

Result<void> Store::create_without_secret(const std::string& folder) {
  std::error_code error;
  if (fs::exists(database_path(folder), error))
    return usage_error(folder + ": is a farm already; nothing was changed");
  fs::create_directories(fs::path(folder) / "tasks", error);
  if (error) return io_error(fmt::format("{}: {}", folder, error.message()));
  if (const auto local = check_local(folder); !local) return local.error();
  if (const auto made = Blobs(folder + "/blobs").create(); !made) return made.error();
  if (const auto made = create_database(folder); !made) return made.error();
  const fs::path parent = fs::absolute(folder, error).lexically_normal().parent_path();
  return sync_folder(parent.string());
}

Result<void> Store::create(const std::string& folder) {
  if (const auto made = create_without_secret(folder); !made) return made.error();
  Result<Store> store = open(folder);
  if (!store) return store.error();
  if (const auto made = store->rotate_secret(); !made) return made.error();
  return {};
}

Result<Store> Store::open(const std::string& folder, StoreOptions options) {
  Result<Database> database = open_database(folder, Database::Mode::write);
  if (!database) return database.error();
  return Store(folder, std::move(*database), std::move(options));
}

Result<Store> Store::open_to_read(const std::string& folder) {
  Result<Database> database = open_database(folder, Database::Mode::read);
  if (!database) return database.error();
  return Store(folder, std::move(*database), {});
}

Result<void> Store::log(i64 submission, State state, i64 attempt, const std::string& detail,
                        const std::string& evaluation, Act act) {
  const Value key = evaluation.empty() ? Value() : Value(evaluation);
  if (const auto logged =
          database_.run("INSERT INTO events(time, submission, state, attempt, evaluation, detail, "
                        "act) VALUES(?, ?, ?, ?, ?, ?, ?)",
                        {now(), submission, std::string(name(state)), attempt, key, detail,
                         std::string(name(act))});
      !logged)
    return logged.error();
  return database_.run("UPDATE submissions SET state = ? WHERE id = ?",
                       {std::string(name(state)), submission});
}

}  // namespace simfarm::farm
