// TOML files that people write for the farm (task.toml, submission.toml, expect.toml): every key is
// checked for type and range, a key that nobody asked for is an error, and every error names file,
// line and key. The first error sticks; the caller asks once, at the end.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace simfarm::farm {

/// What a text may be.
struct TextRule {
  size_t max_characters = 64;
  bool may_be_empty = false;
  bool lines = false;  ///< line ends and tabs allowed
};

class TomlReader {
 public:
  /// Parses the text of a file. A syntax error sticks like any other.
  static TomlReader parse(std::string_view text, const std::string& file_name);
  TomlReader(TomlReader&&) noexcept;
  ~TomlReader();

  bool has(std::string_view key) const;
  /// A key of a table of its own, which may also be written as a word.
  bool is_table(std::string_view key) const;

  /// A missing key is an error where no default is given.
  std::string text(std::string_view key, TextRule rule, std::optional<std::string> absent = {});
  i64 integer(std::string_view key, i64 smallest, i64 largest, std::optional<i64> absent = {});
  bool flag(std::string_view key, bool absent);
  /// One of `words`, by index.
  size_t choice(std::string_view key, std::span<const std::string_view> words,
                std::optional<size_t> absent = {});
  /// An array of texts; absent: empty, or an error when `smallest` is above 0.
  std::vector<std::string> texts(std::string_view key, TextRule rule, size_t smallest,
                                 size_t largest);
  /// An array whose entries are integers (as decimal text) or texts.
  std::vector<std::string> texts_or_integers(std::string_view key, TextRule rule, size_t smallest,
                                             size_t largest);
  /// A table, read by `read`; absent: not called.
  void table(std::string_view key, const std::function<void(TomlReader&)>& read);
  /// An array of tables; absent: not called.
  void tables(std::string_view key, size_t largest, const std::function<void(TomlReader&)>& read);
  /// A table of texts.
  std::map<std::string, std::string> text_table(std::string_view key, TextRule rule,
                                                size_t largest);

  /// Makes "file:line: key: why" the error, at the key's line. An empty key: at this table's line.
  void fail(std::string_view key, std::string_view why);
  bool failed() const;
  /// The first error: also one for a key that was never asked for.
  Result<void> finish();

 private:
  struct Shared;
  struct Table;
  TomlReader(std::shared_ptr<Shared> shared, std::unique_ptr<Table> table);
  void check_unused();

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Table> table_;
};

}  // namespace simfarm::farm
