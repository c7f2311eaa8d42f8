#include "farm/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "farm/task_score.h"
#include "farm/text.h"

namespace simfarm::farm {
namespace {

__extension__ typedef __int128 Wide;

Row make_row(const Scored& scored) {
  Row row;
  row.scored = &scored;
  if (scored.evaluation.accepted()) row.score = score_of(scored);
  row.submission = visible_text(scored.entry.id);
  row.failure = visible_text(scored.evaluation.failure, true);
  row.rerun = visible_text(scored.entry.rerun);
  if (!scored.entry.submission) return row;
  row.author = visible_text(scored.entry.submission->author);
  row.parent = visible_text(scored.entry.submission->parent);
  row.note = visible_text(scored.entry.submission->note, true);
  return row;
}

/// Only what was handed in earlier can be a parent, so nobody is his own ancestor.
void find_parents(std::vector<Row>& rows) {
  std::map<std::string, size_t> places;
  for (size_t k = 0; k < rows.size(); ++k) places.emplace(rows[k].submission, k);
  for (Row& row : rows) {
    const auto parent = places.find(row.parent);
    if (parent != places.end() &&
        rows[parent->second].scored->entry.order < row.scored->entry.order)
      row.built_on = parent->second;
  }
}

std::vector<size_t> find_records(const std::vector<Row>& rows) {
  std::vector<size_t> places;
  for (size_t k = 0; k < rows.size() && rows[k].rank != 0; ++k) places.push_back(k);
  std::sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    return std::pair(rows[a].scored->entry.order, a) < std::pair(rows[b].scored->entry.order, b);
  });
  size_t best = rows.size();  // of places: a smaller one has a better score or came earlier
  std::vector<size_t> records;
  for (const size_t place : places)
    if (place < best) records.push_back(best = place);
  return records;
}

/// What a board is sorted by: score, order, id, but who may not pass another right behind that
/// one. So the leader is first: whoever has a better score is behind him or behind one before him.
class Places {
 public:
  Places(const std::vector<const Scored*>& all, u32 timing) : timing_(timing) {
    for (const Scored* each : all)
      if (ranks(*each)) accepted_.emplace(each->entry.order, each);
  }

  auto of(const Scored& one) const {
    const bool accepted = ranks(one);
    const std::pair own(accepted ? key(one) : 0, one.entry.order);
    std::tuple place(own, false);
    const bool waits = one.standing && one.standing->behind;
    const auto other = waits ? accepted_.find(*one.standing->behind) : accepted_.end();
    if (accepted && other != accepted_.end())
      place = std::max(
          place, std::tuple(std::pair(key(*other->second), other->second->entry.order), true));
    return std::tuple(!accepted, place, own, one.entry.id);
  }

 private:
  bool ranks(const Scored& one) const {
    return one.evaluation.accepted() && one.evaluation.timing == timing_;
  }

  static u64 key(const Scored& one) {
    const ScoreKind kind = one.entry.task ? one.entry.task->task.score.kind : ScoreKind::cycles;
    return rank_key(kind, score_of(one));
  }

  u32 timing_;
  std::map<u64, const Scored*> accepted_;  ///< by order, which a farm gives to one only
};

Board make_board(std::vector<const Scored*> scored, u32 timing) {
  Board board;
  board.timing = timing;
  const Entry& first = scored.front()->entry;
  board.task = first.task ? &first.task->task : nullptr;
  const auto ranks = [&](const Scored* each) {
    return each->evaluation.accepted() && each->evaluation.timing == timing;
  };
  const Places places(scored, timing);
  const ScoreKind kind = kind_of(board);
  std::sort(scored.begin(), scored.end(),
            [&](const Scored* a, const Scored* b) { return places.of(*a) < places.of(*b); });
  const auto kernel = std::find_if(scored.begin(), scored.end(),
                                   [](const Scored* each) { return each->entry.id == "kernel"; });
  const bool base = kernel != scored.end() && ranks(*kernel);
  u32 rank = 0;
  for (const Scored* each : scored) {
    Row line = make_row(*each);
    if (ranks(each)) line.rank = ++rank;
    if (line.rank != 0 && base) line.speedup = gain(kind, line.score, score_of(**kernel));
    board.rows.push_back(std::move(line));
  }
  find_parents(board.rows);
  board.records = find_records(board.rows);
  return board;
}

}  // namespace

std::vector<Board> make_boards(const std::vector<Scored>& batch, u32 timing) {
  std::map<std::string, std::vector<const Scored*>> tasks;
  for (const Scored& each : batch) tasks[task_name(each.entry)].push_back(&each);
  std::vector<Board> boards;
  for (auto& [name, scored] : tasks) boards.push_back(make_board(std::move(scored), timing));
  return boards;
}

const Row* leader_of(const Board& board) {
  if (board.rows.empty() || board.rows.front().rank != 1) return nullptr;
  const std::optional<Standing>& standing = board.rows.front().scored->standing;
  return standing && !standing->leads ? nullptr : &board.rows.front();
}

std::optional<Headroom> headroom(const Scored& scored) {
  if (!scored.evaluation.accepted() || !scored.entry.task->task.deadline) return std::nullopt;
  const TaskDeadline& deadline = *scored.entry.task->task.deadline;
  std::optional<Headroom> worst;
  for (const CaseScore& each : scored.evaluation.cases) {
    const Headroom here{each.name, each.charged(), each.units * deadline.cycles_per_unit, {}};
    if (!worst || Wide{here.cycles} * worst->allowed > Wide{worst->cycles} * here.allowed)
      worst = here;
  }
  if (!worst) return std::nullopt;
  // In tenths of a per cent, rounded towards less headroom.
  const Wide left = (Wide{worst->allowed} - Wide{worst->cycles}) * 1000;
  const Wide allowed = worst->allowed;
  const i64 tenths =
      static_cast<i64>(left >= 0 ? left / allowed : -((-left + allowed - 1) / allowed));
  const u64 size = static_cast<u64>(tenths < 0 ? -tenths : tenths);
  worst->percent = fmt::format("{}{}.{}", tenths < 0 ? "-" : "", size / 10, size % 10);
  return worst;
}

u64 score_of(const Scored& scored) {
  if (!scored.entry.task) return scored.evaluation.cycles();
  return score_of(scored.entry.task->task, scored.evaluation.cases);
}

std::string score_digits_of(const Scored& scored) {
  return score_digits(scored.entry.task ? scored.entry.task->task.score.kind : ScoreKind::cycles,
                      score_of(scored));
}

std::string result_line(const Scored& scored) {
  const ScoreKind kind = scored.entry.task ? scored.entry.task->task.score.kind : ScoreKind::cycles;
  const std::string cycles = score_text(ScoreKind::cycles, scored.evaluation.cycles());
  return kind == ScoreKind::cycles ? cycles : score_text(kind, score_of(scored)) + ", " + cycles;
}

Counters all_cases(const Evaluation& evaluation) {
  Counters sum;
  for (const CaseScore& each : evaluation.cases) sum += each.total;
  return sum;
}

}  // namespace simfarm::farm
