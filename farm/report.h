// Boards and verdicts as text for people and as a document for programs (docs/json.md).
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "farm/board.h"

namespace simfarm::farm {

/// A task's board: a line and its stall breakdown for each ranked submission, verdicts for the
/// others, target and deadline.
std::string board_text(const Board& board);

/// Why a submission was not accepted, with the command that reruns it; empty when it was.
std::string failure_text(const Scored& scored);
/// What was decided about an accepted one in a farm: one line with the reason, or nothing.
std::string standing_text(const Scored& scored);

/// One submission case by case: what `simfarm try` prints.
std::string case_table(const Scored& scored);

/// That a verdict is about the public cases alone; empty: the task has no others.
std::string public_only_text(const Task& task);

/// What an expectation did not see coming: "gemm wrong/zeros: expected WRONG_OUTPUT, got ACCEPTED".
std::string surprise_text(const Scored& scored);

/// Facts about the host's side of a batch; never compared.
struct ScoreHost {
  double seconds = 0;
  u32 threads = 0;
  bool sandboxed = false;  ///< the builds
};

/// "cycles of 2 cases with boot, less is better".
std::string score_meaning(const Task& task);

/// The whole batch, schema "simfarm.score"; all but `host` is the same on every host.
nlohmann::ordered_json score_document(const std::vector<Board>& boards, const ScoreHost& host);

}  // namespace simfarm::farm
