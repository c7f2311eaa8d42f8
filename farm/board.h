// Boards: a pure function of what was scored. Integers only; ratios are printed from integers.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "farm/score.h"
#include "farm/text.h"

namespace simfarm::farm {

/// One line of a board; points into the scored batch. What people wrote is here as every output may
/// show it (text.h, visible_text), so that none can forget to.
struct Row {
  const Scored* scored = nullptr;
  u32 rank = 0;         ///< 1 for the best; 0: not ranked
  u64 score = 0;        ///< of the task's kind; only of an accepted one
  std::string speedup;  ///< how many times as good as the task's kernel/, in scores: "12.34"; empty
                        ///< when either is not accepted
  std::string submission;
  std::string author;  ///< empty: intake could not read it
  std::string parent;
  std::string note;     ///< may have lines
  std::string failure;  ///< lines; empty when accepted
  std::string rerun;
  /// The row of the parent, by place: the submission of that name that was handed in earlier.
  std::optional<size_t> built_on = {};
};

/// The case of a task with a deadline that comes nearest to it.
struct Headroom {
  std::string case_name;
  u64 cycles = 0;       ///< of the case, boot included
  u64 allowed = 0;      ///< units times cycles_per_unit
  std::string percent;  ///< of what is allowed, that is left; "-3.2" when it is missed
  bool met() const { return cycles <= allowed; }
};

struct Board {
  u32 timing = timing_version;  ///< results of another version are not ranked
  const Task* task = nullptr;   ///< null: of submissions that name no known task, all rejected
  std::vector<Row> rows;        ///< ranked ones first, by score, order, id; then the others
  /// Places of the rows that were the best ones when they were handed in, in that order.
  std::vector<size_t> records = {};
};

/// A board for each task, by name; the batch must outlive them. Equal scores: the smaller
/// order first, then the smaller id. Only results of that timing are ranked. A farm's leader is
/// first, and nobody passes whom his standing says.
std::vector<Board> make_boards(const std::vector<Scored>& batch, u32 timing = timing_version);

/// Whether a row's cycles may be compared with those of the ranked ones.
inline bool comparable(const Board& board, const Row& row) {
  return row.scored->evaluation.timing == board.timing;
}

/// Who leads: in a farm by a decision, elsewhere rank 1; null: nobody.
const Row* leader_of(const Board& board);

/// Of an accepted submission to a task with a deadline.
std::optional<Headroom> headroom(const Scored& scored);

/// What the board's task ranks by; cycles for submissions to no known task.
inline ScoreKind kind_of(const Board& board) {
  return board.task ? board.task->score.kind : ScoreKind::cycles;
}

/// The score of an accepted submission.
u64 score_of(const Scored& scored);
/// The same as programs read it.
std::string score_digits_of(const Scored& scored);
/// The same as text with its unit; and, where that says something else, its cycles: "71.2345 %,
/// 1,234 cycles".
std::string result_line(const Scored& scored);

/// The counters of all PEs over all cases.
Counters all_cases(const Evaluation& evaluation);

}  // namespace simfarm::farm
