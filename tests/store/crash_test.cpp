// A coordinator that is killed, anywhere: whatever happened, every submission is judged once.
#include <gmock/gmock.h>
#include <signal.h>

#include "farm/board.h"
#include "farm/report.h"
#include "farm/store/fsck.h"
#include "farm/store/view.h"
#include "tests/store/support.h"

namespace simfarm::farm {
namespace {

using test::board_bytes;
using test::coordinate_all;
using test::expect_whole;
using test::FarmFolder;
using test::in_child;
using test::invented_source;
using test::killed_at;

i64 judgements(Store& store) {
  return *store.database().integer("SELECT count(*) FROM events WHERE state = 'judged'");
}

/// Three submissions, two of them equal.
void submit_three(Store& store, const FarmFolder& folder) {
  for (const char* const name : {"a", "b", "c"})
    ASSERT_TRUE(store.submit(folder.candidate(name, invented_source(100, *name == 'c'), name)));
}

TEST(Crash, ACoordinatorKilledAtEachStepJudgesEachSubmissionOnce) {
  std::string expected;
  bool ended = false;
  for (int at = 0; !ended; ++at) {
    ASSERT_LT(at, 1000);
    FarmFolder folder;
    {
      Store store = folder.open();
      submit_three(store, folder);
    }
    const int status = in_child([&] {
      Store store = folder.open(killed_at(at));
      EXPECT_TRUE(coordinate_all(store));
    });
    ended = at > 0 && status == 0;
    if (at > 0 && !ended) {
      ASSERT_EQ(status, -SIGKILL) << at;
    }
    Store store = folder.open();
    expect_whole(store);
    ASSERT_TRUE(coordinate_all(store));
    EXPECT_EQ(judgements(store), 3) << at;
    EXPECT_EQ(*store.database().integer("SELECT count(*) FROM evaluations"), 2) << at;
    expect_whole(store);
    if (expected.empty()) expected = board_bytes(store);
    EXPECT_EQ(board_bytes(store), expected) << at;
    if (ended) {
      // What is left is taken back, work is asked for, a result is given: at least.
      EXPECT_GE(at, 4 * 3) << "the steps were reached";
    }
  }
}

TEST(Crash, Scenario01_KilledBetweenClaimAndResultAHundredTimes) {
  FarmFolder folder;
  {
    Store store = folder.open();
    submit_three(store, folder);
  }
  for (int k = 0; k < 100; ++k)
    ASSERT_EQ(in_child([&] {
                Store store = folder.open();
                (void)coordinate_all(store, 1, [](const LoadedTask&, const Result<Submission>&) {
                  kill(getpid(), SIGKILL);
                  return Evaluation();
                });
              }),
              -SIGKILL);
  Store store = folder.open();
  const auto summary = coordinate_all(store);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->taken_back, 1);
  EXPECT_EQ(judgements(store), 3);
  EXPECT_EQ(*store.database().integer("SELECT max(attempt) FROM jobs"), 101);
  expect_whole(store);
}

TEST(Crash, ASubmitThatIsKilledHasReceivedItAllOrNothing) {
  bool ended = false;
  for (int at = 1; !ended; ++at) {
    ASSERT_LT(at, 100);
    FarmFolder folder;
    const std::string path = folder.candidate("a", invented_source(100, 1));
    const int status = in_child([&] {
      Store store = folder.open(killed_at(at));
      EXPECT_TRUE(store.submit(path));
    });
    ended = status == 0;
    Store store = folder.open();
    expect_whole(store);
    const i64 there = *store.database().integer("SELECT count(*) FROM submissions");
    EXPECT_EQ(there, ended || at == 4) << at;  // at 4 it is committed
    ASSERT_TRUE(coordinate_all(store));
    EXPECT_EQ(judgements(store), there);
  }
}

/// A farm with many submissions that wait, some of equal score, some by one author, some wrong.
#ifdef __SANITIZE_ADDRESS__  // for the time
constexpr u64 many = 300;
#else
constexpr u64 many = 2000;
#endif

std::string many_source(u64 k) {
  return k % 7 == 0 ? "// wrong " + std::to_string(k) + "\n"
                    : invented_source(1000 + k * 7919 % (many / 5), k);
}

/// Judges all, in an order that `random` says, with a clock that may go backwards.
std::string board_in_order(const std::string& farm, u64 random) {
  StoreOptions options;
  i64 time = 1'800'000'000'000;
  options.clock = [&] { return time -= static_cast<i64>(random % 3) * 1000; };
  Store store = test::open_store(farm, options);
  std::vector<Claim> claims;
  for (;;) {
    const Result<Claimed> claimed = store.claim(test::simple_key);
    EXPECT_TRUE(claimed);
    if (!claimed || !claimed->claim) break;
    claims.push_back(*claimed->claim);
  }
  for (size_t k = claims.size(); random != 0 && k > 1; --k) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    std::swap(claims[k - 1], claims[(random >> 33) % k]);
  }
  const LoadedTask none;
  for (const Claim& claim : claims) {
    Submission submission;
    submission.files = {{"a.c", {}}};
    const std::string text = many_source(static_cast<u64>(claim.submission - 1));
    submission.files[0].bytes.assign(text.begin(), text.end());
    EXPECT_EQ(*store.complete(claim, test::invented_judge(none, submission), test::some_host),
              Settled::judged);
  }
  expect_whole(store);
  return board_bytes(store);
}

TEST(Order, Scenario09_OfResultsAndClocksDoesNotChangeABoard) {
  FarmFolder folder;
  {
    Store store = folder.open();
    for (u64 k = 0; k < many; ++k)
      ASSERT_TRUE(store.submit(
          folder.candidate("one", many_source(k), "author " + std::to_string(k % 50))));
  }
  std::string expected;
  for (const u64 random : {0, 1, 2}) {
    const std::string copy = folder.path("copy");
    std::filesystem::remove_all(copy);
    std::filesystem::copy(folder.farm(), copy, std::filesystem::copy_options::recursive);
    const std::string board = board_in_order(copy, random);
    if (expected.empty()) expected = board;
    EXPECT_TRUE(board == expected) << "order " << random;
  }
  const auto rows = nlohmann::json::parse(expected)["board"];
  ASSERT_EQ(rows.size(), many);
  u64 ties = 0;
  for (size_t k = 1; k < rows.size() && !rows[k]["rank"].is_null(); ++k) {
    ASSERT_LE(rows[k - 1]["cycles"], rows[k]["cycles"]);
    if (rows[k - 1]["cycles"] != rows[k]["cycles"]) continue;
    ++ties;
    ASSERT_LT(std::stoi(rows[k - 1]["submission"].get<std::string>()),
              std::stoi(rows[k]["submission"].get<std::string>()))
        << "of equal ones the earlier";
  }
  EXPECT_GT(ties, many / 2);
}

TEST(Order, ALaterSubmissionWithTheSameResultDoesNotDisplace) {
  FarmFolder folder;
  Store store = folder.open();
  ASSERT_TRUE(store.submit(folder.candidate("a", invented_source(100, 1), "ann")));
  ASSERT_TRUE(store.submit(folder.candidate("b", invented_source(100, 2), "bob")));
  ASSERT_TRUE(coordinate_all(store));
  ASSERT_TRUE(
      store.submit(folder.candidate("c", invented_source(100, 1), "ann", "note = \"x\"\n")));
  ASSERT_TRUE(store.submit(folder.candidate("d", invented_source(100, 3), "bob")));
  ASSERT_TRUE(coordinate_all(store));
  const std::vector<Scored> batch = *store.scored(*store.find_task("small").value());
  const Board board = make_boards(batch).front();
  for (size_t k = 0; k < 4; ++k) EXPECT_EQ(board.rows[k].scored->entry.id, std::to_string(k + 1));
}

}  // namespace
}  // namespace simfarm::farm
