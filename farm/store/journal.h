// A farm's rows and blobs as lines of JSON, each held against all before it: the form in which a
// farm is exported and imported (docs/farm.md, "Export and import").
#pragma once
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace simfarm::farm {

/// Of the lines' form. What is in the tables follows the version of their schema.
inline constexpr i64 journal_version = 1;

/// What a column may hold.
enum class Holds : u8 {
  number,        ///< 0 and more
  maybe_number,  ///< or NULL
  text,
  digest,        ///< 64 hexadecimal digits
  empty_digest,  ///< or no text
  maybe_digest,  ///< or NULL
};

struct JournalColumn {
  const char* name;
  Holds holds;
};

struct JournalTable {
  const char* name;
  const char* order;  ///< its rows' in the journal
  std::vector<JournalColumn> columns;
};

/// Every table of the schema, so that each row comes after those that it refers to.
const std::vector<JournalTable>& journal_tables();

bool is_sha256(std::string_view text);

std::string base64(std::span<const u8> bytes);
/// None: it is not what base64 makes.
std::optional<std::vector<u8>> parse_base64(std::string_view text);

/// Makes lines: each has its number, and a digest of itself and all before it.
class JournalWriter {
 public:
  /// The line for `body`, with its end.
  std::string line(const nlohmann::ordered_json& body);
  /// The last line.
  std::string end(const nlohmann::ordered_json& counts);

 private:
  u64 lines_ = 0;
  std::string state_;
};

/// Reads lines, none of them trusted.
class JournalReader {
 public:
  /// `path` is also what errors name: "farm.ndjson:12: ...".
  explicit JournalReader(const std::string& path);
  /// The next line's body; none: the closing line was read, and nothing follows. Error (input): not
  /// a line that JournalWriter makes at this place; a file that ends before its closing line.
  Result<std::optional<nlohmann::ordered_json>> next();
  /// Of the closing line.
  const nlohmann::ordered_json& counts() const { return counts_; }
  /// An error about the line that was read last.
  Error error(const std::string& what) const;

 private:
  Result<std::optional<std::string>> read_line();
  Result<nlohmann::ordered_json> parse_line(const std::string& line);

  std::string path_;
  std::ifstream file_;
  std::string buffer_;
  u64 lines_ = 0;
  std::string state_;
  nlohmann::ordered_json counts_;
};

}  // namespace simfarm::farm
