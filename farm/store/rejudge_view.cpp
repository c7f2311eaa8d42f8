#include "farm/store/rejudge_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "farm/store/view.h"
#include "farm/task_score.h"

namespace simfarm::farm {
namespace {

using SetJson = nlohmann::ordered_json;

/// A result in short; null without one.
Result<SetJson> result_json(Store& store, const Task& task, const std::string& key) {
  if (key.empty()) return SetJson();
  const Result<Evaluation> evaluation = store.evaluation(key);
  if (!evaluation) return evaluation.error();
  const bool accepted = evaluation->accepted();
  return SetJson{
      {"verdict", name(evaluation->verdict)},
      {"cycles", accepted ? SetJson(evaluation->cycles()) : SetJson()},
      {"score", accepted ? SetJson(score_digits(task.score.kind, score_of(task, evaluation->cases)))
                         : SetJson()}};
}

u64 score_in(const SetJson& result, ScoreKind kind) {
  return parse_score(kind, result["score"].get<std::string>()).value_or(0);
}

std::string_view change_of(const SetJson& before, const SetJson& after, ScoreKind kind) {
  if (after.is_null()) return "not judged";
  if (before["verdict"] != after["verdict"]) return "verdict";
  if (before["score"] == after["score"]) return "same";
  return better(kind, score_in(after, kind), score_in(before, kind)) ? "faster" : "slower";
}

std::string result_text(const SetJson& result, ScoreKind kind) {
  if (result.is_null()) return "not judged";
  std::string text = result["verdict"].get<std::string>();
  if (!result["score"].is_null()) text += " " + score_number(kind, score_in(result, kind));
  return text;
}

Result<Task> task_of(Store& store, const RejudgeSet& set) {
  const Result<std::optional<StoredTask>> task = store.find_task(set.task);
  if (!task) return task.error();
  if (!*task) return io_error(fmt::format("set {}: no task {}", set.id, set.task));
  const Result<std::string> folder = store.task_folder(**task);
  if (!folder) return folder.error();
  return load_task(*folder);
}

/// "7" or "7-9"; none: neither.
std::optional<std::pair<i64, i64>> parse_range(std::string_view text) {
  constexpr i64 max_range = 1'000'000;
  const size_t dash = text.find('-');
  const auto number = [](std::string_view digits) -> i64 {
    i64 value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() ? value : 0;
  };
  const i64 first = number(text.substr(0, dash));
  const i64 last = dash == std::string_view::npos ? first : number(text.substr(dash + 1));
  if (first < 1 || last < first || last - first > max_range) return std::nullopt;
  return std::pair(first, last);
}

/// Rows of the board that a word means; none: it is no such word.
Result<std::optional<std::vector<i64>>> select_by_board(Store& store, const std::string& task,
                                                        const std::string& selection) {
  std::optional<std::vector<i64>> ids;
  i64 top = 0;
  if (selection.starts_with("top:")) {
    const auto range = parse_range(selection.substr(4));
    if (!range || range->first != range->second) return ids;
    top = range->first;
  } else if (selection != "all" && selection != "ranked") {
    return ids;
  }
  const Result<TaskBoard> found = task_board(store, task);
  if (!found) return found.error();
  ids.emplace();
  for (const Row& row : found->board.rows) {
    const i64 id = static_cast<i64>(row.scored->entry.order);
    const Result<std::optional<StoredSubmission>> one = store.submission(id);
    if (!one) return one.error();
    const State state = *one ? (*one)->state : State::rejected;
    const bool judged = state == State::ranked || state == State::judged || state == State::held;
    if (top != 0                ? row.rank != 0 && row.rank <= top
        : selection == "ranked" ? row.rank != 0
                                : judged)
      ids->push_back(id);
  }
  return ids;
}

}  // namespace

Result<SetJson> rejudge_document(Store& store, const RejudgeSet& set) {
  const Result<std::vector<RejudgeMember>> members = store.rejudge_members(set.id);
  if (!members) return members.error();
  const Result<Task> task = task_of(store, set);
  if (!task) return task.error();
  SetJson counts = {{"members", members->size()},
                    {"same", 0},
                    {"faster", 0},
                    {"slower", 0},
                    {"verdict", 0},
                    {"not judged", 0},
                    {"gave_up", 0}};
  SetJson list = SetJson::array();
  for (const RejudgeMember& each : *members) {
    const Result<SetJson> before = result_json(store, *task, each.before);
    if (!before) return before.error();
    const Result<SetJson> after = result_json(store, *task, each.after);
    if (!after) return after.error();
    const std::string change(change_of(*before, *after, task->score.kind));
    counts[change] = counts[change].get<i64>() + 1;
    if (each.gave_up) counts["gave_up"] = counts["gave_up"].get<i64>() + 1;
    list.push_back({{"submission", each.submission},
                    {"before", *before},
                    {"after", *after},
                    {"change", change},
                    {"gave_up", each.gave_up}});
  }
  return SetJson{{"schema", "simfarm.rejudge"},
                 {"version", 1},
                 {"set", set.id},
                 {"task", set.task},
                 {"score", row(task->score.kind).name},
                 {"selection", set.selection},
                 {"reason", set.reason},
                 {"state", name(set.state)},
                 {"counts", std::move(counts)},
                 {"members", std::move(list)}};
}

std::string rejudge_text(const SetJson& document) {
  const auto& kinds = score_kind_names();
  const auto kind = static_cast<ScoreKind>(
      std::find(kinds.begin(), kinds.end(), document["score"].get<std::string>()) - kinds.begin());
  std::string text =
      fmt::format("set {}: {} of task {}, {}: {}\n ", document["set"].get<i64>(),
                  document["selection"].get<std::string>(), document["task"].get<std::string>(),
                  document["state"].get<std::string>(), document["reason"].get<std::string>());
  for (const auto& [what, count] : document["counts"].items())
    text += fmt::format(" {} {}",
                        what == "verdict"   ? "other verdict"
                        : what == "gave_up" ? "given up"
                                            : what,
                        count.get<i64>());
  text += "\n";
  for (const SetJson& each : document["members"])
    if (each["change"] != "same")
      text += fmt::format("  {}: {} -> {}{}\n", each["submission"].get<i64>(),
                          result_text(each["before"], kind), result_text(each["after"], kind),
                          each["gave_up"].get<bool>() ? " (the farm failed to)" : "");
  return text;
}

Result<std::string> rejudges_text(Store& store) {
  const Result<std::vector<RejudgeSet>> sets = store.rejudges();
  if (!sets) return sets.error();
  std::string text;
  for (const RejudgeSet& set : *sets)
    text += fmt::format("set {}: {} of task {}, {}: {}\n", set.id, set.selection, set.task,
                        name(set.state), set.reason);
  return text.empty() ? "no sets\n" : text;
}

Result<std::vector<i64>> select_submissions(Store& store, const std::string& task,
                                            const std::string& selection) {
  Result<std::optional<std::vector<i64>>> by_board = select_by_board(store, task, selection);
  if (!by_board) return by_board.error();
  if (*by_board) return std::move(**by_board);
  std::set<i64> ids;
  for (size_t at = 0; at <= selection.size();) {
    const size_t end = std::min(selection.find(',', at), selection.size());
    const auto range = parse_range(std::string_view(selection).substr(at, end - at));
    if (!range)
      return usage_error(fmt::format(
          "--set {}: say all, ranked, top:N, or numbers of submissions like 3,7-9", selection));
    for (i64 id = range->first; id <= range->second; ++id) ids.insert(id);
    at = end + 1;
  }
  return std::vector<i64>(ids.begin(), ids.end());
}

}  // namespace simfarm::farm
