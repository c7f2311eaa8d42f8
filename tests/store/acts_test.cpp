// What a person decides about submissions: hold, approve, cancel.
#include <gmock/gmock.h>

#include "tests/store/support.h"

namespace simfarm::farm {
namespace {

using test::board_bytes;
using test::coordinate_all;
using test::expect_whole;
using test::FarmFolder;
using test::invented_source;
using test::simple_key;
using test::some_host;
using test::states;
using test::submitted;
using testing::ElementsAre;
using testing::HasSubstr;

/// A farm with two ranked submissions, 1 and 2, and a wrong one, 3.
class Acts : public testing::Test {
 protected:
  Acts() : store_(folder_.open()) {
    submitted(store_, folder_.candidate("a", invented_source(100, 1)));
    submitted(store_, folder_.candidate("b", invented_source(200, 2)));
    submitted(store_, folder_.candidate("c", "// wrong\n"));
    EXPECT_TRUE(coordinate_all(store_));
  }
  State state(i64 id) { return (*store_.submission(id))->state; }
  std::string refusal(const std::vector<i64>& ids, Act act) {
    const auto done = store_.act(ids, act, "because");
    EXPECT_FALSE(done);
    return done ? "" : done.error().message;
  }
  void expect_done(i64 id, Act act) {
    const auto done = store_.act({id}, act, "because");
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
  }
  nlohmann::json board() { return nlohmann::json::parse(board_bytes(store_))["board"]; }

  FarmFolder folder_;
  Store store_;
};

TEST_F(Acts, HoldTakesOffTheRanksAndApprovePutsBackByteForByte) {
  const std::string before = board_bytes(store_);
  for (const i64 id : {1, 3}) {
    expect_done(id, Act::hold);
    EXPECT_EQ(state(id), State::held);
    EXPECT_NE(board_bytes(store_), before);
    expect_whole(store_);
  }
  const nlohmann::json rows = board();
  EXPECT_EQ(rows[0]["submission"], "2");
  EXPECT_EQ(rows[0]["rank"], 1);
  for (const size_t k : {1, 2}) {
    EXPECT_EQ(rows[k]["verdict"], "HELD");
    EXPECT_TRUE(rows[k]["rank"].is_null());
    EXPECT_TRUE(rows[k]["cycles"].is_null());
    EXPECT_TRUE(rows[k]["cases"].empty());
    EXPECT_EQ(rows[k]["failure"], "because\n");
  }
  for (const i64 id : {3, 1}) expect_done(id, Act::approve);
  EXPECT_EQ(board_bytes(store_), before);
  EXPECT_THAT(states(store_, 1),
              ElementsAre("received", "queued", "running", "judged", "ranked", "held", "ranked"));
  EXPECT_THAT(states(store_, 3),
              ElementsAre("received", "queued", "running", "judged", "held", "judged"));
  const Event last = store_.events(1)->back();
  EXPECT_EQ(last.act, Act::approve);
  EXPECT_EQ(last.detail, "because");
  expect_whole(store_);
}

TEST_F(Acts, CancelledWhileQueuedItIsNeverRun) {
  const i64 id = submitted(store_, folder_.candidate("d", invented_source(50, 4)));
  expect_done(id, Act::cancel);
  EXPECT_EQ(coordinate_all(store_)->judged, 0);
  EXPECT_EQ(state(id), State::cancelled);
  const nlohmann::json rows = board();
  EXPECT_EQ(rows[3]["verdict"], "CANCELLED");
  EXPECT_TRUE(rows[3]["rank"].is_null());
  expect_whole(store_);
}

TEST_F(Acts, CancelledWhileRunningItsResultIsThrownAway) {
  const i64 id = submitted(store_, folder_.candidate("d", invented_source(50, 4)));
  const Claim claim = *store_.claim(simple_key)->claim;
  ASSERT_EQ(claim.submission, id);
  expect_done(id, Act::cancel);
  Evaluation accepted;
  accepted.verdict = Verdict::accepted;
  EXPECT_EQ(*store_.complete(claim, accepted, some_host), Settled::stale);
  EXPECT_EQ(state(id), State::cancelled);
  EXPECT_THAT(states(store_, id), ElementsAre("received", "queued", "running", "cancelled"));
  // The same sources once more are judged, not answered: nothing was kept.
  const i64 again = submitted(store_, folder_.candidate("d", invented_source(50, 4)));
  EXPECT_EQ(coordinate_all(store_)->judged, 1);
  EXPECT_EQ(state(again), State::ranked);
  expect_whole(store_);
}

TEST_F(Acts, CancelledWhileACoordinatorRunsItTheRestIsJudged) {
  const i64 id = submitted(store_, folder_.candidate("d", invented_source(50, 4)));
  const i64 next = submitted(store_, folder_.candidate("e", invented_source(60, 5)));
  const auto judge = [&](const LoadedTask& task, const Result<Submission>& submission) {
    Evaluation result = test::invented_judge(task, submission);
    // Another process, in the middle of a run.
    if (result.cycles() == 51) {
      EXPECT_TRUE(folder_.open().act({id}, Act::cancel, ""));
    }
    return result;
  };
  const auto summary = coordinate_all(store_, 2, judge);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->stale, 1);
  EXPECT_EQ(summary->judged, 1);
  EXPECT_EQ(state(id), State::cancelled);
  EXPECT_EQ(state(next), State::ranked);
  expect_whole(store_);
}

TEST_F(Acts, AHeldOneCanBeCancelledForGood) {
  expect_done(1, Act::hold);
  expect_done(1, Act::cancel);
  EXPECT_EQ(board()[1]["verdict"], "CANCELLED");
  EXPECT_THAT(refusal({1}, Act::approve),
              HasSubstr("submission 1 is cancelled and cannot be approved; nothing can be done"));
  expect_whole(store_);
}

TEST_F(Acts, WhatARuleHeldIsRankedWhenApproved) {
  const i64 id = submitted(store_, folder_.candidate("d", invented_source(50, 4)));
  const auto judge = [&](const LoadedTask& task, const Result<Submission>& submission) {
    Evaluation result = test::invented_judge(task, submission);
    result.verdict = Verdict::held;
    result.failure = "faster than the roofline\n";
    return result;
  };
  ASSERT_TRUE(coordinate_all(store_, 1, judge));
  EXPECT_EQ(state(id), State::held);
  EXPECT_EQ(board()[3]["verdict"], "HELD");
  EXPECT_THAT(refusal({id}, Act::hold),
              HasSubstr("is held and cannot be held; it can be approved"));
  expect_done(id, Act::approve);
  EXPECT_EQ(state(id), State::ranked);
  EXPECT_EQ(board()[0]["submission"], std::to_string(id));
  EXPECT_EQ(board()[0]["verdict"], "ACCEPTED");
  EXPECT_TRUE(board()[0]["failure"].is_null());
  expect_done(id, Act::hold);
  expect_done(id, Act::approve);
  EXPECT_EQ(board()[0]["submission"], std::to_string(id));
  expect_whole(store_);
}

TEST_F(Acts, InAnotherStateTheyAreRefusedAndNothingIsDone) {
  const i64 queued = submitted(store_, folder_.candidate("d", invented_source(50, 4)));
  const i64 rejected = submitted(store_, folder_.write("in/x.tar", "no archive"));
  EXPECT_THAT(refusal({1, queued}, Act::hold),
              HasSubstr("submission 4 is queued and cannot be held; it can be cancelled"));
  EXPECT_EQ(state(1), State::ranked) << "all or none";
  EXPECT_THAT(refusal({1}, Act::approve),
              HasSubstr("is ranked and cannot be approved; it can be held"));
  EXPECT_THAT(refusal({3}, Act::cancel),
              HasSubstr("is judged and cannot be cancelled; it can be held (simfarm hold), and"));
  EXPECT_THAT(refusal({rejected}, Act::cancel), HasSubstr("is rejected and cannot be cancelled"));
  EXPECT_THAT(refusal({99}, Act::hold), HasSubstr("no submission 99"));
  EXPECT_THAT(store_.act({1}, Act::hold, "").error().message, HasSubstr("a reason is needed"));
  EXPECT_THAT(store_.act({1}, Act::hold, "\x1b[2J").error().message,
              HasSubstr("control character"));
  expect_whole(store_);
}

TEST_F(Acts, FsckFindsATransitionThatNobodyMayMake) {
  const auto log = [&](i64 id, const char* state, const char* act) {
    EXPECT_TRUE(store_.database().run(
        "INSERT INTO events(time, submission, state, attempt, evaluation, detail, act) "
        "VALUES(0, ?, ?, 1, (SELECT evaluation FROM events WHERE submission = ?1 AND state = "
        "'judged'), '', ?)",
        {id, std::string(state), std::string(act)}));
    EXPECT_TRUE(store_.database().run("UPDATE submissions SET state = ? WHERE id = ?",
                                      {std::string(state), id}));
    return check_farm(store_)->problems;
  };
  EXPECT_THAT(log(1, "cancelled", "cancel"), ElementsAre(HasSubstr("cancelled after ranked")));
  EXPECT_THAT(log(3, "held", "hold"), testing::SizeIs(1));
  EXPECT_THAT(log(3, "ranked", "approve"),
              testing::Contains(HasSubstr("the log says judged, the table ranked")));
  EXPECT_THAT(log(2, "held", "steal"), testing::Contains(HasSubstr("submission 2: its log has held "
                                                                   "after ranked")));
}

}  // namespace
}  // namespace simfarm::farm
