// A farm for people and for programs (docs/json.md).
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "farm/board.h"
#include "farm/store/store.h"

namespace simfarm::farm {

/// "2026-11-30T10:29:19.123Z".
std::string time_text(i64 milliseconds);

/// Where everything is; schema "simfarm.status".
Result<nlohmann::ordered_json> status_document(Store& store);
/// The same as lines.
std::string status_text(const nlohmann::ordered_json& status);

/// One submission: what is known of it, and its log; schema "simfarm.submission".
Result<nlohmann::ordered_json> submission_document(Store& store, const StoredSubmission& one);
Result<std::string> submission_text(Store& store, const StoredSubmission& one);

/// A task's board with what it points to.
struct TaskBoard {
  std::shared_ptr<const LoadedTask> task;  ///< without its cases
  std::vector<Scored> batch;
  Board board;
};
/// Error (usage): the farm has no such task.
Result<TaskBoard> task_board(Store& store, const std::string& name, u32 timing = timing_version);

/// A task's board as a document of its own; schema "simfarm.board".
nlohmann::ordered_json board_document(const Board& board);
/// The same as RFC 4180 lines. A field that a spreadsheet would take for a formula begins with '.
std::string board_csv(const Board& board);

}  // namespace simfarm::farm
