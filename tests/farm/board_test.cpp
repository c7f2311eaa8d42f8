// Boards from results that were never run: ranks, ties, ratios, deadlines, documents.
#include "farm/board.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "farm/report.h"

namespace simfarm::farm {
namespace {

using testing::HasSubstr;

std::shared_ptr<const LoadedTask> task_named(const std::string& name, bool deadline = false) {
  LoadedTask loaded;
  loaded.task.name = name;
  loaded.task.title = "title of " + name;
  loaded.task.machine_name = "nano";
  loaded.task.cases = {"cases/one.h5"};
  loaded.task.target = TaskTarget{"by hand", 400};
  if (deadline) loaded.task.deadline = TaskDeadline{1000, "frame", "n"};
  return std::make_shared<const LoadedTask>(loaded);
}

Scored scored(const std::shared_ptr<const LoadedTask>& task, const std::string& id, Cycle cycles,
              u64 units = 0) {
  Scored result;
  result.entry.path = "tasks/" + id;
  result.entry.id = id;
  result.entry.task = task;
  result.entry.rerun = "simfarm try tasks/" + id;
  Submission submission;
  submission.author = "someone";
  submission.note = "why " + id;
  result.entry.submission = submission;
  result.evaluation.verdict = Verdict::accepted;
  CaseScore one{
      .name = "one", .cycles = cycles - 10, .boot_cycles = 10, .instructions = 7, .units = units};
  one.total.issued[0] = 3 * cycles;
  one.total.stalls[static_cast<u32>(Stall::barrier)] = cycles;
  result.evaluation.cases = {one};
  return result;
}

Scored refused(const std::shared_ptr<const LoadedTask>& task, const std::string& id,
               Verdict verdict) {
  Scored result = scored(task, id, 10);
  result.evaluation.cases.clear();
  result.evaluation.verdict = verdict;
  result.evaluation.failed_case = "one";
  result.evaluation.failure = "first line\nsecond line\n";
  return result;
}

std::vector<Scored> batch() {
  const auto a = task_named("alpha"), b = task_named("beta");
  std::vector<Scored> all = {scored(a, "kernel", 1234),
                             scored(a, "submissions/x", 100),
                             scored(a, "submissions/tie-b", 500),
                             scored(a, "submissions/tie-a", 500),
                             refused(a, "wrong/z", Verdict::deadlock),
                             refused(a, "wrong/y", Verdict::wrong_output),
                             scored(b, "submissions/only", 77)};
  all[4].entry.expected = Verdict::deadlock;
  all[5].entry.expected = Verdict::runtime_trap;
  return all;
}

std::vector<std::string> order(const Board& board) {
  std::vector<std::string> ids;
  for (const Row& row : board.rows)
    ids.push_back(std::to_string(row.rank) + " " + row.scored->entry.id + " " + row.speedup);
  return ids;
}

TEST(Board, RanksByCyclesThenByIdAndListsTheOthers) {
  const std::vector<Scored> all = batch();
  const std::vector<Board> boards = make_boards(all);
  ASSERT_EQ(boards.size(), 2u);
  EXPECT_EQ(order(boards[0]),
            (std::vector<std::string>{"1 submissions/x 12.34", "2 submissions/tie-a 2.46",
                                      "3 submissions/tie-b 2.46", "4 kernel 1.00", "0 wrong/y ",
                                      "0 wrong/z "}));
  EXPECT_EQ(order(boards[1]), std::vector<std::string>{"1 submissions/only "})
      << "no kernel, no speed-up";
}

TEST(Board, DoesNotDependOnTheBatchsOrder) {
  std::vector<Scored> all = batch();
  const std::string expected = score_document(make_boards(all), {}).dump();
  u64 random = 7;
  for (u32 round = 0; round < 50; ++round) {
    for (size_t k = all.size(); k > 1; --k) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      std::swap(all[k - 1], all[(random >> 33) % k]);
    }
    ASSERT_EQ(score_document(make_boards(all), {}).dump(), expected);
  }
}

TEST(Board, InAFarmTheLeaderIsFirstAndNobodyPassesWhomHeDidNotDisplace) {
  const auto task = task_named("alpha");
  std::vector<Scored> all = {scored(task, "1", 500), scored(task, "2", 400), scored(task, "3", 300),
                             scored(task, "4", 600), scored(task, "5", 200)};
  for (size_t k = 0; k < all.size(); ++k) {
    all[k].entry.order = k + 1;
    all[k].standing = Standing{};
  }
  all[0].standing->promoted = true;
  all[0].standing->leads = true;
  all[1].standing = Standing{.behind = 1, .promoted = false, .why = "slower <there>"};
  all[4].standing = Standing{.undecided = true, .behind = 1};
  all[2].standing = Standing{.behind = 9, .promoted = false, .why = "behind nobody here"};
  Board board = make_boards(all)[0];
  EXPECT_EQ(order(board), (std::vector<std::string>{"1 3 ", "2 1 ", "3 5 ", "4 2 ", "5 4 "}))
      << "3 is behind one that is not ranked";
  EXPECT_EQ(leader_of(board), nullptr);
  EXPECT_THAT(board_text(board), HasSubstr("\n  nobody leads yet: simfarm score decides\n"));
  all[2].standing->behind = 1;
  board = make_boards(all)[0];
  EXPECT_EQ(order(board), (std::vector<std::string>{"1 1 ", "2 5 ", "3 3 ", "4 2 ", "5 4 "}));
  ASSERT_NE(leader_of(board), nullptr);
  EXPECT_EQ(leader_of(board)->submission, "1");
  EXPECT_EQ(board.records, std::vector<size_t>{0});
  const auto document = score_document({board}, {})["tasks"][0];
  EXPECT_EQ(document["leader"], "1");
  EXPECT_EQ(document["board"][0]["standing"]["leads"], true);
  EXPECT_EQ(document["board"][1]["standing"]["undecided"], true);
  EXPECT_EQ(document["board"][3]["standing"]["why"], "slower <there>");
  EXPECT_TRUE(document["board"][4]["standing"].is_null());
}

TEST(Board, AKernelThatFailsGivesNoSpeedup) {
  std::vector<Scored> all = batch();
  all[0].evaluation.verdict = Verdict::wrong_output;
  EXPECT_EQ(make_boards(all)[0].rows[0].speedup, "");
}

TEST(Board, TextShowsEverySubmission) {
  const std::vector<Scored> all = batch();
  const std::string text = board_text(make_boards(all)[0]);
  EXPECT_THAT(text, HasSubstr("alpha: title of alpha\n"));
  EXPECT_THAT(text, HasSubstr("     4   1,234     1.00x  kernel             someone  ACCEPTED\n"));
  EXPECT_THAT(text, HasSubstr("DEADLOCK (as it must)\n"));
  EXPECT_THAT(text, HasSubstr("WRONG_OUTPUT (must be RUNTIME_TRAP)\n"));
  EXPECT_THAT(text, HasSubstr("  kernel: issued 75.0 %, barrier 25.0 %\n    \"why kernel\"\n"));
  EXPECT_THAT(text, HasSubstr("target 400 (by hand): the best takes 0.25 times that\n"));
  const std::string failure = failure_text(all[5]);
  EXPECT_THAT(failure, HasSubstr("alpha wrong/y: WRONG_OUTPUT in case one: "));
  EXPECT_THAT(
      failure,
      HasSubstr("\n  first line\n  second line\n  rerun: simfarm try tasks/wrong/y --case one\n"));
  EXPECT_EQ(failure_text(all[0]), "");
  EXPECT_EQ(surprise_text(all[5]), "alpha wrong/y: must be RUNTIME_TRAP, was WRONG_OUTPUT");
}

TEST(Board, SubmissionsToNoKnownTaskHaveABoardOfTheirOwn) {
  std::vector<Scored> all = batch();
  all.push_back(refused(nullptr, "uploads/x.tar", Verdict::rejected));
  all.back().entry.submission = input_error("uploads/x.tar: damaged");
  const std::vector<Board> boards = make_boards(all);
  ASSERT_EQ(boards.size(), 3u);
  EXPECT_EQ(boards[2].task, nullptr);
  EXPECT_THAT(board_text(boards[2]), HasSubstr("uploads/x.tar  -       REJECTED"));
  EXPECT_TRUE(score_document(boards, {})["tasks"][2]["task"].is_null());
}

TEST(Board, DocumentHoldsWhatDocsSay) {
  const std::vector<Scored> all = batch();
  const auto document = score_document(make_boards(all), {1.5, 2});
  EXPECT_EQ(document["schema"], "simfarm.score");
  EXPECT_EQ(document["version"], 1);
  const auto& first = document["tasks"][0]["board"][0];
  EXPECT_EQ(first["submission"], "submissions/x");
  EXPECT_EQ(first["rank"], 1);
  EXPECT_EQ(first["cycles"], 100);
  EXPECT_EQ(first["speedup"], "12.34");
  EXPECT_EQ(first["cases"][0]["boot_cycles"], 10);
  EXPECT_EQ(first["cases"][0]["pes"]["stalls"]["barrier"], 100);
  const auto& last = document["tasks"][0]["board"][5];
  EXPECT_TRUE(last["rank"].is_null());
  EXPECT_TRUE(last["cycles"].is_null());
  EXPECT_EQ(last["failure"], "first line\nsecond line\n");
  EXPECT_EQ(last["expected"], "DEADLOCK");
  EXPECT_EQ(last["as_expected"], true);
  EXPECT_EQ(document["host"]["threads"], 2);
}

TEST(Board, DeadlineTakesTheWorstCaseAndRoundsAgainstIt) {
  Scored one = scored(task_named("alpha", true), "kernel", 1500, 2);
  one.evaluation.cases.push_back({.name = "two", .cycles = 379, .boot_cycles = 1, .units = 1});
  const auto room = headroom(one);
  ASSERT_TRUE(room);
  EXPECT_EQ(room->case_name, "one");
  EXPECT_EQ(room->percent, "25.0");
  EXPECT_TRUE(room->met());
  one.evaluation.cases[1].cycles = 1000;  // 1001 of 1000: not quite
  EXPECT_EQ(headroom(one)->case_name, "two");
  EXPECT_EQ(headroom(one)->percent, "-0.1");
  EXPECT_FALSE(headroom(one)->met());
  EXPECT_THAT(
      board_text(make_boards({one})[0]),
      HasSubstr("deadline MISSED with -0.1 % headroom: 1,001 of 1,000 cycles a frame in case two"));
  EXPECT_FALSE(headroom(scored(task_named("beta"), "kernel", 100)));
}

TEST(Board, NumbersArePrintedFromIntegers) {
  EXPECT_EQ(ratio(1234, 100), "12.34");
  EXPECT_EQ(ratio(1, 3), "0.33");
  EXPECT_EQ(ratio(2, 3), "0.66");
  EXPECT_EQ(ratio(~u64{0}, 1), "18446744073709551615.00");
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1020003), "1,020,003");
}

}  // namespace
}  // namespace simfarm::farm
