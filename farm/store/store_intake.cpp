// What is handed in: kept first, judged by the rules of intake then.
#include <fmt/format.h>

#include <filesystem>

#include "base/file.h"
#include "farm/archive.h"
#include "farm/digest.h"
#include "farm/store/intake.h"

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
  Result<std::string> archive = blobs_.put(*bytes);
  if (!archive) return archive.error();
  intake.archive = *archive;

  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  const Result<i64> id = insert(intake);
  if (!id) return id.error();
  if (const auto done = transaction->commit(); !done) return done.error();
  Result<std::optional<StoredSubmission>> stored = submission(*id);
  if (!stored) return stored.error();
  check(stored->has_value(), "a submission that was just kept is there");
  return std::move(**stored);
}

}  // namespace simfarm::farm
