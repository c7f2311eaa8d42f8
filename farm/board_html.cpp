#include "farm/board_html.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "farm/digest.h"
#include "farm/page/parts.h"
#include "farm/report.h"
#include "farm/text.h"

namespace simfarm::farm {
namespace {

using PageJson = nlohmann::ordered_json;

constexpr size_t page_note_characters = 600;
constexpr size_t page_failure_characters = 300;

/// JSON that may stand in a script element: ASCII, without anything that could end it.
std::string script_json(const PageJson& json) {
  std::string text;
  for (const char c : json.dump(-1, ' ', true)) switch (c) {
      case '<':
      case '>':
      case '&':
        text += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        break;
      default:
        text += c;
    }
  return text;
}

/// How a content security policy names a script or a style that may run.
std::string policy_hash(std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string hex =
      sha256(std::span(reinterpret_cast<const u8*>(text.data()), text.size())) + "00";  // 33 bytes
  std::string base64;
  for (size_t at = 0; at < hex.size(); at += 6) {
    const u32 three = static_cast<u32>(std::stoul(hex.substr(at, 6), nullptr, 16));
    for (const u32 shift : {18u, 12u, 6u, 0u}) base64 += digits[three >> shift & 63];
  }
  base64.back() = '=';  // the 33rd byte
  return "'sha256-" + base64 + "'";
}

/// Issued instructions, then every stall bin: cycles of all PEs over all cases.
PageJson bins_json(const Scored& scored) {
  PageJson bins = PageJson::array();
  const Counters all = all_cases(scored.evaluation);
  bins.push_back(all.instructions());
  for (const u64 cycles : all.stalls) bins.push_back(cycles);
  return bins;
}

/// What was decided about it, for people; empty: nothing.
std::string page_standing(const Scored& scored) {
  std::string text = standing_text(scored);
  text.erase(0, text.find_first_not_of(' '));
  if (!text.empty()) text.pop_back();
  return first_characters(text, page_failure_characters);
}

/// In the order in which farm/page/board.js takes it apart.
PageJson page_row(const Board& board, const Row& row) {
  const Scored& scored = *row.scored;
  const bool accepted = scored.evaluation.accepted();
  const std::string mark =
      accepted && !comparable(board, row)
          ? fmt::format(" (timing {}, not comparable)", scored.evaluation.timing)
          : "";
  return PageJson::array({row.rank, scored.entry.order, row.submission, row.author,
                          std::string(name(scored.evaluation.verdict)) + mark,
                          accepted ? row.score : 0, row.speedup, row.parent,
                          row.built_on ? static_cast<i64>(*row.built_on) : -1,
                          first_characters(row.note, page_note_characters),
                          first_characters(row.failure, page_failure_characters), bins_json(scored),
                          page_standing(scored)});
}

PageJson page_data(const Board& board) {
  PageJson bins = {"issued"};
  for (u32 k = 0; k < stall_count; ++k) bins.push_back(name(static_cast<Stall>(k)));
  PageJson rows = PageJson::array();
  for (const Row& each : board.rows) rows.push_back(page_row(board, each));
  PageJson target;
  if (board.task && board.task->target)
    target = {{"label", visible_text(board.task->target->label)},
              {"score", board.task->target->score}};
  const ScoreKind kind = kind_of(board);
  return {{"target", std::move(target)},
          {"leads", leader_of(board) != nullptr},
          {"score",
           {{"name", row(kind).column},
            {"unit", row(kind).unit},
            {"decimals", row(kind).decimals},
            {"more", row(kind).more_is_better},
            {"cycles", kind == ScoreKind::cycles}}},
          {"bins", std::move(bins)},
          {"records", board.records},
          {"rows", std::move(rows)}};
}

std::string summary_lines(const Board& board) {
  const Task& task = *board.task;
  std::string text = fmt::format(
      "<p class=\"soft\">machine {} ({} x {} PEs), {}; {} submission{}</p>\n",
      markup_text(visible_text(task.machine.name)), task.machine.rows, task.machine.columns,
      score_meaning(task), grouped(board.rows.size()), board.rows.size() == 1 ? "" : "s");
  const Row* const leader = leader_of(board);
  if (leader != nullptr)
    text += fmt::format("<p>{}: <strong>{}</strong>, {} by {}</p>\n",
                        leader->scored->standing ? "Leads" : "Best",
                        score_text(task.score.kind, leader->score), markup_text(leader->submission),
                        markup_text(leader->author));
  else if (!board.rows.empty() && board.rows[0].rank != 0)
    text += "<p>Nobody leads yet.</p>\n";
  return text;
}

constexpr std::string_view page_body = R"HTML(<h2>History</h2>
<p class="soft"><span class="key"></span>best so far<span class="key target"></span>target<span class="key dots"></span>ranked submissions<span class="key lineage"></span>what the leader was built on</p>
<svg id="history" role="img" viewBox="0 0 1000 340"></svg>
<p id="told" class="soft" role="status"></p>
<details id="records"><summary>Each new best, as a list</summary><ol id="record-list"></ol></details>
<section id="lineage"><h2>Lineage</h2><div id="chain"></div></section>
<h2>Submissions</h2>
<div class="tools">
<label>Search <input id="search" type="search" size="24"></label>
<label>Verdict <select id="verdict"><option value="">all</option></select></label>
<label>Rows a page <select id="size"><option>50</option><option selected>100</option><option>500</option></select></label>
<button id="first" type="button">First</button>
<button id="previous" type="button">Previous</button>
<button id="next" type="button">Next</button>
<button id="last" type="button">Last</button>
<span id="where" role="status"></span>
</div>
<div class="scroll"><table><caption class="soft">A heading sorts by its column; a submission opens what is known of it.</caption><thead><tr id="head"></tr></thead><tbody id="body"></tbody></table></div>
)HTML";

}  // namespace

std::string board_html(const Board& board) {
  check(board.task != nullptr, "a page is of a task");
  const std::string title = markup_text(visible_text(board.task->name));
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  page += fmt::format(
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; "
      "script-src {}; base-uri 'none'; form-action 'none'\">\n",
      policy_hash(page_style), policy_hash(page_script));
  page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  page += fmt::format("<title>{} - simfarm board</title>\n<style>{}</style>\n</head>\n<body>\n",
                      title, page_style);
  page +=
      fmt::format("<h1>{}</h1>\n<p>{}</p>\n", title, markup_text(visible_text(board.task->title)));
  page += summary_lines(board);
  page += "<noscript><p>The rest of this page needs JavaScript.</p></noscript>\n";
  page += page_body;
  page += fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n",
                      script_json(page_data(board)));
  page += fmt::format("<script>{}</script>\n</body>\n</html>\n", page_script);
  return page;
}

}  // namespace simfarm::farm
