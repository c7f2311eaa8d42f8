// Who leads a board: decided one after the other, whatever finished first, and kept.
#include <gmock/gmock.h>
#include <signal.h>

#include <thread>

#include "farm/board.h"
#include "farm/report.h"
#include "farm/store/fsck.h"
#include "tests/store/support.h"

namespace simfarm::farm {
namespace {

using test::board_bytes;
using test::expect_whole;
using test::FarmFolder;
using test::invented_judge;
using test::invented_referee;
using test::invented_source;
using test::some_host;
using test::submitted;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// Judges and decides all.
CoordinatorSummary decide_all(Store& store, u32 threads = 1,
                              const Referee& referee = invented_referee) {
  const auto summary = test::coordinate_all(store, threads, invented_judge, referee);
  EXPECT_TRUE(summary) << (summary ? "" : summary.error().message);
  return summary ? *summary : CoordinatorSummary();
}

/// A source whose run takes so many cycles, with a line for invented_referee.
std::string source(u64 cycles, const std::string& line = "") {
  return invented_source(cycles, cycles) + line + "\n";
}

void submit_all(Store& store, const FarmFolder& folder, const std::vector<std::string>& sources) {
  for (const std::string& each : sources) submitted(store, folder.candidate("one", each));
}

/// Ids as the board has them; "-3": not ranked.
std::vector<std::string> order_of(Store& store) {
  const std::vector<Scored> batch = *store.scored(**store.find_task("small"));
  const Board board = make_boards(batch).front();
  std::vector<std::string> ids;
  for (const Row& row : board.rows)
    ids.push_back((row.rank == 0 ? "-" : "") + row.scored->entry.id);
  return ids;
}

std::vector<i64> decided(Store& store) {
  std::vector<i64> ids;
  const std::vector<Promotion> all = *store.promotions(1);
  for (const Promotion& each : all) ids.push_back(each.submission);
  return ids;
}

Verdict verdict_of(Store& store, i64 id) { return store.scored(id)->value().evaluation.verdict; }

TEST(Promotion, WhoFailsRanksBehindTheLeaderItDidNotDisplace) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder,
             {source(100), source(90, "// slower"), source(95), source(120), source(98)});
  const auto summary = decide_all(store);
  EXPECT_EQ(summary.promoted, 2);
  EXPECT_EQ(summary.not_promoted, 1);
  // 2 has fewer cycles than all, and did not displace 1.
  EXPECT_THAT(order_of(store), ElementsAre("3", "5", "1", "2", "4"));
  EXPECT_EQ(*store.leader(1), 3);
  EXPECT_THAT(decided(store), ElementsAre(1, 2, 3)) << "4 and 5 would not have led";
  const Promotion slower = (*store.promotions(1))[1];
  EXPECT_FALSE(slower.promoted);
  EXPECT_EQ(slower.leader, 1);
  EXPECT_THAT(test::states(store, 2),
              ElementsAre("received", "queued", "running", "judged", "ranked", "ranked"));
  EXPECT_EQ(store.events(2)->back().detail, "not promoted: slower, as invented");
  EXPECT_EQ(store.events(3)->back().detail, "promoted: as invented");
  EXPECT_THAT(board_bytes(store), HasSubstr("\"promoted\":false,\"why\":\"slower, as invented\""));
  EXPECT_THAT(board_bytes(store), HasSubstr("\"leader\":\"3\""));
  const std::vector<Scored> batch = *store.scored(**store.find_task("small"));
  const std::string text = board_text(make_boards(batch).front());
  EXPECT_THAT(text, HasSubstr("\n    leads: as invented\n"));
  EXPECT_THAT(text, HasSubstr("\n    not promoted: slower, as invented\n"));
  EXPECT_THAT(text, HasSubstr("\n    led: as invented\n"));
  EXPECT_FALSE(store.database().run("UPDATE promotions SET promoted = 1"));
  EXPECT_FALSE(store.database().run("DELETE FROM promotions"));
  expect_whole(store);
}

// Who takes fewer cycles needs more memory here.
TEST(Promotion, GoesByTheTasksScore) {
  FarmFolder folder("score = \"local-memory\"\n");
  Store store = folder.open();
  const auto judge = [](const LoadedTask& task, const Result<Submission>& submission) {
    Evaluation result = invented_judge(task, submission);
    for (CaseScore& each : result.cases) each.memory_bytes = 64 * (1000 - each.cycles);
    return result;
  };
  submit_all(store, folder,
             {source(100), source(90), source(110), source(120, "// slower"), source(115)});
  ASSERT_TRUE(test::coordinate_all(store, 1, judge, invented_referee));
  EXPECT_THAT(order_of(store), ElementsAre("5", "3", "4", "1", "2"));
  EXPECT_EQ(*store.leader(1), 5);
  EXPECT_THAT(decided(store), ElementsAre(1, 3, 4, 5)) << "2 needs more memory";
  expect_whole(store);
}

TEST(Promotion, TheStartingKernelIsTheFirstLeader) {
  test::Folder folder(test::quick_place());
  test::write_small_task(folder);
  test::write_submission(folder, "kernel", source(200));
  ASSERT_TRUE(Store::create(folder.path("farm")));
  Store store = test::open_store(folder.path("farm"));
  ASSERT_TRUE(store.add_task(folder.path("tasks/small")));
  test::write_submission(folder, "in", source(150, "// slower"));
  submitted(store, folder.path("tasks/small/in"));
  decide_all(store);
  EXPECT_THAT(order_of(store), ElementsAre("kernel", "2"));
  EXPECT_EQ((*store.promotions(1))[0].leader, 1);
  EXPECT_THAT(decided(store), ElementsAre(2)) << "the kernel leads without a decision";
}

TEST(Promotion, BeforeADecisionNobodyLeadsOrTheOneBefore) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(90)});
  ASSERT_TRUE(test::coordinate_all(store));  // no referee
  EXPECT_EQ(*store.leader(1), 0);
  EXPECT_THAT(board_bytes(store), HasSubstr("\"leader\":null"));
  EXPECT_THAT(order_of(store), ElementsAre("2", "1"));
  LeadTrail trail;
  ASSERT_TRUE(*store.decide(*store.next_turn(1, trail), {.decided = true, .promoted = true}));
  EXPECT_THAT(order_of(store), ElementsAre("1", "2")) << "2 waits behind the leader";
  EXPECT_THAT(board_bytes(store), HasSubstr("\"leads\":false,\"undecided\":true"));
}

TEST(Promotion, WhatTurnsOutWrongIsOnNoBoard) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(90, "// fails"), source(80, "// engines")});
  EXPECT_EQ(decide_all(store).disagreements, 1);
  EXPECT_THAT(order_of(store), ElementsAre("1", "-2", "-3"));
  EXPECT_EQ(verdict_of(store, 2), Verdict::wrong_output);
  EXPECT_EQ(verdict_of(store, 3), Verdict::judge_error);
  EXPECT_THAT(store.scored(3)->value().evaluation.failure, HasSubstr("engines disagree"));
  EXPECT_EQ((*store.submission(3))->state, State::held);
  const std::vector<u8> kept = *store.blobs().get((*store.promotions(1))[2].description);
  EXPECT_EQ(std::string(kept.begin(), kept.end()), "what they say");
  expect_whole(store);
  // A person may say otherwise; it still leads only by a decision.
  ASSERT_TRUE(store.act({3}, Act::approve, "looked at it"));
  EXPECT_THAT(order_of(store), ElementsAre("1", "3", "-2"));
  decide_all(store);
  EXPECT_THAT(order_of(store), ElementsAre("1", "3", "-2"));
  expect_whole(store);
}

TEST(Promotion, ALeaderThatIsFoundWrongIsOffTheBoard) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(90), source(80)});
  int contests = 0;
  decide_all(store, 1, [&](const Contest& contest) {
    ++contests;
    Decision decision = invented_referee(contest);
    if (contest.leader && contest.leader->id == "2")
      decision.leaders_verdict = Verdict::runtime_trap;
    return decision;
  });
  EXPECT_EQ(contests, 4) << "3 is held against 2, then against 1";
  EXPECT_THAT(decided(store), ElementsAre(1, 2, 3, 3));
  EXPECT_THAT(order_of(store), ElementsAre("3", "1", "-2"));
  EXPECT_EQ(verdict_of(store, 2), Verdict::runtime_trap);
  EXPECT_EQ(store.events(2)->back().detail, "RUNTIME_TRAP in a fresh case");
  expect_whole(store);
  ASSERT_TRUE(store.act({2}, Act::approve, "the case is at fault"));
  EXPECT_THAT(order_of(store), ElementsAre("3", "2", "1")) << "3 won against it, too";
  expect_whole(store);
}

TEST(Promotion, ALeaderThatIsHeldMakesWayAndApprovedItIsAsBefore) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(80), source(90)});
  decide_all(store);
  EXPECT_THAT(order_of(store), ElementsAre("2", "3", "1"));
  const std::string before = board_bytes(store);
  ASSERT_TRUE(store.act({2}, Act::hold, "looks odd"));
  EXPECT_THAT(order_of(store), ElementsAre("1", "3", "-2")) << "nothing is decided about 3";
  EXPECT_EQ(*store.leader(1), 1);
  decide_all(store);
  EXPECT_THAT(order_of(store), ElementsAre("3", "1", "-2"));
  ASSERT_TRUE(store.act({2}, Act::approve, "was right"));
  EXPECT_EQ(board_bytes(store), before);
  expect_whole(store);
  ASSERT_TRUE(store.act({2}, Act::hold, "looks odd still"));
  ASSERT_TRUE(store.act({2}, Act::cancel, ""));
  EXPECT_EQ(*store.leader(1), 3);
  EXPECT_THAT(order_of(store), ElementsAre("3", "1", "-2"));
  expect_whole(store);
}

TEST(Promotion, WhoLostAgainstAHeldLeaderIsConsideredAgain) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(80), source(70)});
  const Referee referee = [](const Contest& contest) {
    Decision decision = invented_referee(contest);
    if (contest.leader && contest.leader->id == "2") decision.promoted = false;
    return decision;
  };
  decide_all(store, 1, referee);
  EXPECT_THAT(order_of(store), ElementsAre("2", "3", "1"));
  const std::string before = board_bytes(store);
  ASSERT_TRUE(store.act({2}, Act::hold, "knows the cases"));
  EXPECT_EQ(decide_all(store, 1, referee).promoted, 1);
  EXPECT_THAT(order_of(store), ElementsAre("3", "1", "-2"));
  ASSERT_TRUE(store.act({2}, Act::approve, "does not"));
  EXPECT_EQ(board_bytes(store), before);
  EXPECT_EQ(decide_all(store, 1, referee).promoted, 0) << "all of it is decided";
  expect_whole(store);
}

TEST(Promotion, TheSameSourcesAgainAreDecidedWithoutARun) {
  FarmFolder folder;
  Store store = folder.open();
  std::atomic<int> contests = 0;
  const Referee referee = [&](const Contest& contest) {
    ++contests;
    return invented_referee(contest);
  };
  submit_all(store, folder, {source(100), source(90, "// slower"), source(80, "// fails")});
  decide_all(store, 2, referee);
  for (const char* const line : {"// slower", "// fails"})
    submitted(store, folder.candidate("again", source(*(line + 3) == 's' ? 90 : 80, line), "eve"));
  EXPECT_EQ(decide_all(store, 2, referee).not_promoted, 2);
  EXPECT_EQ(contests, 3);
  EXPECT_THAT(order_of(store), ElementsAre("1", "2", "4", "-3", "-5"));
  EXPECT_EQ(verdict_of(store, 5), Verdict::wrong_output);
  EXPECT_EQ(store.events(4)->back().detail, "not promoted: slower, as invented");
  expect_whole(store);
}

TEST(Promotion, NobodyIsDecidedAboutBeforeTheEarlierOnesEnded) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(90)});
  const Claim first = *store.claim(test::simple_key)->claim;
  const Claim second = *store.claim(test::simple_key)->claim;
  const auto accepted = [](u64 cycles) {
    Evaluation evaluation;
    evaluation.verdict = Verdict::accepted;
    evaluation.cases = {{.name = "one", .cycles = cycles}};
    return evaluation;
  };
  LeadTrail trail;
  ASSERT_TRUE(store.complete(second, accepted(90), some_host));
  EXPECT_EQ(store.next_turn(1, trail)->candidate, 0);
  ASSERT_TRUE(store.complete(first, accepted(100), some_host));
  const Turn turn = *store.next_turn(1, trail);
  EXPECT_EQ(turn.candidate, 1);
  EXPECT_TRUE(*store.decide(turn, {.decided = true, .promoted = true}));
  EXPECT_FALSE(*store.decide(turn, {.decided = true, .promoted = true})) << "once";
  EXPECT_EQ(store.next_turn(1, trail)->candidate, 2);
  EXPECT_EQ(store.next_turn(1, trail)->leader, 1);
}

TEST(Promotion, TwoOfOneBatchAreDecidedInSubmitOrderWhicheverEndsFirst) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(90), source(80)});
  std::atomic<bool> last_ended = false;
  const Judge judge = [&](const LoadedTask& task, const Result<Submission>& submission) {
    Evaluation evaluation = invented_judge(task, submission);
    while (evaluation.cycles() != 81 && !last_ended) std::this_thread::yield();
    if (evaluation.cycles() == 81) last_ended = true;
    return evaluation;
  };
  ASSERT_TRUE(test::coordinate_all(store, 3, judge, invented_referee));
  EXPECT_THAT(decided(store), ElementsAre(1, 2, 3));
  std::vector<i64> leaders;
  const std::vector<Promotion> all = *store.promotions(1);
  for (const Promotion& each : all) leaders.push_back(each.leader);
  EXPECT_THAT(leaders, ElementsAre(0, 1, 2));
  EXPECT_EQ(*store.leader(1), 3);
}

TEST(Promotion, AFaultOfTheFarmDecidesNothing) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(90, "// fault"), source(80)});
  std::atomic<int> contests = 0;
  const auto summary = decide_all(store, 2, [&](const Contest& contest) {
    ++contests;
    return invented_referee(contest);
  });
  EXPECT_EQ(contests, 1 + 1 + 3) << "three repetitions";
  EXPECT_EQ(summary.judged, 3);
  EXPECT_EQ(summary.undecided, 1);
  EXPECT_EQ(summary.undecided_why, "as invented");
  EXPECT_EQ(*store.leader(1), 1) << "and nobody passes the one that waits";
  EXPECT_THAT(order_of(store), ElementsAre("1", "3", "2"));
  // In the next run the farm is well again.
  const auto again = decide_all(
      store, 1, [](const Contest&) { return Decision{.decided = true, .promoted = true}; });
  EXPECT_EQ(again.promoted, 2);
  EXPECT_THAT(order_of(store), ElementsAre("3", "2", "1"));
}

TEST(Promotion, WhoIsHeldDuringItsContestIsNotPromoted) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(90)});
  const auto summary = decide_all(store, 2, [&](const Contest& contest) {
    if (contest.candidate.id == "2") {  // another process
      EXPECT_TRUE(folder.open().act({2}, Act::hold, "odd"));
    }
    return invented_referee(contest);
  });
  EXPECT_EQ(summary.promoted, 1);
  EXPECT_THAT(decided(store), ElementsAre(1));
  EXPECT_THAT(order_of(store), ElementsAre("1", "-2"));
  ASSERT_TRUE(store.act({2}, Act::approve, "not odd"));
  EXPECT_EQ(decide_all(store).promoted, 1);
  EXPECT_EQ(*store.leader(1), 2);
  expect_whole(store);
}

TEST(Promotion, AnEarlyOneThatIsApprovedLateIsConsidered) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(80), source(90), source(70)});
  ASSERT_TRUE(test::coordinate_all(store));
  ASSERT_TRUE(store.act({2}, Act::hold, "odd"));
  decide_all(store);
  EXPECT_THAT(order_of(store), ElementsAre("4", "3", "1", "-2"));
  ASSERT_TRUE(store.act({2}, Act::approve, "not odd"));
  EXPECT_EQ(*store.leader(1), 4) << "3 won against 1, and 4 against 3";
  decide_all(store);
  EXPECT_THAT(order_of(store), ElementsAre("4", "2", "3", "1"));
  EXPECT_THAT(decided(store), ElementsAre(1, 3, 4, 2, 4));
  expect_whole(store);
}

TEST(Promotion, ASetThatIsAppliedHasItsOwnLeaderAndCancelledTheBoardIsAsBefore) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(90), source(80, "// slower")});
  decide_all(store);
  EXPECT_THAT(order_of(store), ElementsAre("2", "3", "1"));
  const std::string before = board_bytes(store);
  const i64 set = *store.begin_rejudge(**store.find_task("small"), {2, 3}, "2,3", "newer");
  const JudgingHost newer{"some toolchain", "another simulator"};
  const Judge slow_second = [](const LoadedTask& task, const Result<Submission>& submission) {
    Evaluation evaluation = invented_judge(task, submission);
    if (evaluation.cycles() == 91) evaluation.cases[0].cycles += 1000;
    return evaluation;
  };
  const CoordinatorRequest request{2, newer, {}, {}, invented_referee};
  ASSERT_TRUE(coordinate(store, slow_second, request));
  EXPECT_EQ(board_bytes(store), before) << "until it is applied";
  ASSERT_TRUE(store.settle_rejudge(set, SetState::applied, "good"));
  EXPECT_EQ(*store.leader(1), 1) << "what was decided of the old results says nothing";
  EXPECT_THAT(order_of(store), ElementsAre("1", "3", "2"));
  ASSERT_TRUE(coordinate(store, slow_second, request));
  EXPECT_THAT(order_of(store), ElementsAre("1", "3", "2"));
  EXPECT_THAT(decided(store), ElementsAre(1, 2, 3, 3)) << "3 against 1 now";
  expect_whole(store);
  ASSERT_TRUE(store.settle_rejudge(set, SetState::cancelled, "bad"));
  EXPECT_EQ(board_bytes(store), before);
  decide_all(store);
  EXPECT_EQ(board_bytes(store), before);
  expect_whole(store);
}

TEST(Promotion, WhatWasFoundOutAboutAResultIsNothingAboutALaterOne) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(90, "// engines")});
  decide_all(store);
  EXPECT_EQ(verdict_of(store, 2), Verdict::judge_error);
  const std::string before = board_bytes(store);
  // The simulator is mended.
  const i64 set = *store.begin_rejudge(**store.find_task("small"), {2}, "2", "mended");
  const CoordinatorRequest request{
      1, {"some toolchain", "a mended simulator"}, {}, {}, [](const Contest& contest) {
        EXPECT_TRUE(contest.same_toolchain);
        return Decision{.decided = true, .promoted = true};
      }};
  ASSERT_TRUE(coordinate(store, invented_judge, request));
  ASSERT_TRUE(store.settle_rejudge(set, SetState::applied, "good"));
  EXPECT_EQ((*store.submission(2))->state, State::ranked);
  expect_whole(store);
  EXPECT_EQ(coordinate(store, invented_judge, request)->promoted, 1);
  EXPECT_THAT(order_of(store), ElementsAre("2", "1"));
  expect_whole(store);
  ASSERT_TRUE(store.settle_rejudge(set, SetState::cancelled, "bad"));
  EXPECT_EQ(board_bytes(store), before);
  expect_whole(store);
}

TEST(Promotion, OfAnOlderTimingTheLeaderStays) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(90)});
  decide_all(store);
  JudgingHost newer{"some toolchain", "another simulator"};
  newer.timing = timing_version + 1;
  EXPECT_EQ(*store.leader(1, newer.timing), 0);
  const i64 set = *store.begin_rejudge(**store.find_task("small"), {1}, "1", "new timing");
  const CoordinatorRequest request{1, newer, {}, {}, invented_referee};
  ASSERT_TRUE(coordinate(store, invented_judge, request));
  ASSERT_TRUE(store.settle_rejudge(set, SetState::applied, "good"));
  ASSERT_TRUE(coordinate(store, invented_judge, request));
  EXPECT_EQ(*store.leader(1, newer.timing), 1);
  EXPECT_EQ(*store.leader(1), 0) << "2 is undecided: 1 has no result of that timing now";
  ASSERT_TRUE(store.settle_rejudge(set, SetState::cancelled, "bad"));
  EXPECT_EQ(*store.leader(1), 2);
  expect_whole(store);
}

TEST(Fsck, ASetMayChangeTheStateBeforeAPersonsAct) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100), source(90)});
  ASSERT_TRUE(test::coordinate_all(store, 1, [](const auto& task, const auto& submission) {
    Evaluation evaluation = invented_judge(task, submission);
    evaluation.verdict = Verdict::held;
    return evaluation;
  }));
  const i64 set = *store.begin_rejudge(**store.find_task("small"), {1, 2}, "all", "newer");
  ASSERT_TRUE(coordinate(store, invented_judge, {1, {"some toolchain", "another"}, {}, {}}));
  ASSERT_TRUE(store.settle_rejudge(set, SetState::applied, "good"));
  EXPECT_EQ((*store.submission(1))->state, State::ranked);
  ASSERT_TRUE(store.act({1}, Act::hold, "odd"));  // the log has held behind held
  expect_whole(store);
}

TEST(Fsck, FindsADecisionThatTheLogDoesNotHave) {
  FarmFolder folder;
  Store store = folder.open();
  submit_all(store, folder, {source(100)});
  ASSERT_TRUE(test::coordinate_all(store));
  ASSERT_TRUE(store.database().run(
      "INSERT INTO promotions(time, task, submission, evaluation, promoted, verdict, "
      "leaders_verdict, detail, description) SELECT 0, 1, 1, key, 1, 'ACCEPTED', 'ACCEPTED', '', "
      "'' FROM evaluations"));
  EXPECT_THAT(check_farm(store)->problems,
              ElementsAre("submission 1: the log and the decisions about its lead differ"));
}

/// Completes all claims in an order that `random` says; decides what can be after each.
std::string decided_in_order(const std::string& farm, u64 random) {
  Store store = test::open_store(farm);
  std::vector<Claim> claims;
  for (;;) {
    const Result<Claimed> claimed = store.claim(test::simple_key);
    if (!claimed || !claimed->claim) break;
    claims.push_back(*claimed->claim);
  }
  for (size_t k = claims.size(); random != 0 && k > 1; --k) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    std::swap(claims[k - 1], claims[(random >> 33) % k]);
  }
  const auto submission_of = [&](i64 id) {
    return parse_archive(*store.blobs().get((*store.submission(id))->archive), "submission");
  };
  LeadTrail trail;
  for (const Claim& claim : claims) {
    const LoadedTask none;
    const Evaluation evaluation = invented_judge(none, submission_of(claim.submission));
    EXPECT_EQ(*store.complete(claim, evaluation, some_host), Settled::judged);
    for (;;) {
      const Turn turn = *store.next_turn(1, trail);
      if (turn.candidate == 0) break;
      Contest contest;
      contest.submission = submission_of(turn.candidate);
      EXPECT_TRUE(*store.decide(turn, invented_referee(contest)));
    }
  }
  expect_whole(store);
  return board_bytes(store);
}

TEST(Promotion, Scenario09_NeitherTheOrderOfFinishingNorThreadsChangeWhoLeads) {
  FarmFolder folder;
  constexpr u64 count = 40;
  {
    Store store = folder.open();
    for (u64 k = 0; k < count; ++k) {
      const char* const line = k % 5 == 3 ? "// slower" : k % 11 == 7 ? "// fails" : "";
      submitted(store, folder.candidate("one", source(1000 - 13 * k + k * 7919 % 60, line)));
    }
  }
  const auto copy_farm = [&] {
    const std::string copy = folder.path("copy");
    std::filesystem::remove_all(copy);
    std::filesystem::copy(folder.farm(), copy, std::filesystem::copy_options::recursive);
    return copy;
  };
  std::string expected;
  for (const u64 random : {0, 1, 2, 3}) {
    const std::string board = decided_in_order(copy_farm(), random);
    if (expected.empty()) expected = board;
    EXPECT_TRUE(board == expected) << "order " << random;
  }
  EXPECT_THAT(expected, HasSubstr("\"promoted\":false"));
  std::string by_coordinator;
  for (const u32 threads : {1, 2, 7}) {
    Store store = test::open_store(copy_farm());
    decide_all(store, threads);
    const std::string board = board_bytes(store);
    if (by_coordinator.empty()) by_coordinator = board;
    EXPECT_TRUE(board == by_coordinator) << threads << " threads";
    expect_whole(store);
  }
}

TEST(Promotion, KilledAtAnyStepNothingIsLostAndAllIsDecidedOnce) {
  std::string expected;
  bool ended = false;
  for (int at = 0; !ended; ++at) {
    ASSERT_LT(at, 200);
    FarmFolder folder;
    {
      Store store = folder.open();
      submit_all(store, folder, {source(100), source(90), source(80, "// slower")});
    }
    const int status = test::in_child([&] {
      Store store = folder.open(test::killed_at(at));
      decide_all(store);
    });
    ended = at > 0 && status == 0;
    Store store = folder.open();
    expect_whole(store);
    decide_all(store);
    EXPECT_THAT(decided(store), ElementsAre(1, 2, 3)) << at;
    expect_whole(store);
    if (expected.empty()) expected = board_bytes(store);
    EXPECT_EQ(board_bytes(store), expected) << at;
  }
}

TEST(Promotion, Scenario02_KilledInAContestItIsHeldAgain) {
  FarmFolder folder;
  {
    Store store = folder.open();
    submit_all(store, folder, {source(100), source(90)});
  }
  for (int k = 0; k < 3; ++k)
    ASSERT_EQ(test::in_child([&] {
                Store store = folder.open();
                decide_all(store, 2, [](const Contest& contest) {
                  if (contest.leader) kill(getpid(), SIGKILL);
                  return invented_referee(contest);
                });
              }),
              -SIGKILL);
  Store store = folder.open();
  EXPECT_EQ(*store.leader(1), 1);
  EXPECT_EQ(decide_all(store).judged, 0) << "only the decision was left";
  EXPECT_EQ(*store.leader(1), 2);
  EXPECT_THAT(decided(store), SizeIs(2));
  expect_whole(store);
}

}  // namespace
}  // namespace simfarm::farm
