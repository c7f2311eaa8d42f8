#include "farm/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "farm/held_out.h"
#include "farm/text.h"
#include "profile/report.h"

namespace simfarm::farm {
namespace {

/// Cells in columns as wide as the widest; `right` says which are numbers. No blanks at line ends.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::string_view right) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t k = 0; k < row.size(); ++k)
      widths[k] = std::max(widths[k], utf8_characters(row[k]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t k = 0; k < row.size(); ++k) {
      const std::string blanks(widths[k] - utf8_characters(row[k]), ' ');
      line += "  ";
      line += right[k] == '>' ? blanks + row[k] : row[k] + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

/// The first line of a note, cut to what fits a board.
std::string note_line(const std::string& note) {
  constexpr size_t width = 90;
  const std::string rest = note.substr(std::min(note.find_first_not_of("\n\t "), note.size()));
  return first_characters(rest.substr(0, rest.find_first_of("\n\t")), width);
}

std::string verdict_text(const Board& board, const Row& row) {
  const Scored& scored = *row.scored;
  std::string text(name(scored.evaluation.verdict));
  if (scored.evaluation.accepted() && !comparable(board, row))
    text += fmt::format(" (timing {}, not comparable)", scored.evaluation.timing);
  if (scored.entry.expected)
    text += scored.as_expected() ? " (as it must)"
                                 : fmt::format(" (must be {})", name(*scored.entry.expected));
  return text;
}

std::string head(const Task& task) {
  return fmt::format(
      "{}: {}\n  machine {} ({} x {} PEs), cycles of {} case{} with boot, less is better\n",
      task.name, visible_text(task.title), task.machine.name, task.machine.rows,
      task.machine.columns, task.cases.size(), task.cases.size() == 1 ? "" : "s");
}

std::string deadline_line(const Task& task, const Headroom& room) {
  const u64 units = room.allowed / task.deadline->cycles_per_unit;
  return fmt::format("deadline {} with {} % headroom: {} of {} cycles a {} in case {}",
                     room.met() ? "met" : "MISSED", room.percent,
                     grouped((room.cycles + units - 1) / units),
                     grouped(task.deadline->cycles_per_unit), task.deadline->unit, room.case_name);
}

}  // namespace

std::string board_text(const Board& board) {
  std::string text = board.task ? head(*board.task) : "submissions to no known task\n";
  std::vector<std::vector<std::string>> table = {
      {"rank", "cycles", "speed-up", "submission", "author", "verdict"}};
  for (const Row& row : board.rows) {
    const Scored& scored = *row.scored;
    const bool ranked = row.rank != 0;
    table.push_back({ranked ? fmt::format("{}", row.rank) : "-",
                     scored.evaluation.accepted() ? grouped(scored.evaluation.score()) : "-",
                     row.speedup.empty() ? "-" : row.speedup + "x", row.submission,
                     row.author.empty() ? "-" : row.author, verdict_text(board, row)});
  }
  text += columns(table, ">>><<<");
  if (!board.rows.empty() && board.rows[0].rank != 0 && leader_of(board) == nullptr)
    text += "  nobody leads yet: simfarm score decides\n";
  for (const Row& row : board.rows) {
    if (row.rank == 0) continue;
    text += fmt::format("  {}: {}\n", row.submission,
                        profile::stall_line(all_cases(row.scored->evaluation)));
    if (const std::string told = standing_text(*row.scored); !told.empty()) text += "  " + told;
    if (const auto room = headroom(*row.scored))
      text += fmt::format("    {}\n", deadline_line(*board.task, *room));
    if (const std::string note = note_line(row.note); !note.empty())
      text += fmt::format("    \"{}\"\n", note);
  }
  if (board.task && board.task->target) {
    const TaskTarget& target = *board.task->target;
    text += fmt::format("  target {} ({})", grouped(target.cycles), visible_text(target.label));
    if (!board.rows.empty() && board.rows[0].rank != 0)
      text += fmt::format(": the best takes {} times that",
                          ratio(board.rows[0].scored->evaluation.score(), target.cycles));
    text += "\n";
  }
  return text;
}

std::string failure_text(const Scored& scored) {
  const Evaluation& evaluation = scored.evaluation;
  if (evaluation.accepted()) return {};
  std::string text = fmt::format("{} {}: {}", task_name(scored.entry),
                                 visible_text(scored.entry.id), name(evaluation.verdict));
  if (!evaluation.failed_case.empty()) text += fmt::format(" in case {}", evaluation.failed_case);
  text += fmt::format(": {}\n", row(evaluation.verdict).meaning);
  const std::string failure = visible_text(evaluation.failure, true);
  for (size_t at = 0; at < failure.size();) {
    const size_t end = std::min(failure.find('\n', at), failure.size());
    text += "  " + failure.substr(at, end - at) + "\n";
    at = end + 1;
  }
  // Held-out cases can be rerun by the operator alone (simfarm farm held-out).
  const bool hidden = evaluation.failed_case == held_out_name && !evaluation.secret.empty();
  if (hidden) return text;
  text += "  rerun: " + visible_text(scored.entry.rerun);
  if (!evaluation.failed_case.empty()) text += " --case " + evaluation.failed_case;
  return text + "\n";
}

std::string standing_text(const Scored& scored) {
  if (!scored.standing) return {};
  const Standing& standing = *scored.standing;
  const std::string why = visible_text(standing.why);
  if (standing.leads)
    return fmt::format("  leads: {}\n", standing.promoted ? why : "the starting kernel");
  if (standing.undecided) return "  would lead: to be decided (simfarm score)\n";
  if (!standing.promoted) return {};
  return fmt::format("  {}: {}\n", *standing.promoted ? "led" : "not promoted", why);
}

std::string case_table(const Scored& scored) {
  std::vector<std::vector<std::string>> table = {
      {"case", "cycles", "boot", "instructions", "where the cycles of all PEs go"}};
  for (const CaseScore& each : scored.evaluation.cases)
    table.push_back({each.name, grouped(each.cycles), grouped(each.boot_cycles),
                     grouped(each.instructions), profile::stall_line(each.total)});
  std::string text = scored.evaluation.cases.empty() ? "" : columns(table, "<>>><");
  if (const auto& held_out = scored.evaluation.held_out)
    text +=
        fmt::format("  held out: {} case{}, {} cycles with boot, not in the score\n",
                    held_out->cases, held_out->cases == 1 ? "" : "s", grouped(held_out->cycles));
  if (const auto room = headroom(scored))
    text += fmt::format("  {}\n", deadline_line(scored.entry.task->task, *room));
  return text;
}

std::string public_only_text(const Task& task) {
  if (task.held_out.empty()) return {};
  return fmt::format("  public cases only: a farm also judges {} held-out case{}\n",
                     task.held_out.size(), task.held_out.size() == 1 ? "" : "s");
}

std::string surprise_text(const Scored& scored) {
  return fmt::format(
      "{} {}: must be {}, was {}", task_name(scored.entry), visible_text(scored.entry.id),
      name(scored.entry.expected.value_or(Verdict::accepted)), name(scored.evaluation.verdict));
}

}  // namespace simfarm::farm
