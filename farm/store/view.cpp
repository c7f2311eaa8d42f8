#include "farm/store/view.h"

#include <fmt/format.h>

#include <chrono>

#include "farm/report.h"
#include "farm/store/place.h"
#include "farm/text.h"

namespace simfarm::farm {
namespace {

using FarmJson = nlohmann::ordered_json;

FarmJson null_if_empty(const std::string& text) {
  return text.empty() ? FarmJson() : FarmJson(text);
}

FarmJson counts_json(const Store::Counts& counts) {
  FarmJson json = FarmJson::object();
  for (size_t k = 0; k < counts.size(); ++k)
    json[std::string(name(static_cast<State>(k)))] = counts[k];
  return json;
}

/// The states that anything is in: "queued 3, ranked 2".
std::string counts_text(const FarmJson& counts) {
  std::string text;
  for (const auto& [state, count] : counts.items())
    if (count != 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", state, count.get<i64>());
  return text.empty() ? "nothing" : text;
}

/// Whether a spreadsheet would take it for a formula; some do with full-width signs as well.
bool is_formula(const std::string& text) {
  for (const char* const sign :
       {"=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"})
    if (text.starts_with(sign)) return true;
  return false;
}

std::string csv_field(const std::string& text) {
  const bool formula = is_formula(text);
  std::string field = formula ? "'" : "";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field.find_first_of(",\"\n\r'") == std::string::npos ? field : "\"" + field + "\"";
}

}  // namespace

std::string time_text(i64 milliseconds) {
  using namespace std::chrono;
  const sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds{milliseconds}};
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

Result<FarmJson> status_document(Store& store) {
  FarmJson document = {{"schema", "simfarm.status"}, {"version", 1}, {"farm", store.folder()}};
  const std::optional<Coordinator> coordinator = coordinator_of(store.folder());
  document["coordinator"] =
      coordinator ? FarmJson{{"pid", coordinator->pid}, {"host", coordinator->host}} : FarmJson();
  document["tasks"] = FarmJson::array();
  const Result<std::vector<StoredTask>> tasks = store.tasks();
  if (!tasks) return tasks.error();
  for (const StoredTask& each : *tasks) {
    const Result<Store::Counts> counts = store.counts(each.id);
    if (!counts) return counts.error();
    document["tasks"].push_back({{"task", each.name},
                                 {"digest", each.digest},
                                 {"added_from", each.folder},
                                 {"submissions", counts_json(*counts)}});
  }
  const Result<Store::Counts> none = store.counts(0);
  if (!none) return none.error();
  document["no_task"] = counts_json(*none);
  return document;
}

std::string status_text(const FarmJson& status) {
  std::string text = status["farm"].get<std::string>() + "\n";
  const FarmJson& coordinator = status["coordinator"];
  text += coordinator.is_null()
              ? "  no coordinator is at work\n"
              : fmt::format("  coordinator: pid {} on host {}\n", coordinator["pid"].get<i64>(),
                            coordinator["host"].get<std::string>());
  for (const FarmJson& task : status["tasks"])
    text += fmt::format("  {}: {}\n", task["task"].get<std::string>(),
                        counts_text(task["submissions"]));
  if (const std::string none = counts_text(status["no_task"]); none != "nothing")
    text += fmt::format("  for no task that the farm has: {}\n", none);
  return text;
}

Result<FarmJson> submission_document(Store& store, const StoredSubmission& one) {
  FarmJson document = {{"schema", "simfarm.submission"},
                       {"version", 1},
                       {"id", one.id},
                       {"task", null_if_empty(one.task)},
                       {"state", name(one.state)},
                       {"archive", one.archive},
                       {"archive_dropped", nullptr},
                       {"evaluation", null_if_empty(one.evaluation)},
                       {"result", nullptr},
                       {"events", FarmJson::array()}};
  const Result<std::optional<Dropped>> dropped = store.dropped(one.archive);
  if (!dropped) return dropped.error();
  if (*dropped)
    document["archive_dropped"] = {{"time", time_text((*dropped)->time)}, {"why", (*dropped)->why}};
  const Result<std::optional<Scored>> scored = store.scored(one.id);
  if (!scored) return scored.error();
  if (*scored) {
    // As on a board, but alone: no rank.
    FarmJson row = score_document(make_boards({**scored}), {})["tasks"][0]["board"][0];
    for (const char* const key : {"rank", "speedup", "expected", "as_expected"}) row.erase(key);
    document["result"] = std::move(row);
  }
  const Result<std::vector<Event>> events = store.events(one.id);
  if (!events) return events.error();
  for (const Event& each : *events)
    document["events"].push_back({{"id", each.id},
                                  {"time", time_text(each.time)},
                                  {"state", name(each.state)},
                                  {"act", null_if_empty(std::string(name(each.act)))},
                                  {"attempt", each.attempt},
                                  {"detail", visible_text(each.detail, true)}});
  return document;
}

Result<std::string> submission_text(Store& store, const StoredSubmission& one) {
  std::string text = fmt::format(
      "submission {}: task {}, by {}: {}\n", one.id, one.task.empty() ? "none" : one.task,
      one.author.empty() ? "-" : visible_text(one.author), name(one.state));
  if (!one.parent.empty()) text += "  parent " + visible_text(one.parent) + "\n";
  text += "  archive " + store.blobs().path(one.archive) + "\n";
  const Result<std::optional<Dropped>> dropped = store.dropped(one.archive);
  if (!dropped) return dropped.error();
  if (*dropped)
    text += fmt::format("  it is no longer kept, so nobody can judge it again: {} {}\n",
                        time_text((*dropped)->time), (*dropped)->why);
  const Result<std::vector<Event>> events = store.events(one.id);
  if (!events) return events.error();
  for (const Event& each : *events)
    text += fmt::format("  {} {}{}{} {}\n", time_text(each.time), name(each.state),
                        each.act == Act::none ? "" : " by ", name(each.act),
                        each.state == State::rejected ? "" : visible_text(each.detail));
  const Result<std::optional<Scored>> scored = store.scored(one.id);
  if (!scored) return scored.error();
  if (!*scored) return text;
  text += case_table(**scored) + failure_text(**scored);
  const Evaluation& evaluation = (*scored)->evaluation;
  if (evaluation.accepted())
    text += fmt::format("ACCEPTED: {}, {} bytes of local data in each PE\n  rerun: {}\n",
                        result_line(**scored), grouped(evaluation.local_bytes),
                        (*scored)->entry.rerun) +
            standing_text(**scored);
  return text;
}

Result<TaskBoard> task_board(Store& store, const std::string& name, u32 timing) {
  const Result<std::optional<StoredTask>> task = store.find_task(name);
  if (!task) return task.error();
  if (!*task) return usage_error(fmt::format("{}: no task {}", store.folder(), name));
  const Result<std::string> folder = store.task_folder(**task);
  if (!folder) return folder.error();
  Result<Task> loaded = load_task(*folder);
  if (!loaded) return loaded.error();
  Result<std::vector<Scored>> batch = store.scored(**task, timing);
  if (!batch) return batch.error();
  TaskBoard result{std::make_shared<const LoadedTask>(LoadedTask{std::move(*loaded), {}}),
                   std::move(*batch),
                   {}};
  result.board.task = &result.task->task;
  result.board.timing = timing;
  if (!result.batch.empty()) result.board = make_boards(result.batch, timing).front();
  return result;
}

FarmJson board_document(const Board& board) {
  FarmJson task = std::move(score_document({board}, {})["tasks"][0]);
  FarmJson document = {{"schema", "simfarm.board"}, {"version", 1}};
  document.update(task);
  // A task's version has the name that the schema's has.
  document["version"] = 1;
  document["task_version"] = task["version"];
  return document;
}

std::string board_csv(const Board& board) {
  std::string text = "rank,cycles,speedup,submission,author,verdict,timing,leads,score\r\n";
  const Row* const leader = leader_of(board);
  for (const Row& row : board.rows) {
    const Scored& scored = *row.scored;
    const bool accepted = scored.evaluation.accepted();
    text += fmt::format(
        "{},{},{},{},{},{},{},{},{}\r\n", row.rank == 0 ? "" : fmt::format("{}", row.rank),
        accepted ? fmt::format("{}", scored.evaluation.cycles()) : "", row.speedup,
        csv_field(row.submission), csv_field(row.author), name(scored.evaluation.verdict),
        scored.evaluation.timing, &row == leader ? "yes" : "",
        accepted ? score_digits(kind_of(board), row.score) : "");
  }
  return text;
}

}  // namespace simfarm::farm
