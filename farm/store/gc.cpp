#include "farm/store/gc.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <tuple>

#include "base/file.h"
#include "farm/store/named_blobs.h"
#include "farm/store/stored_builds.h"

namespace simfarm::farm {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, static_cast<size_t>(GcItem::What::count)> gc_names = {
    "orphan", "stray", "build", "crash", "log", "archive"};

// So many blobs are removed in one transaction: others who write wait for as long.
constexpr size_t gc_batch = 64;

std::string age_text(i64 milliseconds) {
  constexpr i64 hour = i64{3600} * 1000;
  const i64 hours = milliseconds / hour;
  return hours < 48 ? fmt::format("{} h", hours) : fmt::format("{} d", hours / 24);
}

u64 bytes_below(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(fs::symlink_status(path, error))) {
    const auto size = fs::file_size(path, error);
    return error ? 0 : u64{size};
  }
  u64 bytes = 0;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
       at.increment(error)) {
    std::error_code unreadable;
    if (!at->is_regular_file(unreadable)) continue;
    const auto size = at->file_size(unreadable);
    if (!unreadable) bytes += size;
  }
  return bytes;
}

class Collection {
 public:
  Collection(Store& store, const GcRequest& request)
      : store_(store), database_(store.database()), request_(request), now_(store.now()) {}

  Result<GcReport> run() {
    if (const auto done = builds(); !done) return done.error();
    if (const auto done = crashes(); !done) return done.error();
    if (const auto done = leftovers(); !done) return done.error();
    // What needs no room on the disk first.
    if (const auto done = blobs(); !done) return done.error();
    if (request_.log_age || !request_.archives_of.empty()) {
      if (const auto done = drop(); !done) return done.error();
      if (const auto done = blobs(); !done) return done.error();
    }
    if (const auto done = count_kept(); !done) return done.error();
    std::sort(report_.removed.begin(), report_.removed.end(), [](const GcItem& a, const GcItem& b) {
      return std::tie(a.what, a.name) < std::tie(b.what, b.name);
    });
    for (const GcItem& each : report_.removed) report_.bytes += each.bytes;
    return std::move(report_);
  }

 private:
  void removed(GcItem::What what, std::string name, u64 bytes, std::string why) {
    report_.removed.push_back({what, std::move(name), bytes, std::move(why)});
    if (!request_.dry_run && request_.boundary) request_.boundary("removed");
  }

  /// A path inside the farm; a folder gets another name first, so that no half of it has its own.
  Result<void> remove(GcItem::What what, const fs::path& path, const std::string& why) {
    const u64 bytes = bytes_below(path);
    const std::string name = path.lexically_relative(store_.folder()).string();
    if (!request_.dry_run) {
      std::error_code error;
      fs::path gone = path;
      if (fs::is_directory(fs::symlink_status(path, error)) && path.extension() != ".gone") {
        gone += ".gone";
        fs::remove_all(gone, error);
        fs::rename(path, gone, error);
        if (!error && request_.boundary) request_.boundary("renamed");
      }
      if (!error) fs::remove_all(gone, error);
      if (error && error != std::errc::no_such_file_or_directory)
        return io_error(fmt::format("{}: cannot remove: {}", path.string(), error.message()));
    }
    removed(what, name, bytes, why);
    return {};
  }

  bool older(const fs::path& path, i64 age) const {
    const std::optional<i64> written = written_at(path.string());
    return written && *written < now_ - age;
  }

  static std::vector<fs::path> entries(const fs::path& folder) {
    std::vector<fs::path> all;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
      all.push_back(at->path());
    std::sort(all.begin(), all.end());
    return all;
  }

  /// The names that builds/ has for what is in the farm.
  Result<std::set<std::string>> current_builds() {
    std::set<std::string> current;
    const Result<std::vector<StoredTask>> tasks = store_.tasks();
    if (!tasks) return tasks.error();
    for (const StoredTask& each : *tasks) {
      const Result<std::string> folder = store_.task_folder(each);
      if (!folder) return folder.error();
      const Result<Task> task = load_task(*folder);
      if (!task) return task.error();
      const std::string headers = headers_digest(*task);
      Query query(database_,
                  "SELECT DISTINCT sources, options FROM submissions WHERE task = ? AND sources <> "
                  "''",
                  {each.id});
      while (query.next())
        for (const JudgingHost& host : request_.builders)
          current.insert(build_name(
              {query.text(0), query.text(1), headers, task->machine.map.local.bytes}, host));
      if (const auto read = query.end(); !read) return read.error();
    }
    return current;
  }

  Result<void> builds() {
    std::vector<fs::path> found;  // before the rows: who builds has its row by then
    for (const fs::path& folder : entries(fs::path(store_.folder()) / "builds"))
      for (const fs::path& each : entries(folder)) found.push_back(each);
    Result<std::set<std::string>> current = std::set<std::string>();
    if (!request_.builders.empty()) current = current_builds();
    if (!current) {
      report_.notes.push_back("builds/ is left as it is: " + current.error().message);
      return {};
    }
    for (const fs::path& each : found) {
      const std::string file = each.filename().string();
      const bool half = file.find(".tmp.") != std::string::npos;
      if (half ? !older(each, request_.orphan_age)
               : request_.builders.empty() || current->contains(file))
        continue;
      const auto what = half ? GcItem::What::stray : GcItem::What::build;
      if (const auto done = remove(what, each,
                                   half ? "left half written by a crash"
                                        : "of another toolchain, or of nothing that is here");
          !done)
        return done.error();
    }
    return {};
  }

  Result<void> crashes() {
    for (const fs::path& each : entries(fs::path(store_.folder()) / "crashes")) {
      const bool half = each.extension() == ".gone" || each.extension() == ".new";
      if (!older(each, half ? request_.orphan_age : request_.crash_age)) continue;
      if (const auto done =
              remove(half ? GcItem::What::stray : GcItem::What::crash, each,
                     half ? "left by a crash" : "older than " + age_text(request_.crash_age));
          !done)
        return done.error();
    }
    return {};
  }

  /// What ends in the middle of an import of a task, or of a new database.
  Result<void> leftovers() {
    std::vector<fs::path> found;
    for (const fs::path& each : entries(fs::path(store_.folder()) / "tasks"))
      if (each.filename().string().find(".new-") != std::string::npos) found.push_back(each);
    for (const char* const end : {".new", ".new-wal", ".new-shm"})
      found.push_back(store_.folder() + "/farm.db" + end);
    for (const fs::path& each : found) {
      if (!older(each, request_.orphan_age)) continue;
      if (const auto done = remove(GcItem::What::stray, each, "left by a crash"); !done)
        return done.error();
    }
    const Result<Blobs::Listing> listing = store_.blobs().list();
    if (!listing) return listing.error();
    for (const std::string& each : listing->strays) {
      if (!older(each, request_.orphan_age)) continue;
      if (const auto done = remove(GcItem::What::stray, each, "left half written by a crash");
          !done)
        return done.error();
    }
    return {};
  }

  /// Blobs that have to stay: those that rows name, but for what was dropped, and programs of
  /// builds.
  Result<std::set<std::string>> needed() {
    const Result<std::map<std::string, std::string>> named = named_blobs(database_);
    if (!named) return named.error();
    std::set<std::string> needed;
    for (const auto& [digest, what] : *named) needed.insert(digest);
    Query query(database_, "SELECT digest FROM dropped");
    while (query.next()) needed.erase(query.text(0));
    if (const auto read = query.end(); !read) return read.error();
    for (const std::string& digest : dropping_) needed.erase(digest);
    needed.insert(built_.begin(), built_.end());
    return needed;
  }

  Result<void> read_builds() {
    constexpr u64 digest_bytes = 64;
    built_.clear();
    for (const fs::path& folder : entries(fs::path(store_.folder()) / "builds"))
      for (const fs::path& each : entries(folder))
        if (const auto digest = read_file(each.string(), digest_bytes))
          built_.emplace(digest->begin(), digest->end());
    return {};
  }

  /// Removes blobs that need not stay, some in each transaction.
  Result<void> blobs() {
    if (const auto done = read_builds(); !done) return done.error();
    const Result<Blobs::Listing> listing = store_.blobs().list();
    if (!listing) return listing.error();
    Result<std::set<std::string>> needed = this->needed();
    if (!needed) return needed.error();
    std::vector<std::string> candidates;
    for (const std::string& digest : listing->digests)
      if (!needed->contains(digest) && older(store_.blobs().path(digest), request_.orphan_age))
        candidates.push_back(digest);
    if (request_.dry_run) {
      for (const std::string& digest : candidates) blob_removed(digest);
      return {};
    }
    for (size_t first = 0; first < candidates.size(); first += gc_batch) {
      const Result<Transaction> transaction = Transaction::begin(database_);
      if (!transaction) return transaction.error();
      needed = this->needed();
      if (!needed) return needed.error();
      for (size_t k = first; k < std::min(candidates.size(), first + gc_batch); ++k) {
        if (needed->contains(candidates[k])) continue;
        const u64 bytes = bytes_below(store_.blobs().path(candidates[k]));
        const Result<bool> gone =
            store_.blobs().remove_older(candidates[k], now_ - request_.orphan_age);
        if (!gone) return gone.error();
        if (*gone) blob_removed(candidates[k], bytes);
      }
    }
    return {};
  }

  void blob_removed(const std::string& digest, std::optional<u64> bytes = {}) {
    if (!seen_.insert(digest).second) return;
    const auto asked = asked_.find(digest);
    auto [what, why] = asked == asked_.end()
                           ? std::pair(GcItem::What::orphan, std::string("no row names it"))
                           : asked->second;
    if (const auto before = store_.dropped(digest); before && *before) why = (*before)->why;
    removed(what, digest, bytes ? *bytes : bytes_below(store_.blobs().path(digest)), why);
  }

  /// Notes in the database what is dropped on request; the next blobs() removes it.
  Result<void> drop() {
    std::optional<Transaction> transaction;
    if (!request_.dry_run) {
      Result<Transaction> begun = Transaction::begin(database_);
      if (!begun) return begun.error();
      transaction.emplace(std::move(*begun));
    }
    if (const auto found = find_archives(); !found) return found.error();
    if (const auto found = find_logs(); !found) return found.error();
    // A blob may be something else as well.
    const Result<std::set<std::string>> others = named_otherwise();
    if (!others) return others.error();
    for (const std::string& digest : *others) asked_.erase(digest);
    for (const auto& [digest, why] : asked_) dropping_.insert(digest);
    if (!transaction) return {};
    for (const auto& [digest, why] : asked_)
      if (const auto noted = database_.run(
              "INSERT INTO dropped(digest, time, why) VALUES(?, ?, ?) ON CONFLICT DO NOTHING",
              {digest, now_, why.second});
          !noted)
        return noted.error();
    return transaction->commit();
  }

  /// Archives of which every submission may lose it.
  Result<void> find_archives() {
    std::set<std::string> stay;
    Query query(
        database_,
        "SELECT s.id, s.archive, s.state, s.name <> '', (SELECT max(e.time) FROM events e WHERE "
        "e.submission = s.id), EXISTS (SELECT 1 FROM rejudge_members m WHERE m.submission = s.id "
        "AND m.result IS NULL AND (SELECT l.state FROM rejudge_log l WHERE l.rejudge = m.rejudge "
        "ORDER BY l.id DESC LIMIT 1) = 'begun') FROM submissions s ORDER BY s.id");
    while (query.next()) {
      const std::optional<State> state = parse_state(query.text(2));
      const bool may = state && request_.archives_of.contains(*state) &&
                       !request_.keep.contains(query.integer(0)) && query.integer(3) == 0 &&
                       query.integer(4) < now_ - request_.archive_age && query.integer(5) == 0;
      if (!may)
        stay.insert(query.text(1));
      else
        asked_.emplace(query.text(1),
                       std::pair(GcItem::What::archive,
                                 fmt::format("of a submission that is {} for more than {}",
                                             name(*state), age_text(request_.archive_age))));
    }
    if (const auto read = query.end(); !read) return read.error();
    for (const std::string& digest : stay) asked_.erase(digest);
    return {};
  }

  Result<void> find_logs() {
    if (!request_.log_age) return {};
    Query query(database_,
                "SELECT description FROM promotions WHERE description <> '' GROUP BY description "
                "HAVING max(time) < ?",
                {now_ - *request_.log_age});
    while (query.next())
      asked_.emplace(query.text(0),
                     std::pair(GcItem::What::log, "what engines said, more than " +
                                                      age_text(*request_.log_age) + " ago"));
    return query.end();
  }

  /// What rows name as something that is never dropped.
  Result<std::set<std::string>> named_otherwise() {
    std::set<std::string> named;
    Query query(database_,
                "SELECT digest FROM tasks UNION SELECT elf FROM evaluations WHERE elf <> ''");
    while (query.next()) named.insert(query.text(0));
    if (const auto read = query.end(); !read) return read.error();
    return named;
  }

  Result<void> count_kept() {
    const Result<Blobs::Listing> listing = store_.blobs().list();
    if (!listing) return listing.error();
    for (const std::string& digest : listing->digests) {
      if (seen_.contains(digest)) continue;
      ++report_.kept_blobs;
      report_.kept_bytes += bytes_below(store_.blobs().path(digest));
    }
    return {};
  }

  Store& store_;
  Database& database_;
  const GcRequest& request_;
  const i64 now_;
  GcReport report_;
  std::set<std::string> built_;     ///< programs that builds/ names
  std::set<std::string> dropping_;  ///< of a dry run as well
  std::map<std::string, std::pair<GcItem::What, std::string>> asked_;  ///< what is dropped, and why
  std::set<std::string> seen_;                                         ///< blobs that were removed
};

}  // namespace

std::string_view name(GcItem::What what) { return gc_names[static_cast<size_t>(what)]; }

Result<GcReport> collect_garbage(Store& store, const GcRequest& request) {
  return Collection(store, request).run();
}

}  // namespace simfarm::farm
