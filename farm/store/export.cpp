#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <set>
#include <system_error>

#include "base/file.h"
#include "farm/store/journal.h"
#include "farm/store/named_blobs.h"
#include "farm/store/schema.h"
#include "farm/store/transfer.h"

namespace simfarm::farm {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t part_bytes = 3u << 20;

Json text_json(const std::string& text) {
  // The only texts that JSON cannot hold.
  try {
    (void)Json(text).dump();
    return text;
  } catch (const Json::exception&) {
    std::string digits;
    for (const char c : text) digits += fmt::format("{:02x}", static_cast<u8>(c));
    return Json{{"hex", digits}};
  }
}

class Export {
 public:
  Export(Store& store, std::ofstream& out, bool blobs)
      : store_(store), database_(store.database()), out_(out), blobs_(blobs) {}

  Result<Transferred> run() {
    // One look at the farm, whoever writes to it meanwhile.
    if (const auto begun = database_.run("BEGIN"); !begun) return begun.error();
    const Result<void> written = write();
    const Result<void> ended = database_.run("COMMIT");
    if (!written) return written.error();
    if (!ended) return ended.error();
    return done_;
  }

 private:
  Result<void> write() {
    if (const auto put = this->put(writer_.line({{"schema", "simfarm.export"},
                                                 {"version", journal_version},
                                                 {"farm_schema", schema_version},
                                                 {"timing", timing_version},
                                                 {"scoring", scoring_version},
                                                 {"blobs", blobs_}}));
        !put)
      return put.error();
    Json counts = Json::object();
    for (const JournalTable& table : journal_tables()) {
      const u64 before = done_.rows;
      if (const auto put = write_table(table); !put) return put.error();
      counts[table.name] = done_.rows - before;
    }
    if (const auto put = write_blobs(); !put) return put.error();
    counts["blobs"] = done_.blobs;
    return put(writer_.end(counts));
  }

  Result<void> put(const std::string& line) {
    errno = 0;
    out_ << line;
    if (out_) return {};
    return io_error("cannot write the export: " +
                    std::generic_category().message(errno == 0 ? EIO : errno));
  }

  Result<void> write_table(const JournalTable& table) {
    std::string columns;
    for (const JournalColumn& each : table.columns)
      columns += (columns.empty() ? "" : ", ") + fmt::format("\"{}\"", each.name);
    Query rows(database_,
               fmt::format("SELECT {} FROM {} ORDER BY {}", columns, table.name, table.order));
    while (rows.next()) {
      Json row = Json::object();
      for (size_t k = 0; k < table.columns.size(); ++k)
        row[table.columns[k].name] = value(rows, static_cast<int>(k), table.columns[k].holds);
      ++done_.rows;
      if (const auto put = this->put(writer_.line({{"table", table.name}, {"row", row}})); !put)
        return put.error();
    }
    return rows.end();
  }

  static Json value(const Query& rows, int column, Holds holds) {
    if (rows.is_null(column)) return nullptr;
    if (holds == Holds::number || holds == Holds::maybe_number) return rows.integer(column);
    return text_json(rows.text(column));
  }

  Result<void> write_blobs() {
    std::set<std::string> wanted;
    Query packages(database_, "SELECT digest FROM tasks");
    while (packages.next()) wanted.insert(packages.text(0));
    if (const auto read = packages.end(); !read) return read.error();
    const Result<std::map<std::string, std::string>> named = named_blobs(database_);
    if (!named) return named.error();
    for (const auto& [digest, what] : *named) {
      if (!blobs_ && !wanted.contains(digest)) continue;
      const Result<std::optional<Dropped>> dropped = store_.dropped(digest);
      if (!dropped) return dropped.error();
      if (*dropped && !store_.blobs().exists(digest)) continue;
      const Result<std::vector<u8>> bytes = store_.blobs().get(digest);
      if (!bytes) return io_error(fmt::format("{} ({})", bytes.error().message, what));
      if (const auto put = write_blob(digest, *bytes); !put) return put.error();
    }
    return {};
  }

  Result<void> write_blob(const std::string& digest, std::span<const u8> bytes) {
    const size_t parts = std::max<size_t>(1, (bytes.size() + part_bytes - 1) / part_bytes);
    for (size_t part = 0; part < parts; ++part) {
      const size_t at = part * part_bytes;
      const std::string data = base64(bytes.subspan(at, std::min(part_bytes, bytes.size() - at)));
      if (const auto put = this->put(writer_.line(
              {{"blob", digest}, {"part", part + 1}, {"parts", parts}, {"data", data}}));
          !put)
        return put.error();
    }
    ++done_.blobs;
    return {};
  }

  Store& store_;
  Database& database_;
  std::ofstream& out_;
  bool blobs_;
  JournalWriter writer_;
  Transferred done_;
};

}  // namespace

Result<Transferred> export_farm(Store& store, const std::string& path, bool blobs) {
  constexpr u32 owner_alone = 0600;
  Result<PendingFile> pending = PendingFile::create(path, owner_alone);
  if (!pending) return pending.error();
  std::ofstream out(pending->temporary(), std::ios::binary);
  const Result<Transferred> done = Export(store, out, blobs).run();
  if (!done) return Error{done.error().kind, path + ": " + done.error().message};
  errno = 0;
  out.close();
  if (!out)
    return io_error(path +
                    ": cannot write: " + std::generic_category().message(errno == 0 ? EIO : errno));
  if (const auto committed = pending->commit(); !committed) return committed.error();
  return *done;
}

}  // namespace simfarm::farm
