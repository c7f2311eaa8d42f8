#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <limits>
#include <set>
#include <system_error>

#include "farm/digest.h"
#include "farm/store/fsck.h"
#include "farm/store/journal.h"
#include "farm/store/named_blobs.h"
#include "farm/store/place.h"
#include "farm/store/schema.h"
#include "farm/store/transfer.h"
#include "farm/task.h"

namespace simfarm::farm {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr u64 max_blob = u64{2} << 30;

/// A text as export writes it; none: something else.
std::optional<std::string> parse_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object() || value.size() != 1 || !value.contains("hex") ||
      !value["hex"].is_string())
    return std::nullopt;
  const std::string digits = value["hex"].get<std::string>();
  std::string text;
  for (size_t at = 0; at + 1 < digits.size(); at += 2) {
    u32 byte = 0;
    for (const char c : {digits[at], digits[at + 1]}) {
      const size_t digit = std::string_view("0123456789abcdef").find(c);
      if (digit == std::string_view::npos) return std::nullopt;
      byte = byte << 4 | static_cast<u32>(digit);
    }
    text += static_cast<char>(byte);
  }
  if (digits.size() % 2 != 0) return std::nullopt;
  return text;
}

/// A column's value; none: it may not hold that.
std::optional<Value> parse_value(const Json& value, Holds holds) {
  const bool may_be_null = holds == Holds::maybe_number || holds == Holds::maybe_digest;
  if (value.is_null()) return may_be_null ? std::optional(Value()) : std::nullopt;
  if (holds == Holds::number || holds == Holds::maybe_number) {
    constexpr u64 most = static_cast<u64>(std::numeric_limits<i64>::max());
    if (!value.is_number_unsigned() || value.get<u64>() > most) return std::nullopt;
    return Value(value.get<i64>());
  }
  std::optional<std::string> text = parse_text(value);
  if (!text) return std::nullopt;
  const bool any = holds == Holds::text;
  const bool empty = holds == Holds::empty_digest && text->empty();
  if (!any && !empty && !is_sha256(*text)) return std::nullopt;
  return Value(std::move(*text));
}

class Import {
 public:
  Import(const std::string& path, Store& store)
      : journal_(path), store_(store), database_(store.database()) {}

  Result<Transferred> run() {
    if (const auto good = read_header(); !good) return good.error();
    Result<Transaction> transaction = Transaction::begin(database_);
    if (!transaction) return transaction.error();
    for (;;) {
      const Result<std::optional<Json>> line = journal_.next();
      if (!line) return line.error();
      if (!*line) break;
      const auto taken = (*line)->contains("blob") ? take_blob(**line) : take_row(**line);
      if (!taken) return taken.error();
    }
    if (parts_left_ != 0) return journal_.error("the last blob has parts that are missing");
    if (const auto good = check_counts(); !good) return good.error();
    if (const auto noted = note_missing(); !noted) return noted.error();
    if (const auto committed = transaction->commit(); !committed) return committed.error();
    return done_;
  }

 private:
  Result<void> read_header() {
    const Result<std::optional<Json>> line = journal_.next();
    if (!line) return line.error();
    if (!*line || (*line)->value("schema", Json()) != "simfarm.export")
      return journal_.error("no export of a farm");
    const auto is = [&](const char* key, i64 wanted) {
      return (*line)->contains(key) && (**line)[key] == wanted;
    };
    if (!is("version", journal_version))
      return journal_.error(fmt::format("an export of another version than {}", journal_version));
    if (!is("farm_schema", schema_version))
      return journal_.error(
          fmt::format("a farm of schema version {}; this simfarm works on version {}: import it "
                      "with the simfarm that wrote it, then `simfarm farm upgrade`",
                      (*line)->value("farm_schema", Json()).dump(), schema_version));
    blobs_ = (*line)->value("blobs", Json()) == true;
    return {};
  }

  Result<void> take_row(const Json& line) {
    const std::vector<JournalTable>& tables = journal_tables();
    if (line.size() != 2 || !line.contains("table") || !line.contains("row") ||
        !line["row"].is_object())
      return journal_.error("neither a row nor a blob");
    size_t k = table_;
    while (k < tables.size() && line["table"] != tables[k].name) ++k;
    if (k == tables.size() || in_blobs_)
      return journal_.error(fmt::format("table {}: there is none, or its place is before this one",
                                        line["table"].dump()));
    table_ = k;
    const JournalTable& table = tables[k];
    std::vector<Value> values;
    std::string columns, marks;
    if (line["row"].size() != table.columns.size())
      return journal_.error(
          fmt::format("a row of {} has {} columns", table.name, table.columns.size()));
    for (const JournalColumn& column : table.columns) {
      const auto value = line["row"].find(column.name);
      const auto parsed =
          value == line["row"].end() ? std::nullopt : parse_value(*value, column.holds);
      if (!parsed)
        return journal_.error(
            fmt::format("{}.{}: not there, or what it cannot hold", table.name, column.name));
      values.push_back(*parsed);
      columns += (columns.empty() ? "" : ", ") + fmt::format("\"{}\"", column.name);
      marks += marks.empty() ? "?" : ", ?";
    }
    if (table.name == std::string_view("tasks") && !is_task_name(std::get<std::string>(values[1])))
      return journal_.error("tasks.name: no name of a task");
    const auto kept = database_.run(
        fmt::format("INSERT INTO {}({}) VALUES({})", table.name, columns, marks), values);
    if (!kept && kept.error().kind == Error::Kind::io) return kept.error();
    if (!kept) return journal_.error("the row contradicts others: " + kept.error().message);
    ++counts_[table.name];
    ++done_.rows;
    return {};
  }

  Result<void> take_blob(const Json& line) {
    if (const auto done = begin_blobs(); !done) return done.error();
    const auto number = [&](const char* key) {
      return line.contains(key) && line[key].is_number_unsigned() ? line[key].get<u64>() : u64{0};
    };
    if (line.size() != 4 || !line["blob"].is_string() || !line.contains("data") ||
        !line["data"].is_string())
      return journal_.error("no part of a blob");
    const std::string digest = line["blob"].get<std::string>();
    const std::optional<std::vector<u8>> bytes = parse_base64(line["data"].get<std::string>());
    if (!bytes) return journal_.error("data: no base64");
    const u64 part = number("part"), parts = number("parts");
    if (parts_left_ == 0) {
      if (!named_.contains(digest) || digest <= blob_)
        return journal_.error("blob: no row names it, or its place is before this one");
      blob_ = digest;
      bytes_.clear();
      parts_ = parts_left_ = parts;
    }
    if (digest != blob_ || parts != parts_ || part == 0 || part != parts_ - parts_left_ + 1 ||
        bytes_.size() + bytes->size() > max_blob)
      return journal_.error("the parts of a blob are not in order");
    bytes_.insert(bytes_.end(), bytes->begin(), bytes->end());
    if (--parts_left_ != 0) return {};
    if (sha256(bytes_) != blob_)
      return journal_.error("the blob's bytes are not those of its name");
    if (const auto put = store_.blobs().put(bytes_); !put) return put.error();
    bytes_.clear();
    ++done_.blobs;
    return {};
  }

  /// All rows are there.
  Result<void> begin_blobs() {
    if (in_blobs_) return {};
    in_blobs_ = true;
    Result<std::map<std::string, std::string>> named = named_blobs(database_);
    if (!named) return named.error();
    named_ = std::move(*named);
    return {};
  }

  Result<void> check_counts() {
    Json counts = Json::object();
    for (const JournalTable& table : journal_tables()) counts[table.name] = counts_[table.name];
    counts["blobs"] = done_.blobs;
    if (counts != journal_.counts()) return journal_.error("other numbers of rows than there are");
    return {};
  }

  Result<void> note_missing() {
    if (const auto done = begin_blobs(); !done) return done.error();
    const Result<std::vector<StoredTask>> tasks = store_.tasks();
    if (!tasks) return tasks.error();
    for (const StoredTask& each : *tasks)
      if (!store_.blobs().exists(each.digest))
        return journal_.error(fmt::format("the package of task {} is missing", each.name));
    for (const auto& [digest, what] : named_) {
      if (store_.blobs().exists(digest)) continue;
      const Result<std::optional<Dropped>> dropped = store_.dropped(digest);
      if (!dropped) return dropped.error();
      if (*dropped) continue;
      if (blobs_) return journal_.error(fmt::format("blob {} is missing ({})", digest, what));
      ++done_.missing;
      if (const auto noted =
              database_.run("INSERT INTO dropped(digest, time, why) VALUES(?, ?, ?)",
                            {digest, store_.now(), "the farm was imported without blobs"});
          !noted)
        return noted.error();
    }
    return {};
  }

  JournalReader journal_;
  Store& store_;
  Database& database_;
  Transferred done_;
  bool blobs_ = false;  ///< the file says that it has all of them
  size_t table_ = 0;
  std::map<std::string, u64> counts_;
  bool in_blobs_ = false;
  std::map<std::string, std::string> named_;
  std::string blob_;  ///< the last one that was begun
  std::vector<u8> bytes_;
  u64 parts_ = 0, parts_left_ = 0;
};

/// What the lines alone do not say: that the farm is one.
Result<void> check_imported(const std::string& path, Store& store) {
  const auto wrong = [&](const std::string& what) {
    return input_error(fmt::format("{}: no whole farm: {}", path, what));
  };
  const Result<std::vector<StoredTask>> tasks = store.tasks();
  if (!tasks) return tasks.error();
  for (const StoredTask& each : *tasks) {
    const Result<std::string> folder = store.task_folder(each);
    if (!folder) return wrong(folder.error().message);
    const Result<Task> task = load_task(*folder);
    if (!task) return wrong(task.error().message);
    if (task->name != each.name) return wrong("the package of task " + each.name + " is another's");
  }
  if (const auto secret = store.rotate_secret(); !secret) return secret.error();
  const Result<FsckReport> report = check_farm(store);
  if (!report) return report.error();
  if (!report->problems.empty()) return wrong(report->problems.front());
  return {};
}

}  // namespace

Result<Transferred> import_farm(const std::string& path, const std::string& folder) {
  std::error_code error;
  const std::string place = fs::absolute(folder, error).lexically_normal().string();
  const std::string target = place.ends_with('/') ? place.substr(0, place.size() - 1) : place;
  if (fs::exists(target, error) &&
      !(fs::is_directory(target, error) && fs::is_empty(target, error)))
    return usage_error(folder +
                       ": something is there already; a farm is imported into a new folder");
  std::string fresh = target + ".import-XXXXXX";
  if (::mkdtemp(fresh.data()) == nullptr)
    return io_error(fmt::format("{}: {}", fresh, std::generic_category().message(errno)));
  const auto result = [&]() -> Result<Transferred> {
    if (const auto made = Store::create_without_secret(fresh); !made) return made.error();
    Result<Store> store = Store::open(fresh);
    if (!store) return store.error();
    Result<Transferred> done = Import(path, *store).run();
    if (!done) return done;
    if (const auto whole = check_imported(path, *store); !whole) return whole.error();
    return done;
  }();
  if (result) {
    fs::permissions(fresh, fs::perms(0755), error);
    // Onto an empty folder as well; onto anything else it fails.
    fs::rename(fresh, target, error);
    if (!error) {
      if (const auto synced = sync_folder(fs::path(target).parent_path().string()); !synced)
        return synced.error();
      return result;
    }
  }
  std::error_code ignored;
  fs::remove_all(fresh, ignored);
  if (!result) return result;
  return io_error(fmt::format("{}: {}", folder, error.message()));
}

}  // namespace simfarm::farm
