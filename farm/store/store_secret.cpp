// The secret's file, and the list of ids.
#include <filesystem>

#include "farm/store/store.h"

namespace simfarm::farm {

Result<std::optional<Secret>> Store::secret() const {
  std::error_code error;
  if (!std::filesystem::exists(secret_path(), error)) return std::optional<Secret>();
  Result<Secret> secret = Secret::load(secret_path());
  if (!secret) return secret.error();
  return std::optional(std::move(*secret));
}

Result<std::pair<std::string, std::string>> Store::rotate_secret() {
  // Also a damaged one, or one that somebody has read, makes way.
  const Result<std::optional<Secret>> old = secret();
  const Result<Secret> made = Secret::make();
  if (!made) return made.error();
  // The id first: one that was never used harms nobody, a secret without an id would.
  Result<Transaction> transaction = Transaction::begin(database_);
  if (!transaction) return transaction.error();
  if (const auto listed =
          database_.run("INSERT INTO secrets(id, made) VALUES(?, ?)", {made->id(), now()});
      !listed)
    return listed.error();
  if (const auto done = transaction->commit(); !done) return done.error();
  if (const auto saved = made->save(secret_path()); !saved) return saved.error();
  return std::pair(old && *old ? (*old)->id() : std::string(), made->id());
}

Result<std::vector<std::string>> Store::secret_ids() {
  std::vector<std::string> ids;
  Query query(database_, "SELECT id FROM secrets ORDER BY rowid");
  while (query.next()) ids.push_back(query.text(0));
  if (const auto read = query.end(); !read) return read.error();
  return ids;
}

}  // namespace simfarm::farm
