#include "farm/score_kind.h"

#include <fmt/format.h>

#include "farm/text.h"

namespace simfarm::farm {
namespace {

constexpr std::array<ScoreKindRow, score_kind_count> score_kinds = {{
    {"cycles", "cycles", "cycles", 0, false, "cycles of {} with boot"},
    {"weighted", "weighted", "of the reference", 6, false,
     "cycles of {} with boot, each over its reference, weighted"},
    {"mac-utilisation", "MAC use", "%", 4, true,
     "multiply-adds of {} in per cent of the peak, boot included"},
    {"local-memory", "local memory", "bytes", 0, false,
     "local memory that each PE needs for any of {}"},
    {"energy", "energy", "nJ", 3, false, "energy of {} with boot"},
    {"logit-error", "logit error", "", 9, false, "mean absolute error of {}"},
}};

u64 power_of_ten(u32 exponent) {
  u64 power = 1;
  for (u32 k = 0; k < exponent; ++k) power *= 10;
  return power;
}

std::string with_decimals(ScoreKind kind, u64 score, const std::string& whole) {
  const u32 decimals = row(kind).decimals;
  if (decimals == 0) return whole;
  return fmt::format("{}.{:0{}}", whole, score % power_of_ten(decimals), decimals);
}

u64 whole_part(ScoreKind kind, u64 score) { return score / power_of_ten(row(kind).decimals); }

}  // namespace

const ScoreKindRow& row(ScoreKind kind) { return score_kinds[static_cast<size_t>(kind)]; }

const std::array<std::string_view, score_kind_count>& score_kind_names() {
  static constexpr auto names = [] {
    std::array<std::string_view, score_kind_count> all;
    for (size_t k = 0; k < all.size(); ++k) all[k] = score_kinds[k].name;
    return all;
  }();
  return names;
}

bool better(ScoreKind kind, u64 a, u64 b) { return row(kind).more_is_better ? a > b : a < b; }

u64 rank_key(ScoreKind kind, u64 score) { return row(kind).more_is_better ? ~score : score; }

std::string gain(ScoreKind kind, u64 a, u64 base) {
  const bool more = row(kind).more_is_better;
  const u64 below = more ? base : a;
  return below == 0 ? "" : ratio(more ? a : base, below);
}

std::string score_digits(ScoreKind kind, u64 score) {
  return with_decimals(kind, score, fmt::format("{}", whole_part(kind, score)));
}

std::string score_number(ScoreKind kind, u64 score) {
  return with_decimals(kind, score, grouped(whole_part(kind, score)));
}

std::string score_text(ScoreKind kind, u64 score) {
  const std::string_view unit = row(kind).unit;
  return score_number(kind, score) + (unit.empty() ? "" : " ") + std::string(unit);
}

std::optional<u64> parse_score(ScoreKind kind, std::string_view text) {
  constexpr u64 most = 1'000'000'000'000'000'000;
  const u32 decimals = row(kind).decimals;
  const size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view rest =
      point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  if (whole.empty() || rest.size() > decimals || (point != std::string_view::npos && rest.empty()))
    return std::nullopt;
  u64 value = 0;
  const std::string digits =
      std::string(whole) + std::string(rest) + std::string(decimals - rest.size(), '0');
  for (const char c : digits) {
    if (c < '0' || c > '9' || value > most / 10) return std::nullopt;
    value = 10 * value + static_cast<u64>(c - '0');
  }
  return value;
}

}  // namespace simfarm::farm
