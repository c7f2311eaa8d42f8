#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "profile/hot_spots.h"
#include "profile/source.h"

namespace simfarm::profile {
namespace {

/// By (place, bin): cycles before and after.
using Moves = std::map<std::pair<std::string, std::string>, std::array<u64, 2>>;

struct AllMoves {
  std::array<u64, 2> cycles{};
  Moves bins, functions, lines;
};

std::string text_of(const Json& spot, const char* key) {
  const auto at = spot.find(key);
  return at != spot.end() && at->is_string() ? at->get<std::string>() : std::string();
}

bool add(AllMoves& moves, const Json& document, size_t side) {
  if (!document.is_object() || text_of(document, "schema") != "simfarm.profile") return false;
  const auto version = document.find("version"), cycles = document.find("cycles"),
             spots = document.find("spots");
  if (version == document.end() || *version != 1 || cycles == document.end() ||
      !cycles->is_number_unsigned() || spots == document.end() || !spots->is_array())
    return false;
  moves.cycles[side] = cycles->get<u64>();
  for (const Json& spot : *spots) {
    if (!spot.is_object() || !spot.contains("bins") || !spot["bins"].is_object()) return false;
    const std::string function = text_of(spot, "function"), file = text_of(spot, "file");
    const auto number = spot.find("line");
    if (number == spot.end() || !number->is_number_unsigned()) return false;
    const std::string line = file.empty() ? "" : fmt::format("{}:{}", file, number->get<u64>());
    for (const auto& [bin, value] : spot["bins"].items()) {
      if (!value.is_number_unsigned()) return false;
      const u64 more = value.get<u64>();
      moves.bins[{"", bin}][side] += more;
      moves.functions[{function, bin}][side] += more;
      moves.lines[{line, bin}][side] += more;
    }
  }
  return true;
}

u64 distance(const std::array<u64, 2>& sides) {
  return std::max(sides[0], sides[1]) - std::min(sides[0], sides[1]);
}

/// What moved, the largest first.
Json list(const Moves& moves, const char* place) {
  std::vector<std::pair<Moves::key_type, Moves::mapped_type>> order;
  for (const auto& move : moves)
    if (distance(move.second) != 0) order.emplace_back(move);
  std::ranges::stable_sort(order, std::greater(),
                           [](const auto& move) { return distance(move.second); });
  Json json = Json::array();
  for (const auto& [key, sides] : order) {
    Json entry = Json::object();
    if (*place != 0) entry[place] = key.first;
    entry["bin"] = key.second;
    entry["before"] = sides[0];
    entry["after"] = sides[1];
    json.push_back(std::move(entry));
  }
  return json;
}

std::string table(const Json& entries, const char* place, u32 limit) {
  std::string text = fmt::format("\n{:>12}  {:>12}  {:>13}  {}\n", "before", "after", "change",
                                 *place == 0 ? "bin" : fmt::format("{}, bin", place));
  u32 shown = 0;
  for (const Json& entry : entries) {
    if (shown++ == limit) break;
    const u64 before = entry["before"], after = entry["after"];
    std::string where = *place == 0 ? "" : text_of(entry, place);
    if (*place != 0) where = (where.empty() ? "(unknown)" : where) + ", ";
    text += fmt::format("{:>12}  {:>12}  {:>13}  {}{}\n", before, after,
                        fmt::format("{}{}", after < before ? '-' : '+', distance({before, after})),
                        where, text_of(entry, "bin"));
  }
  if (entries.size() > limit) text += fmt::format("and {} more\n", entries.size() - limit);
  return text;
}

}  // namespace

Result<Json> profile_differences(const Json& before, const Json& after, const std::string& name) {
  AllMoves moves;
  if (!add(moves, before, 0) || !add(moves, after, 1))
    return input_error(name + ": not two documents of schema simfarm.profile, version 1");
  return Json{{"schema", "simfarm.profile.diff"},
              {"version", 1},
              {"unit", "cycles"},
              {"cycles", {{"before", moves.cycles[0]}, {"after", moves.cycles[1]}}},
              {"bins", list(moves.bins, "")},
              {"functions", list(moves.functions, "function")},
              {"lines", list(moves.lines, "line")}};
}

std::string print_differences(const Json& differences, u32 limit) {
  const Json& cycles = differences["cycles"];
  return fmt::format("{} cycles before, {} after\n", cycles["before"].get<u64>(),
                     cycles["after"].get<u64>()) +
         table(differences["bins"], "", limit) +
         table(differences["functions"], "function", limit) +
         table(differences["lines"], "line", limit);
}

}  // namespace simfarm::profile
