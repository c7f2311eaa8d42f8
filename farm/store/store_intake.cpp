// What is handed in: kept first, judged by the rules of intake then.
#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "farm/archive.h"
#include "farm/digest.h"
#include "farm/store/intake.h"
#include "farm/text.h"

namespace simfarm::farm {
namespace {

/// A folder as the tar file that a farm keeps; a tar file as it is.
Result<std::vector<u8>> archive_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return usage_error(path + ": no such file or folder");
  // Headers take 512 bytes a file, and names longer than 100 bytes three blocks more.
  constexpr u64 max_archive = max_submission.bytes + u64{max_submission.files} * 2 * 2048;
  if (!std::filesystem::is_directory(path, error)) return read_file(path, max_archive);
  Result<std::vector<PackageFile>> files = read_folder(path, max_submission);
  if (!files) return files.error();
  return print_tar(std::move(*files));
}

}  // namespace

Result<Submission> parse_archive(const std::vector<u8>& bytes, const std::string& origin) {
  Result<std::vector<PackageFile>> files = parse_tar(bytes, origin, max_submission);
  if (!files) return files.error();
  return parse_submission(std::move(*files), origin);
}

Result<i64> Store::insert(const Intake& intake) {
  const bool read = static_cast<bool>(intake.submission);
  const auto field = [&](const std::string Submission::*member) {
    return read ? (*intake.submission).*member : std::string();
  };
  if (const auto there = about_to_name(intake.archive); !there) return there.error();
  Value task;  // NULL
  if (intake.task != 0) task = intake.task;
  if (const auto added = database_.run(
          "INSERT INTO submissions(name, task, author, parent, note, archive, sources, options, "
          "received, state) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, 'received')",
          {intake.name, task, field(&Submission::author), field(&Submission::parent),
           field(&Submission::note), intake.archive,
           read ? sha256(intake.submission->files) : std::string(),
           read ? options_digest(*intake.submission) : std::string(), now()});
      !added)
    return added.error();
  const i64 id = database_.inserted();
  if (const auto logged = log(id, State::received, 0, ""); !logged) return logged.error();
  const State next = intake.refusal.empty() ? State::queued : State::rejected;
  if (const auto logged = log(id, next, 0, intake.refusal); !logged) return logged.error();
  return id;
}

Result<Quotas> Store::quotas() {
  Quotas quotas;
  Query query(database_, "SELECT name, value FROM quotas");
  while (query.next())
    (query.text(0) == "daily" ? quotas.daily : quotas.waiting) = query.integer(1);
  if (const auto read = query.end(); !read) return read.error();
  return quotas;
}

Result<void> Store::set_quotas(const Quotas& quotas) {
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  if (const auto done = database_.run("DELETE FROM quotas"); !done) return done.error();
  for (const auto& [name, value] :
       {std::pair("waiting", quotas.waiting), std::pair("daily", quotas.daily)})
    if (value != 0)
      if (const auto done = database_.run("INSERT INTO quotas(name, value) VALUES(?, ?)",
                                          {std::string(name), value});
          !done)
        return done.error();
  return transaction->commit();
}

Result<void> Store::check_quotas(const std::string& author) {
  constexpr i64 day = i64{24} * 3600 * 1000;
  const Result<Quotas> quotas = this->quotas();
  if (!quotas) return quotas.error();
  const auto refused = [&](i64 count, i64 allowed, const char* what,
                           const char* when) -> Result<void> {
    if (allowed == 0 || count < allowed) return {};
    return Error{
        Error::Kind::temporary,
        fmt::format("author {} has {} submissions {}, and this farm allows {}; nothing was "
                    "received; {}",
                    visible_text(author), count, what, allowed, when)};
  };
  const Result<i64> waiting = database_.integer(
      "SELECT count(*) FROM submissions WHERE author = ? AND name = '' AND state IN ('queued', "
      "'running')",
      {author});
  if (!waiting) return waiting.error();
  if (const auto good =
          refused(*waiting, quotas->waiting, "that wait", "submit it again when some are judged");
      !good)
    return good.error();
  const Result<i64> today = database_.integer(
      "SELECT count(*) FROM submissions WHERE author = ? AND name = '' AND received > ?",
      {author, now() - day});
  if (!today) return today.error();
  return refused(*today, quotas->daily, "of the last 24 hours", "submit it again tomorrow");
}

Result<StoredSubmission> Store::submit(const std::string& path) {
  Result<std::vector<u8>> bytes = archive_of(path);
  if (!bytes) return bytes.error();
  Intake intake;
  intake.submission = parse_archive(*bytes, "submission");
  if (!intake.submission) intake.refusal = intake.submission.error().message;
  if (intake.submission) {
    Result<std::optional<StoredTask>> task = find_task(intake.submission->task);
    if (!task) return task.error();
    if (*task) {
      intake.task = (*task)->id;
      const Result<std::string> folder = task_folder(**task);
      if (!folder) return folder.error();
      const Result<Task> loaded = load_task(*folder);
      if (!loaded) return loaded.error();
      if (const auto allowed = check_against(*intake.submission, *loaded); !allowed)
        intake.refusal = allowed.error().message;
    } else {
      intake.refusal =
          fmt::format("submission.toml: task: this farm has no task {}", intake.submission->task);
    }
  }
  // Before anything is kept, and once more when nobody else can submit.
  const std::string author = intake.submission ? intake.submission->author : "";
  if (const auto allowed = check_quotas(author); !allowed) return allowed.error();
  Result<std::string> archive = blobs_.put(*bytes);
  if (!archive) return archive.error();
  intake.archive = *archive;

  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  if (const auto allowed = check_quotas(author); !allowed) return allowed.error();
  // One that was dropped may have been removed since.
  if (!blobs_.exists(intake.archive))
    if (const auto again = blobs_.put(*bytes); !again) return again.error();
  const Result<i64> id = insert(intake);
  if (!id) return id.error();
  if (const auto done = transaction->commit(); !done) return done.error();
  Result<std::optional<StoredSubmission>> stored = submission(*id);
  if (!stored) return stored.error();
  check(stored->has_value(), "a submission that was just kept is there");
  return std::move(**stored);
}

}  // namespace simfarm::farm
