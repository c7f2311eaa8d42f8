// What people wrote, in all outputs of a board; and the page, as a browser sees it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "farm/board_html.h"
#include "farm/report.h"
#include "farm/store/view.h"
#include "farm/text.h"
#include "tests/farm/support.h"

namespace simfarm::farm {
namespace {

using test::Folder;
using test::shell;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Invented {
  std::string name, author = "ann", parent = {}, note = {};
  Cycle cycles = 0;  ///< 0: WRONG_OUTPUT
};

/// A batch of a task with a target; the order of submitting is that of the list.
std::vector<Scored> invented_batch(const std::vector<Invented>& list) {
  LoadedTask loaded;
  loaded.task.name = "small";
  loaded.task.title = "multiply";
  loaded.task.cases = {"cases/one.h5"};
  loaded.task.target = TaskTarget{"by hand", 400};
  const auto task = std::make_shared<const LoadedTask>(loaded);
  std::vector<Scored> batch;
  for (const Invented& each : list) {
    Scored one;
    one.entry.id = each.name;
    one.entry.order = batch.size() + 1;
    one.entry.task = task;
    one.entry.rerun = "simfarm try x";
    Submission submission;
    submission.author = each.author;
    submission.parent = each.parent;
    submission.note = each.note;
    one.entry.submission = submission;
    one.evaluation.verdict = each.cycles == 0 ? Verdict::wrong_output : Verdict::accepted;
    if (each.cycles == 0) one.evaluation.failure = each.note + "\n";
    CaseScore cost{.name = "one", .cycles = each.cycles};
    cost.total.issued[0] = 2 * each.cycles;
    cost.total.stalls[static_cast<u32>(Stall::barrier)] = each.cycles / 2;
    if (each.cycles != 0) one.evaluation.cases = {cost};
    batch.push_back(std::move(one));
  }
  return batch;
}

TEST(BoardOutputs, WhatPeopleWroteIsNeitherMarkupNorEscapeNorFormulaNorReordered) {
  // Intake refuses most of it; an output must not rely on that.
  const std::string hostile =
      "=1+1<img src=x onerror=alert(1)></script><b>\x1b[2J\u202egpj\xff\u200b&amp;\"',\x07";
  const std::vector<Scored> batch = invented_batch(
      {{hostile, hostile, hostile, hostile, 500}, {"wrong", hostile, "", hostile, 0}});
  const Board board = make_boards(batch).front();
  std::map<std::string, std::string> outputs = {
      {"text", board_text(board) + failure_text(batch[1])},
      {"json", board_document(board).dump(2)},
      {"csv", board_csv(board)},
      {"html", board_html(board)},
      {"score", score_document({board}, {}).dump(2)}};
  for (const auto& [kind, output] : outputs) {
    std::string lines = output;
    std::erase(lines, '\r');  // CSV's
    EXPECT_EQ(text_problem(lines, true), std::nullopt) << kind;
    for (const char* const raw : {"\x1b", "\u202e", "\u200b", "\xff", "\x07"})
      EXPECT_THAT(output, Not(HasSubstr(raw))) << kind;
    EXPECT_THAT(output, AllOf(HasSubstr("u{202e}"), HasSubstr("x{ff}"))) << kind << ": shown";
  }
  EXPECT_THAT(outputs["csv"], HasSubstr(",\"'=1+1<img"));
  EXPECT_THAT(outputs["csv"], Not(HasSubstr(",=1")));
  EXPECT_THAT(outputs["html"], Not(HasSubstr("<img")));
  EXPECT_THAT(outputs["html"], HasSubstr("\\u003cimg src=x"));
  // The data are one element, the script another: nothing ended the first early.
  const std::string& html = outputs["html"];
  size_t ends = 0;
  for (size_t at = 0; (at = html.find("</script>", at)) != std::string::npos; ++at) ++ends;
  EXPECT_EQ(ends, 2u);
  for (const char* const outside : {"https:", " src=\"", "url(", "@import"})
    EXPECT_THAT(html, Not(HasSubstr(outside))) << "works from a file, without a network";
}

TEST(BoardOutputs, ParentsAreEarlierOnesAndRecordsAreThoseThatLed) {
  const std::vector<Scored> batch = invented_batch({{"kernel", "task", "", "", 1000},
                                                    {"2", "ann", "kernel", "", 800},
                                                    {"3", "bob", "2", "", 900},
                                                    {"4", "bob", "5", "a later one", 700},
                                                    {"5", "eve", "5", "itself", 700},
                                                    {"6", "eve", "9", "nobody", 0}});
  const Board board = make_boards(batch).front();
  const auto parent = [&](const std::string& name) -> std::string {
    for (const Row& row : board.rows)
      if (row.submission == name)
        return row.built_on ? board.rows[*row.built_on].submission : "none";
    return "?";
  };
  EXPECT_EQ(parent("2"), "kernel");
  EXPECT_EQ(parent("3"), "2");
  EXPECT_EQ(parent("4"), "none") << "handed in before its parent";
  EXPECT_EQ(parent("5"), "none") << "its own parent";
  EXPECT_EQ(parent("6"), "none");
  std::vector<std::string> records;
  for (const size_t place : board.records) records.push_back(board.rows[place].submission);
  EXPECT_EQ(records, (std::vector<std::string>{"kernel", "2", "4"})) << "equal is no record";
}

TEST(BoardOutputs, SayWhoLeads) {
  std::vector<Scored> batch =
      invented_batch({{"2", "ann", "", "", 500}, {"3", "bob", "", "", 400}});
  EXPECT_THAT(board_html(make_boards(batch).front()), HasSubstr("<p>Best: <strong>400 cycles"));
  batch[0].standing = Standing{.leads = true, .promoted = true, .why = "as <told>"};
  batch[1].standing = Standing{.undecided = true, .behind = 1};
  const Board board = make_boards(batch).front();
  const std::string html = board_html(board);
  EXPECT_THAT(html, HasSubstr("<p>Leads: <strong>500 cycles</strong>, 2 by ann</p>"));
  EXPECT_THAT(html, AllOf(HasSubstr("\"leads\":true"), HasSubstr("leads: as \\u003ctold")));
  EXPECT_THAT(html, HasSubstr("would lead: to be decided"));
  EXPECT_THAT(board_csv(board), HasSubstr("\r\n1,500,,2,ann,ACCEPTED,1,yes,500\r\n2,400,,3,bob,"));
  batch[0].standing = batch[1].standing = Standing{.undecided = true};
  EXPECT_THAT(board_html(make_boards(batch).front()), HasSubstr("<p>Nobody leads yet.</p>"));
}

TEST(VisibleText, WritesOutWhatMustNotBeShown) {
  EXPECT_EQ(visible_text("plain \u00e4\u4e2d"), "plain \u00e4\u4e2d");
  EXPECT_EQ(visible_text("a\nb\tc\u202e\x1b\xc0z"), "a\\u{a}b\\u{9}c\\u{202e}\\u{1b}\\x{c0}z");
  EXPECT_EQ(visible_text("a\nb", true), "a\nb");
  EXPECT_EQ(first_characters("\u00e4\u00e4\u00e4", 2), "\u00e4\u00e4...");
  EXPECT_EQ(first_characters("\u00e4\u00e4", 2), "\u00e4\u00e4");
}

/// A farm's worth: everybody builds on somebody, a seventh is wrong, notes as long as they may be.
std::vector<Invented> many_submissions(u64 count) {
  std::vector<Invented> list = {{"kernel", "task", "", "what a compiler emits", 1'000'000}};
  for (u64 k = 2; k <= count; ++k)
    list.push_back({std::to_string(k), "author " + std::to_string(k % 40),
                    k % 5 == 0 ? "kernel" : std::to_string(k - 1 - k % 3),
                    "<b>note " + std::to_string(k) + "</b>\n" + std::string(k % 900, 'n'),
                    k % 7 == 0 ? 0 : 400 + 999'000 / (1 + k / 3) + k * 7919 % 5000});
  return list;
}

TEST(Page, OfTenThousandRowsIsMadeInBoundedTimeAndSize) {
  const std::vector<Scored> batch = invented_batch(many_submissions(10'000));
  const std::string page = board_html(make_boards(batch).front());
  EXPECT_LT(page.size(), 12u << 20);
  // Notes are cut: a row is bounded, whatever its author wrote.
  std::vector<Invented> long_notes(1, {"1", "a", "", std::string(4000, '<'), 5});
  EXPECT_LT(board_html(make_boards(invented_batch(long_notes)).front()).size(),
            board_html(make_boards(invented_batch({{"1", "a", "", "", 5}})).front()).size() + 6000);
}

/// What chromium makes of a page, its script run.
std::string dom_of(const Folder& folder, const std::string& page) {
  folder.write("page.html", page);
  const test::Ran ran = shell("HOME=" + folder.path() +
                              " timeout 120 chromium --headless "
                              "--no-sandbox --disable-gpu --user-data-dir=" +
                              folder.path("profile") + " --dump-dom file://" +
                              folder.path("page.html") + " 2>" + folder.path("log"));
  EXPECT_EQ(ran.status, 0) << shell("tail -5 " + folder.path("log")).output;
  return ran.output;
}

size_t count_of(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++count;
  return count;
}

TEST(Page, InABrowserIsDrawnPagedAndNothingOfItIsMarkup) {
  if (shell("command -v chromium").status != 0)
    GTEST_SKIP()
        << "no chromium on this host: the page was not looked at (./dev setup installs it)";
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the browser is not ours; the page is made under ASan by the other tests";
#endif
  const Folder folder;
  const std::vector<Scored> batch = invented_batch(many_submissions(10'000));
  const Board board = make_boards(batch).front();
  const std::string page = board_html(board);
  const std::string dom = dom_of(folder, page);
  EXPECT_THAT(dom, HasSubstr("data-ready=\"yes\""))
      << "its script ran to its end, as its policy lets it";
  EXPECT_EQ(count_of(dom, "<tr id=\"row-"), 100u);
  EXPECT_THAT(dom, HasSubstr("Submissions 1 to 100 of 10,000"));
  EXPECT_THAT(dom, HasSubstr("aria-sort=\"ascending\""));
  EXPECT_THAT(dom, HasSubstr("class=\"best\""));
  EXPECT_THAT(dom, HasSubstr("target 400: by hand"));
  EXPECT_THAT(dom, HasSubstr("&lt;b&gt;note "));
  EXPECT_THAT(dom, Not(HasSubstr("<b>note")));

  // The same page with somebody who clicks: without the policy, which would forbid it.
  std::string clicked = page;
  const size_t policy = clicked.find("<meta http-equiv");
  clicked.erase(policy, clicked.find('\n', policy) - policy);
  clicked.insert(clicked.rfind("</body>"), R"(<script>
const said = [];
const first = () => document.querySelector('#body tr').id + ' ' + document.querySelectorAll('#body td')[1].textContent;
const click = (selector) => document.querySelector(selector).click();
click('#next'); said.push(document.getElementById('where').textContent);
click('#last'); said.push(document.getElementById('where').textContent, String(document.getElementById('next').disabled));
click('#head-cycles button'); click('#head-cycles button');
said.push(document.getElementById('head-cycles').getAttribute('aria-sort'));
const search = document.getElementById('search');
search.value = 'note 12 author'; search.dispatchEvent(new Event('input'));
said.push(document.getElementById('where').textContent);
search.value = ''; search.dispatchEvent(new Event('input'));
const verdict = document.getElementById('verdict');
verdict.value = 'WRONG_OUTPUT'; verdict.dispatchEvent(new Event('change'));
said.push(document.getElementById('where').textContent);
verdict.value = ''; verdict.dispatchEvent(new Event('change'));
click('#head-rank button');
const toggle = document.querySelector('#body td button'); toggle.focus(); toggle.click();
said.push(document.activeElement.getAttribute('aria-expanded'));
said.push(String(document.querySelectorAll('#body tr.more table.bins tbody tr').length));
document.documentElement.setAttribute('data-said', said.join('|'));
</script>
)");
  const std::string after = dom_of(folder, clicked);
  const size_t at = after.find("data-said=\"");
  ASSERT_NE(at, std::string::npos);
  const std::string said = after.substr(at + 11, after.find('"', at + 11) - at - 11);
  EXPECT_THAT(said,
              testing::MatchesRegex(
                  "Submissions 101 to 200 of 10,000\\|Submissions 9,901 to 10,000 of 10,000\\|"
                  "true\\|descending\\|Submissions 1 to [0-9]+ of [0-9]+\\|"
                  "Submissions 1 to 100 of 1,428\\|true\\|2"));
}

TEST(Page, OfAnotherKindOfScoreShowsItsNumbers) {
  if (shell("command -v chromium").status != 0) GTEST_SKIP() << "no chromium on this host";
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the browser is not ours";
#endif
  std::vector<Scored> batch =
      invented_batch({{"kernel", "task", "", "", 1000}, {"2", "ann", "kernel", "", 800}});
  LoadedTask loaded = *batch[0].entry.task;
  loaded.task.score.kind = ScoreKind::mac_utilisation;
  loaded.task.machine.rows = loaded.task.machine.columns = 4;
  loaded.task.target = TaskTarget{"by hand", 859'000};
  const auto task = std::make_shared<const LoadedTask>(loaded);
  for (Scored& each : batch) each.entry.task = task;
  batch[0].evaluation.cases[0].macs = 1280;  // of 128,000
  batch[1].evaluation.cases[0].macs = 12'800;
  const Folder folder;
  const std::string dom = dom_of(folder, board_html(make_boards(batch).front()));
  EXPECT_THAT(dom, HasSubstr("data-ready=\"yes\""));
  EXPECT_THAT(dom, HasSubstr("Best MAC use went from 1.0000 to 12.5000 in 2 steps."));
  EXPECT_THAT(dom, HasSubstr("target 85.9000: by hand"));
  EXPECT_THAT(dom, HasSubstr("more is better"));
  EXPECT_THAT(dom, HasSubstr("1150.0 % more"));
  EXPECT_THAT(dom, HasSubstr(">12.50\u00d7<"));
}

}  // namespace
}  // namespace simfarm::farm
