// Sets of submissions that are judged again.
#include <gmock/gmock.h>

#include "farm/report.h"
#include "farm/store/rejudge_view.h"
#include "tests/store/support.h"

namespace simfarm::farm {
namespace {

using test::board_bytes;
using test::coordinate_all;
using test::expect_whole;
using test::FarmFolder;
using test::invented_source;
using test::submitted;
using testing::HasSubstr;

/// Another simulator: what took less than 150 cycles takes more, number 3 is wrong.
Evaluation other_judge(const LoadedTask& task, const Result<Submission>& submission) {
  Evaluation result = test::invented_judge(task, submission);
  if (result.cycles() == 121) {
    result.verdict = Verdict::wrong_output;
    result.failure = "with the new one\n";
    result.cases.clear();
  } else if (result.accepted() && result.cycles() < 150) {
    result.cases[0].cycles += 1000;
  }
  return result;
}

/// A farm with 1 to 4 ranked, 5 wrong.
class Rejudge : public testing::Test {
 protected:
  Rejudge() : store_(folder_.open()) {
    for (const u64 cycles : {100, 110, 120, 200})
      submitted(store_, folder_.candidate("a", invented_source(cycles, cycles)));
    submitted(store_, folder_.candidate("b", "// wrong\n"));
    EXPECT_TRUE(coordinate_all(store_));
  }
  i64 begun(const std::string& selection) {
    const auto ids = select_submissions(store_, "small", selection);
    EXPECT_TRUE(ids) << (ids ? "" : ids.error().message);
    const auto set = store_.begin_rejudge(**store_.find_task("small"), *ids, selection, "newer");
    EXPECT_TRUE(set) << (set ? "" : set.error().message);
    return set ? *set : 0;
  }
  CoordinatorSummary judge_again() {
    const auto summary =
        coordinate(store_, other_judge, {2, {"some toolchain", "another simulator"}, {}, {}});
    EXPECT_TRUE(summary) << (summary ? "" : summary.error().message);
    return *summary;
  }
  std::string settled(i64 set, SetState to) {
    const auto done = store_.settle_rejudge(set, to, "looked at it");
    return done ? "" : done.error().message;
  }
  nlohmann::json rows() { return nlohmann::json::parse(board_bytes(store_))["board"]; }
  State state(i64 id) { return (*store_.submission(id))->state; }

  FarmFolder folder_;
  Store store_;
};

TEST_F(Rejudge, Scenario06_AppliedAndCancelledTheBoardIsTheSameByteForByte) {
  const std::string before = board_bytes(store_);
  const i64 set = begun("all");
  EXPECT_EQ(*store_.count_queued(), 5);
  EXPECT_EQ(settled(set, SetState::applied).substr(0, 38),
            "set 1: 5 submissions are not judged ye");
  EXPECT_EQ(judge_again().judged, 5);
  EXPECT_EQ(board_bytes(store_), before) << "until it is applied";
  expect_whole(store_);

  EXPECT_EQ(settled(set, SetState::applied), "");
  EXPECT_EQ(rows()[0]["submission"], "4");
  EXPECT_EQ(rows()[0]["cycles"], 201);
  EXPECT_EQ(rows()[1]["cycles"], 1101);
  EXPECT_EQ(rows()[3]["submission"], "3");
  EXPECT_EQ(rows()[3]["verdict"], "WRONG_OUTPUT");
  EXPECT_EQ(state(3), State::judged);
  EXPECT_EQ(store_.counts(1)->at(static_cast<size_t>(State::ranked)), 3);
  expect_whole(store_);
  const std::string after = board_bytes(store_);

  EXPECT_EQ(settled(set, SetState::cancelled), "");
  EXPECT_EQ(board_bytes(store_), before);
  EXPECT_EQ(state(3), State::ranked);
  expect_whole(store_);
  EXPECT_THAT(settled(set, SetState::applied),
              HasSubstr("set 1 is cancelled and cannot be applied"));
  EXPECT_EQ(*store_.database().integer("SELECT count(*) FROM rejudge_log"), 3) << "one line each";
  // Once more: every key has its result now.
  const i64 again = begun("all");
  EXPECT_EQ(judge_again().judged, 0);
  EXPECT_EQ(settled(again, SetState::applied), "");
  EXPECT_EQ(board_bytes(store_), after);
  expect_whole(store_);
}

TEST_F(Rejudge, ComparesWithWhatTheMembersHad) {
  const i64 set = begun("top:3");
  judge_again();
  const nlohmann::json document = *rejudge_document(store_, *store_.rejudge(set));
  EXPECT_EQ(document["schema"], "simfarm.rejudge");
  EXPECT_EQ(document["state"], "begun");
  EXPECT_EQ(document["counts"]["members"], 3);
  EXPECT_EQ(document["counts"]["slower"], 2);
  EXPECT_EQ(document["counts"]["verdict"], 1);
  EXPECT_EQ(document["members"][0]["before"]["cycles"], 101);
  EXPECT_EQ(document["members"][0]["after"]["cycles"], 1101);
  EXPECT_THAT(rejudge_text(document), HasSubstr("  3: ACCEPTED 121 -> WRONG_OUTPUT\n"));
}

TEST_F(Rejudge, TheLaterOfTwoAppliedSetsCountsAndWhatAPersonDecidesStays) {
  const std::string before = board_bytes(store_);
  const i64 first = begun("1,3-4");
  judge_again();
  EXPECT_EQ(settled(first, SetState::applied), "");
  ASSERT_TRUE(store_.act({1}, Act::hold, "odd"));
  const i64 second = begun("1-3");
  ASSERT_TRUE(coordinate(store_, test::invented_judge, {1, {"some toolchain", "a third"}, {}, {}}));
  EXPECT_EQ(settled(second, SetState::applied), "");
  EXPECT_EQ(state(1), State::held) << "no set puts back what a person holds";
  EXPECT_EQ(state(3), State::ranked) << "accepted again";
  expect_whole(store_);
  EXPECT_EQ(settled(first, SetState::cancelled), "");
  EXPECT_EQ(state(3), State::ranked);
  ASSERT_TRUE(store_.act({1}, Act::approve, "not odd"));
  EXPECT_EQ(state(1), State::ranked);
  expect_whole(store_);
  EXPECT_EQ(settled(second, SetState::cancelled), "");
  EXPECT_EQ(board_bytes(store_), before);
  expect_whole(store_);
}

TEST_F(Rejudge, ACancelledSetThrowsAwayWhatStillRuns) {
  const i64 set = begun("ranked");
  const Claim claim = *store_.claim(test::simple_key)->claim;
  EXPECT_EQ(claim.rejudge, set);
  EXPECT_EQ(settled(set, SetState::cancelled), "");
  Evaluation accepted;
  accepted.verdict = Verdict::accepted;
  EXPECT_EQ(*store_.complete(claim, accepted, test::some_host), Settled::stale);
  EXPECT_FALSE(store_.claim(test::simple_key)->claim) << "nothing of it waits";
  expect_whole(store_);
}

TEST_F(Rejudge, LeasesEndAndFaultsAreRepeatedAsInTheQueue) {
  const i64 set = begun("4");
  const Claim lost = *store_.claim(test::simple_key)->claim;
  EXPECT_FALSE(store_.claim(test::simple_key)->claim);
  EXPECT_EQ(*store_.requeue_leased(), 1);
  Evaluation fault;
  fault.verdict = Verdict::system_error;
  for (int k = 0; k <= Store::max_retries; ++k) {
    const Claim claim = *store_.claim(test::simple_key)->claim;
    EXPECT_EQ(*store_.complete(lost, fault, test::some_host), Settled::stale);
    EXPECT_EQ(*store_.complete(claim, fault, test::some_host),
              k < Store::max_retries ? Settled::again : Settled::gave_up);
  }
  EXPECT_FALSE(store_.claim(test::simple_key)->claim);
  EXPECT_TRUE((*store_.rejudge_members(set))[0].gave_up);
  EXPECT_THAT(settled(set, SetState::applied), HasSubstr("1 submissions are not judged"));
  expect_whole(store_);
}

TEST_F(Rejudge, KilledAtAnyStepASetIsJudgedOnceAndAppliedWholeOrNot) {
  const std::string before = board_bytes(store_);
  const i64 set = begun("1-2");
  const auto judge_and_apply = [&](Store& store) {
    EXPECT_TRUE(coordinate(store, other_judge, {1, {"some toolchain", "another"}, {}, {}}));
    EXPECT_TRUE(store.settle_rejudge(set, SetState::applied, "good"));
  };
  std::string after;
  {
    std::filesystem::copy(folder_.farm(), folder_.path("whole"),
                          std::filesystem::copy_options::recursive);
    Store whole = test::open_store(folder_.path("whole"));
    judge_and_apply(whole);
    after = board_bytes(whole);
  }
  bool ended = false;
  for (int at = 1; !ended; ++at) {
    ASSERT_LT(at, 100);
    const std::string copy = folder_.path("copy");
    std::filesystem::remove_all(copy);
    std::filesystem::copy(folder_.farm(), copy, std::filesystem::copy_options::recursive);
    const int status = test::in_child([&] {
      Store store = test::open_store(copy, test::killed_at(at));
      judge_and_apply(store);
    });
    ended = status == 0;
    Store store = test::open_store(copy);
    expect_whole(store);
    const bool applied = store.rejudge(set)->state == SetState::applied;
    EXPECT_EQ(board_bytes(store), applied ? after : before) << at;
    if (!applied) judge_and_apply(store);
    EXPECT_EQ(board_bytes(store), after) << at;
    EXPECT_EQ(*store.database().integer("SELECT count(*) FROM evaluations"), 7) << at;
  }
}

TEST_F(Rejudge, ANewTimingBeginsANewBoardAndTheOldOneStays) {
  // As it will be seen by a simulator of the next version of the timing.
  const auto seen = [&](u32 timing) {
    TaskBoard found = *task_board(store_, "small", timing);
    for (Scored& each : found.batch) each.entry.rerun = "";
    found.board = make_boards(found.batch, timing).front();
    return std::pair(nlohmann::json::parse(board_document(found.board).dump()),
                     board_text(found.board));
  };
  const auto before = seen(timing_version);
  const auto [json, text] = seen(timing_version + 1);
  EXPECT_EQ(json["timing"], timing_version + 1);
  EXPECT_TRUE(json["board"][0]["rank"].is_null()) << "nothing of it is judged yet";
  EXPECT_EQ(json["board"][0]["cycles"], 101) << "the old score is kept";
  EXPECT_THAT(text, HasSubstr("ACCEPTED (timing 1, not comparable)"));
  // Judged again and applied, some are on the new board; the others wait.
  JudgingHost newer{"some toolchain", "another simulator"};
  newer.timing = timing_version + 1;
  const i64 set = begun("1-2");
  ASSERT_TRUE(coordinate(store_, other_judge, {1, newer, {}, {}}));
  EXPECT_EQ(settled(set, SetState::applied), "");
  const nlohmann::json rows = seen(timing_version + 1).first["board"];
  EXPECT_EQ(rows[0]["submission"], "1");
  EXPECT_EQ(rows[0]["rank"], 1);
  EXPECT_EQ(rows[0]["cycles"], 1101) << "more than 3 has in the old timing";
  EXPECT_EQ(rows[1]["rank"], 2);
  EXPECT_TRUE(rows[2]["rank"].is_null());
  EXPECT_EQ(settled(set, SetState::cancelled), "");
  EXPECT_EQ(seen(timing_version), before);
  expect_whole(store_);
}

TEST_F(Rejudge, OnlyWhatWasJudgedAndIsInNoOpenSet) {
  const StoredTask task = **store_.find_task("small");
  const i64 queued = submitted(store_, folder_.candidate("c", invented_source(5, 5)));
  const auto refusal = [&](const std::vector<i64>& ids) {
    return store_.begin_rejudge(task, ids, "some", "newer").error().message;
  };
  EXPECT_THAT(refusal({1, queued}), HasSubstr("submission 6 is queued: judged again can only be"));
  EXPECT_THAT(refusal({99}), HasSubstr("has no submission 99"));
  EXPECT_THAT(refusal({}), HasSubstr("no submission is selected"));
  begun("2");
  EXPECT_THAT(refusal({1, 2}), HasSubstr("submission 2 is in set 1 already"));
  for (const char* const wrong : {"", "x", "0", "5-2", "1,,2", "top:", "top:0", "1 2"})
    EXPECT_FALSE(select_submissions(store_, "small", wrong)) << wrong;
  expect_whole(store_);
}

}  // namespace
}  // namespace simfarm::farm
