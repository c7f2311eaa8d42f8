// What a task can rank by: one table. A score is an integer; where a kind has decimals, its last
// digits are those behind the point. docs/tasks.md, "Score", has the formulas.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/types.h"

namespace simfarm::farm {

enum class ScoreKind : u8 {
  cycles,
  weighted,
  mac_utilisation,
  local_memory,
  energy,
  logit_error,
  count
};
inline constexpr size_t score_kind_count = static_cast<size_t>(ScoreKind::count);

struct ScoreKindRow {
  std::string_view name;    ///< in task.toml: "mac-utilisation"
  std::string_view column;  ///< on a board: "MAC use"
  std::string_view unit;    ///< after a number: "%"; may be empty
  u32 decimals = 0;
  bool more_is_better = false;
  std::string_view what;  ///< "cycles of {} with boot": {} is "2 cases"
};

const ScoreKindRow& row(ScoreKind kind);
/// The kinds' names, in order.
const std::array<std::string_view, score_kind_count>& score_kind_names();

/// True when `a` is the better score: never of equal ones.
bool better(ScoreKind kind, u64 a, u64 b);
/// Scores of any kind in the order of less-is-better.
u64 rank_key(ScoreKind kind, u64 score);
/// How many times as good `a` is as `base`, cut: "12.34"; empty when it cannot be said.
std::string gain(ScoreKind kind, u64 a, u64 base);

/// "1234567", "71.2345": for programs.
std::string score_digits(ScoreKind kind, u64 score);
/// "1,234,567", "71.2345".
std::string score_number(ScoreKind kind, u64 score);
/// With the unit: "1,234,567 cycles", "71.2345 %".
std::string score_text(ScoreKind kind, u64 score);
/// Reads what score_digits writes, fewer decimals allowed; none: it is no such number.
std::optional<u64> parse_score(ScoreKind kind, std::string_view text);

}  // namespace simfarm::farm
