#include "farm/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "farm/energy.h"
#include "farm/held_out.h"
#include "farm/task_score.h"
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

/// What a case adds to the task's score, where that is not its cycles; empty: nothing to say.
std::string case_part(const Task& task, const CaseScore& one) {
  switch (task.score.kind) {
    case ScoreKind::energy: {
      const Energy energy =
          energy_of(energy_tables()[task.score.energy_table - 1], one, task.machine.pes());
      const auto part = [](Femtojoules of) {
        return score_number(ScoreKind::energy, picojoules(of));
      };
      return fmt::format(
          "{} nJ: instructions {}, DMA in local memories {}, OCM {}, DRAM {}, PE cycles {}, boot "
          "{}",
          part(energy.total()), part(energy.instructions), part(energy.local), part(energy.ocm),
          part(energy.dram), part(energy.cycles), part(energy.boot));
    }
    case ScoreKind::weighted: {
      const auto found = task.score.cases.find(one.name);
      if (found == task.score.cases.end()) return {};
      return fmt::format("{} of {} cycles, weight {}",
                         score_number(ScoreKind::weighted, score_of(task, {one})),
                         grouped(found->second.reference), found->second.weight);
    }
    case ScoreKind::cycles:
    case ScoreKind::count:
      return {};
    default:
      return score_text(task.score.kind, score_of(task, {one}));
  }
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
  return fmt::format("{}: {}\n  machine {} ({} x {} PEs), {}\n", task.name,
                     visible_text(task.title), task.machine.name, task.machine.rows,
                     task.machine.columns, score_meaning(task));
}

std::string deadline_line(const Task& task, const Headroom& room) {
  const u64 units = room.allowed / task.deadline->cycles_per_unit;
  return fmt::format("deadline {} with {} % headroom: {} of {} cycles a {} in case {}",
                     room.met() ? "met" : "MISSED", room.percent,
                     grouped((room.cycles + units - 1) / units),
                     grouped(task.deadline->cycles_per_unit), task.deadline->unit, room.case_name);
}

}  // namespace

std::string score_meaning(const Task& task) {
  const ScoreKindRow& kind = row(task.score.kind);
  const std::string cases =
      fmt::format("{} case{}", task.cases.size(), task.cases.size() == 1 ? "" : "s");
  return fmt::format("{}, {} is better", fmt::format(fmt::runtime(kind.what), cases),
                     kind.more_is_better ? "more" : "less");
}

std::string board_text(const Board& board) {
  std::string text = board.task ? head(*board.task) : "submissions to no known task\n";
  const ScoreKind kind = kind_of(board);
  const bool by_cycles = kind == ScoreKind::cycles;
  std::vector<std::vector<std::string>> table = {{"rank", std::string(row(kind).column),
                                                  by_cycles ? "speed-up" : "gain", "cycles",
                                                  "submission", "author", "verdict"}};
  for (const Row& line : board.rows) {
    const Scored& scored = *line.scored;
    const bool accepted = scored.evaluation.accepted();
    table.push_back({line.rank != 0 ? fmt::format("{}", line.rank) : "-",
                     accepted ? score_number(kind, line.score) : "-",
                     line.speedup.empty() ? "-" : line.speedup + "x",
                     accepted ? grouped(scored.evaluation.cycles()) : "-", line.submission,
                     line.author.empty() ? "-" : line.author, verdict_text(board, line)});
  }
  if (by_cycles)
    for (auto& cells : table) cells.erase(cells.begin() + 3);
  text += columns(table, by_cycles ? ">>><<<" : ">>>><<<");
  if (!board.rows.empty() && board.rows[0].rank != 0 && leader_of(board) == nullptr)
    text += "  nobody leads yet: simfarm score decides\n";
  for (const Row& line : board.rows) {
    if (line.rank == 0) continue;
    text += fmt::format("  {}: {}\n", line.submission,
                        profile::stall_line(all_cases(line.scored->evaluation)));
    if (const std::string told = standing_text(*line.scored); !told.empty()) text += "  " + told;
    if (const auto room = headroom(*line.scored))
      text += fmt::format("    {}\n", deadline_line(*board.task, *room));
    if (const std::string note = note_line(line.note); !note.empty())
      text += fmt::format("    \"{}\"\n", note);
  }
  if (board.task && board.task->target) {
    const TaskTarget& target = *board.task->target;
    text += fmt::format("  target {} ({})",
                        by_cycles ? grouped(target.score) : score_text(kind, target.score),
                        visible_text(target.label));
    if (!board.rows.empty() && board.rows[0].rank != 0)
      text += fmt::format(": the best {} {} times that", by_cycles ? "takes" : "has",
                          ratio(board.rows[0].score, target.score));
    text += "\n";
  }
  return text;
}

std::string failure_text(const Scored& scored) {
  const Evaluation& evaluation = scored.evaluation;
  if (evaluation.accepted()) return {};
  std::string text =
      fmt::format("{} {}: {}", scored.entry.task ? task_name(scored.entry) : "submission",
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
  for (const CaseScore& each : scored.evaluation.cases)
    if (const std::string part = case_part(scored.entry.task->task, each); !part.empty())
      text += fmt::format("  {}: {}\n", each.name, part);
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
