// The store by its own interface: intake, leases, results, who may touch it.
#include "farm/store/store.h"

#include <gmock/gmock.h>

#include "farm/board.h"
#include "farm/store/fsck.h"
#include "farm/store/place.h"
#include "farm/store/record.h"
#include "farm/store/stored_builds.h"
#include "tests/store/support.h"

namespace simfarm::farm {
namespace {

using test::coordinate_all;
using test::expect_whole;
using test::FarmFolder;
using test::Folder;
using test::invented_judge;
using test::invented_source;
using test::simple_key;
using test::some_host;
using test::states;
using test::submitted;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Store, IsMadeOnceAndOpenedByItsOwnVersionOnly) {
  Folder folder;
  EXPECT_EQ(Store::open(folder.path("farm")).error().kind, Error::Kind::usage);
  ASSERT_TRUE(Store::create(folder.path("farm")));
  EXPECT_THAT(Store::create(folder.path("farm")).error().message, HasSubstr("is a farm already"));
  {
    Store store = test::open_store(folder.path("farm"));
    expect_whole(store);
    EXPECT_EQ(*store.database().integer("PRAGMA synchronous"), 2);
    EXPECT_EQ(*store.database().integer("PRAGMA foreign_keys"), 1);
    ASSERT_TRUE(store.database().run("PRAGMA user_version = 99"));
  }
  const auto other = Store::open(folder.path("farm"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, Error::Kind::input);
  EXPECT_THAT(other.error().message, HasSubstr("schema version 99; this simfarm works on version"));
}

TEST(Store, RefusesNetworkFileSystemsByName) {
  EXPECT_EQ(network_file_system(0x6969, ""), "nfs");
  EXPECT_EQ(network_file_system(0xff534d42, ""), "cifs");
  EXPECT_EQ(network_file_system(0xfe534d42, ""), "smb2");
  EXPECT_EQ(network_file_system(0x65735546, "fuse.sshfs"), "fuse.sshfs");
  EXPECT_EQ(network_file_system(0x65735546, ""), "fuse");
  EXPECT_EQ(network_file_system(0x65735546, "fuseblk"), "");
  EXPECT_EQ(network_file_system(0xef53, ""), "") << "ext4";
  EXPECT_EQ(network_file_system(0x01021994, ""), "") << "tmpfs";
  EXPECT_TRUE(check_local("/proc"));
  EXPECT_EQ(check_local("/nowhere").error().kind, Error::Kind::io);
}

TEST(Store, IntakeKeepsWhatItRefuses) {
  FarmFolder folder;
  Store store = folder.open();
  const i64 good = submitted(store, folder.candidate("good", "int a;"));
  const i64 damaged = submitted(store, folder.write("in/x.tar", "no archive"));
  folder.write("in/other/submission.toml", "task = \"other\"\nauthor = \"x\"\nsources = [\"a.c\"]");
  folder.write("in/other/a.c", "");
  const i64 other = submitted(store, folder.path("in/other"));
  const i64 macro =
      submitted(store, folder.candidate("macro", "", "test", "defines = { MY = \"1\" }\n"));
  EXPECT_THAT(states(store, good), ElementsAre("received", "queued"));
  for (const i64 id : {damaged, other, macro})
    EXPECT_THAT(states(store, id), ElementsAre("received", "rejected"));
  EXPECT_THAT((*store.events(damaged))[1].detail, HasSubstr("not a readable tar file"));
  EXPECT_THAT((*store.events(other))[1].detail, HasSubstr("this farm has no task other"));
  EXPECT_THAT((*store.events(macro))[1].detail, HasSubstr("MY is not among those"));
  EXPECT_TRUE(store.blobs().get((*store.submission(damaged))->archive));
  EXPECT_EQ(store.submit(folder.path("in/none")).error().kind, Error::Kind::usage);
  const auto batch = store.scored(**store.find_task("small"));
  ASSERT_TRUE(batch);
  ASSERT_EQ(batch->size(), 1u) << "queued ones are on no board, and those of no task neither";
  EXPECT_EQ(batch->front().evaluation.verdict, Verdict::rejected);
  expect_whole(store);
}

TEST(Store, QuotasBoundWhatAnAuthorSubmits) {
  FarmFolder folder;
  i64 time = 1'800'000'000'000;
  StoreOptions options;
  options.clock = [&] { return time; };
  Store store = folder.open(options);
  EXPECT_EQ(store.quotas()->waiting, 0) << "none at first";
  ASSERT_TRUE(store.set_quotas({2, 3}));
  const auto hand_in = [&](u64 number, const std::string& author) -> std::string {
    const auto one = store.submit(folder.candidate("a", invented_source(100, number), author));
    EXPECT_TRUE(one || one.error().kind == Error::Kind::temporary);
    return one ? "" : one.error().message;
  };
  EXPECT_EQ(hand_in(1, "ann"), "");
  EXPECT_EQ(hand_in(2, "ann"), "");
  EXPECT_THAT(hand_in(3, "ann"), HasSubstr("author ann has 2 submissions that wait, and this farm "
                                           "allows 2; nothing was received"));
  EXPECT_EQ(hand_in(3, "bob"), "");
  ASSERT_TRUE(coordinate_all(store));
  EXPECT_EQ(hand_in(4, "ann"), "");
  ASSERT_TRUE(coordinate_all(store));
  EXPECT_THAT(hand_in(5, "ann"), HasSubstr("has 3 submissions of the last 24 hours"));
  EXPECT_EQ(*store.database().integer("SELECT count(*) FROM submissions"), 4);
  time += i64{25} * 3600 * 1000;
  EXPECT_EQ(hand_in(5, "ann"), "");
  const auto report = check_farm(store);
  EXPECT_THAT(report->notes, IsEmpty()) << "what was refused left nothing";
  expect_whole(store);
}

TEST(Store, TasksAreKeptAsTheyWere) {
  FarmFolder folder;
  Store store = folder.open();
  const StoredTask task = **store.find_task("small");
  EXPECT_EQ(store.add_task(folder.path("tasks/small"))->id, task.id) << "once more";
  folder.write("tasks/small/GUIDE.md", "changed");
  const auto changed = store.add_task(folder.path("tasks/small"));
  ASSERT_FALSE(changed);
  EXPECT_THAT(changed.error().message, HasSubstr("a changed task needs another name"));
  // The farm's own copy does not care, and is made again when somebody touched it.
  const std::string unpacked = *store.task_folder(task);
  folder.write("farm/tasks/small/task.toml", "name = 1");
  EXPECT_EQ(*store.task_folder(task), unpacked);
  EXPECT_TRUE(load_task(unpacked));
}

TEST(Store, TheStartingKernelIsJudgedToo) {
  Folder folder;
  test::write_small_task(folder);
  test::write_submission(folder, "kernel", invented_source(1000, 0));
  ASSERT_TRUE(Store::create(folder.path("farm")));
  Store store = test::open_store(folder.path("farm"));
  ASSERT_TRUE(store.add_task(folder.path("tasks/small")));
  test::write_submission(folder, "in", invented_source(99, 0));
  submitted(store, folder.path("tasks/small/in"));
  ASSERT_TRUE(coordinate_all(store, 1, invented_judge, test::invented_referee));
  const auto batch = *store.scored(**store.find_task("small"));
  const Board board = make_boards(batch).front();
  ASSERT_EQ(board.rows.size(), 2u);
  EXPECT_EQ(board.rows[0].speedup, "10.01");
  EXPECT_EQ(board.rows[1].scored->entry.id, "kernel");
}

TEST(Queue, EqualKeysAreJudgedOnce) {
  FarmFolder folder;
  Store store = folder.open();
  const i64 first = submitted(store, folder.candidate("a", invented_source(100, 1)));
  const i64 same = submitted(
      store, folder.candidate("b", invented_source(100, 1), "another", "note = \"mine\"\n"));
  std::atomic<int> runs = 0;
  const auto judge = [&](const LoadedTask& task, const Result<Submission>& submission) {
    ++runs;
    return invented_judge(task, submission);
  };
  const auto summary = coordinate_all(store, 4, judge);
  ASSERT_TRUE(summary) << (summary ? "" : summary.error().message);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(summary->judged, 1);
  EXPECT_EQ(summary->answered, 1);
  EXPECT_THAT(states(store, first),
              ElementsAre("received", "queued", "running", "judged", "ranked"));
  EXPECT_THAT(states(store, same), ElementsAre("received", "queued", "judged", "ranked"));
  EXPECT_EQ((*store.submission(first))->evaluation, (*store.submission(same))->evaluation);
  // Another simulator: another key, and a run.
  submitted(store, folder.candidate("c", invented_source(100, 1)));
  ASSERT_TRUE(coordinate(store, judge, {1, {"some toolchain", "another"}, {}, {}}));
  EXPECT_EQ(runs, 2);
  expect_whole(store);
}

TEST(Queue, ManyDuplicatesAreAnsweredSomeInATransaction) {
  FarmFolder folder;
  Store store = folder.open();
  constexpr size_t count = Store::max_answered + 400;
  const std::string same = folder.candidate("a", invented_source(100, 1));
  submitted(store, same);
  const Claim claim = *store.claim(test::simple_key)->claim;
  Evaluation accepted;
  accepted.verdict = Verdict::accepted;
  ASSERT_TRUE(store.complete(claim, accepted, some_host));
  for (size_t k = 0; k < count; ++k) submitted(store, same);
  const i64 other = submitted(store, folder.candidate("b", invented_source(90, 2)));
  const auto first = store.exchange({{}, {}, 1}, test::simple_key, some_host);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->answered.size(), Store::max_answered);
  EXPECT_TRUE(first->more);
  EXPECT_TRUE(first->claims.empty());
  const auto second = store.exchange({{}, {}, 1}, test::simple_key, some_host);
  EXPECT_EQ(second->answered.size(), count - Store::max_answered);
  EXPECT_FALSE(second->more);
  ASSERT_EQ(second->claims.size(), 1u);
  EXPECT_EQ(second->claims[0].submission, other);
  expect_whole(store);
}

TEST(Queue, OnlyTheHolderOfTheLeaseSettlesIt) {
  FarmFolder folder;
  Store store = folder.open();
  const i64 id = submitted(store, folder.candidate("a", invented_source(100, 1)));
  const Claim lost = *store.claim(simple_key)->claim;
  EXPECT_FALSE(store.claim(simple_key)->claim) << "leased";
  EXPECT_EQ(*store.requeue_leased(), 1);
  const Claim held = *store.claim(simple_key)->claim;
  EXPECT_GT(held.token, lost.token);
  EXPECT_EQ(held.attempt, 2);
  Evaluation wrong;
  wrong.verdict = Verdict::wrong_output;
  Evaluation accepted;
  accepted.verdict = Verdict::accepted;
  accepted.cases = {{.name = "one", .cycles = 5}};
  EXPECT_EQ(*store.complete(lost, wrong, some_host), Settled::stale);
  EXPECT_EQ(*store.complete(held, accepted, some_host), Settled::judged);
  EXPECT_EQ(*store.complete(held, accepted, some_host), Settled::stale) << "once";
  EXPECT_EQ(*store.complete(lost, wrong, some_host), Settled::stale);
  EXPECT_THAT(states(store, id), ElementsAre("received", "queued", "running", "queued", "running",
                                             "judged", "ranked"));
  EXPECT_EQ(store.evaluation(held.key)->cycles(), 5u);
  expect_whole(store);
}

TEST(Queue, ALeaseThatEndedIsGivenToTheNext) {
  FarmFolder folder;
  i64 time = 1000;
  StoreOptions options;
  options.clock = [&] { return time; };
  Store store = folder.open(options);
  submitted(store, folder.candidate("a", invented_source(100, 1)));
  const Claim first = *store.claim(simple_key)->claim;
  time -= 500;
  EXPECT_FALSE(store.claim(simple_key)->claim) << "a clock that goes backwards ends no lease";
  time += i64{24} * 3600 * 1000;
  const Claim second = *store.claim(simple_key)->claim;
  Evaluation wrong;
  wrong.verdict = Verdict::wrong_output;
  EXPECT_EQ(*store.complete(first, wrong, some_host), Settled::stale);
  EXPECT_EQ(*store.complete(second, wrong, some_host), Settled::judged);
  expect_whole(store);
}

TEST(Queue, TheFarmsOwnFaultsAreRepeatedThreeTimesAndNeverCharged) {
  FarmFolder folder;
  Store store = folder.open();
  const i64 id = submitted(store, folder.candidate("a", invented_source(100, 1)));
  const i64 good = submitted(store, folder.candidate("b", invented_source(200, 1)));
  int calls = 0;
  const auto judge = [&](const LoadedTask& task, const Result<Submission>& submission) {
    Evaluation result = invented_judge(task, submission);
    if (result.cycles() == 101) {
      ++calls;
      result = {Verdict::system_error, "", "toolchain: gone"};
    }
    return result;
  };
  const auto summary = coordinate_all(store, 1, judge);
  ASSERT_TRUE(summary);
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(summary->retried, 3);
  EXPECT_EQ(summary->gave_up, 1);
  EXPECT_EQ((*store.submission(id))->state, State::system_error);
  EXPECT_EQ((*store.submission(good))->state, State::ranked);
  EXPECT_EQ((*store.submission(id))->evaluation, "");
  EXPECT_THAT(store.events(id)->back().detail, HasSubstr("SYSTEM_ERROR: toolchain: gone"));
  EXPECT_EQ(store.scored(**store.find_task("small"))->size(), 1u);
  expect_whole(store);
}

TEST(Queue, AHostLimitIsRepeatedOnce) {
  FarmFolder folder;
  Store store = folder.open();
  const i64 id = submitted(store, folder.candidate("a", invented_source(100, 1)));
  int calls = 0;
  const auto judge = [&](const LoadedTask&, const Result<Submission>&) {
    Evaluation result;
    // What broke before does not count against it.
    result.verdict = ++calls == 1 ? Verdict::system_error : Verdict::host_limit;
    return result;
  };
  ASSERT_TRUE(coordinate_all(store, 1, judge));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ((*store.submission(id))->state, State::system_error);
}

TEST(Queue, WhatTakesLongestIsLeasedFirst) {
  FarmFolder folder;
  Store store = folder.open();
  std::string other = test::small_task_toml;
  test::write_small_task(folder);
  folder.write("tasks/small/task.toml", other.replace(other.find("small"), 5, "other"));
  ASSERT_TRUE(store.add_task(folder.path("tasks/small")));
  const i64 quick = (*store.find_task("small"))->id;
  for (u64 k = 0; k < 2; ++k)
    submitted(store, folder.candidate("q" + std::to_string(k), invented_source(100, k)));
  folder.write("in/slow/a.c", "int slow;");
  folder.write("in/slow/submission.toml",
               "task = \"other\"\nauthor = \"x\"\nsources = [\"a.c\"]\n");
  const i64 slow = submitted(store, folder.path("in/slow"));
  const auto order = [&](const Store::Expected& expected) {
    const auto exchanged = store.exchange({{}, {}, 3}, simple_key, some_host, expected);
    std::vector<i64> ids;
    for (const Claim& each : exchanged->claims) ids.push_back(each.submission);
    EXPECT_TRUE(store.exchange({{}, exchanged->claims, 0}, simple_key, some_host));
    return ids;
  };
  EXPECT_THAT(order({}), ElementsAre(1, 2, slow)) << "submit order";
  EXPECT_THAT(order([&](i64 task) { return task == quick ? 1.0 : 60'000.0; }),
              ElementsAre(slow, 1, 2));
  EXPECT_THAT(order([&](i64 task) { return task == quick ? -1.0 : 60'000.0; }),
              ElementsAre(1, 2, slow))
      << "of whom nobody knows, first";
  expect_whole(store);
}

TEST(Builds, AreKnownByAllThatTheyDependOn) {
  FarmFolder folder;
  Store store = folder.open();
  const auto task = load_task(folder.path("tasks/small"));
  ASSERT_TRUE(task) << task.error().message;
  const auto submission = [&](const std::string& source, const std::string& more = "") {
    return *load_submission(folder.candidate("a", source, "test", more));
  };
  StoredBuilds builds(folder.farm(), some_host);
  const std::vector<u8> elf = {1, 2, 3};
  EXPECT_FALSE(builds.find(*task, submission("int a;")));
  builds.keep(*task, submission("int a;"), elf);
  EXPECT_EQ(builds.find(*task, submission("int a;")), elf);
  EXPECT_EQ(builds.find(*task, submission("int a;", "note = \"x\"\n")), elf);
  EXPECT_FALSE(builds.find(*task, submission("int b;")));
  EXPECT_FALSE(builds.find(*task, submission("int a;", "optimise = \"O3\"\n")));
  StoredBuilds elsewhere(folder.farm(), {"another toolchain", "some simulator"});
  EXPECT_FALSE(elsewhere.find(*task, submission("int a;")));
  folder.write("tasks/small/include/h.h", "");
  EXPECT_FALSE(builds.find(*task, submission("int a;"))) << "the task has another header";
  std::filesystem::remove_all(folder.path("tasks/small/include"));
  folder.write("farm/blobs/" + sha256(elf).substr(0, 2) + "/" + sha256(elf), "damaged");
  EXPECT_FALSE(builds.find(*task, submission("int a;"))) << "a damaged program is none";
}

TEST(Queue, AStopLeavesTheRestQueued) {
  FarmFolder folder;
  Store store = folder.open();
  for (u64 k = 0; k < 5; ++k)
    submitted(store, folder.candidate("s" + std::to_string(k), invented_source(100, k)));
  int settled = 0;
  CoordinatorRequest request{1, some_host, [&] { return settled == 2; }, {}};
  request.tell = [&](const CoordinatorNews& news) {
    settled += news.what == CoordinatorNews::What::settled;
  };
  const auto summary = coordinate(store, invented_judge, request);
  // What was begun when the second was settled is finished.
  EXPECT_GE(summary->judged, 2);
  EXPECT_EQ(summary->judged + summary->queued, 5);
  expect_whole(store);
  EXPECT_EQ(coordinate_all(store)->judged, summary->queued);
}

TEST(Queue, ASecondCoordinatorIsRefusedByName) {
  FarmFolder folder;
  Store store = folder.open();
  std::optional<CoordinatorLock> first;
  {
    auto taken = CoordinatorLock::take(folder.farm());
    ASSERT_TRUE(taken);
    first.emplace(std::move(*taken));
  }
  const auto second = coordinate_all(store);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, Error::Kind::temporary);
  EXPECT_THAT(second.error().message,
              HasSubstr("another coordinator works on this farm: pid " + std::to_string(getpid())));
  EXPECT_EQ(coordinator_of(folder.farm())->pid, getpid());
  EXPECT_EQ(test::in_child([&] { EXPECT_FALSE(coordinate_all(store)); }), 0);
  first.reset();
  EXPECT_FALSE(coordinator_of(folder.farm()));
  EXPECT_TRUE(coordinate_all(store));
}

TEST(Queue, LogAndResultsOnlyGrow) {
  FarmFolder folder;
  Store store = folder.open();
  submitted(store, folder.candidate("a", invented_source(100, 1)));
  ASSERT_TRUE(coordinate_all(store));
  for (const char* const sql :
       {"UPDATE events SET time = 0", "DELETE FROM events", "UPDATE evaluations SET verdict = ''",
        "DELETE FROM evaluations", "UPDATE case_results SET cycles = 1", "DELETE FROM case_results",
        "INSERT INTO events(time, submission, state, attempt, detail) VALUES(0, 1, 'judged', 1, "
        "'')",
        "INSERT INTO events(time, submission, state, attempt, detail) VALUES(0, 9, 'queued', 1, "
        "'')"})
    EXPECT_FALSE(store.database().run(sql)) << sql;
  expect_whole(store);
}

TEST(FarmSecret, IsMadeWithTheFarmAndItsIdsStay) {
  FarmFolder folder;
  Store store = folder.open();
  const std::string first = (*store.secret())->id();
  EXPECT_THAT(*store.secret_ids(), ElementsAre(first));
  const auto ids = store.rotate_secret();
  ASSERT_TRUE(ids);
  EXPECT_EQ(ids->first, first);
  EXPECT_EQ((*store.secret())->id(), ids->second);
  EXPECT_THAT(*store.secret_ids(), ElementsAre(first, ids->second));
  expect_whole(store);
  EXPECT_FALSE(store.database().run("UPDATE secrets SET made = 0"));
  EXPECT_FALSE(store.database().run("DELETE FROM secrets"));
  const auto problems = [&] { return check_farm(store)->problems; };
  std::filesystem::permissions(store.secret_path(), std::filesystem::perms(0644));
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("others than its owner may read it")));
  ASSERT_TRUE(Secret::make()->save(store.secret_path()));
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("another farm's")));
  std::filesystem::remove(store.secret_path());
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("secret: not there")));
  EXPECT_EQ(store.rotate_secret()->first, "");
  expect_whole(store);
}

TEST(FarmSecret, ItsBytesAreInNoOtherFile) {
  FarmFolder folder;
  {
    Store store = folder.open();
    submitted(store, folder.candidate("a", invented_source(100, 1)));
    ASSERT_TRUE(coordinate_all(store));
  }
  std::ifstream in(folder.path("farm/secret"), std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::string hex = text.substr(text.size() - 65, 64);
  ASSERT_EQ(hex.find_first_not_of("0123456789abcdef"), std::string::npos);
  std::string bytes;
  for (size_t k = 0; k < 32; ++k)
    bytes += static_cast<char>(std::stoi(hex.substr(2 * k, 2), nullptr, 16));
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder.farm())) {
    if (!file.is_regular_file() || file.path().filename() == "secret") continue;
    std::ifstream each(file.path(), std::ios::binary);
    const std::string content((std::istreambuf_iterator<char>(each)), {});
    EXPECT_EQ(content.find(hex.substr(0, 16)), std::string::npos) << file.path();
    EXPECT_EQ(content.find(bytes.substr(0, 8)), std::string::npos) << file.path();
  }
}

TEST(FarmSecret, ResultsKnowWhichOneTheyAreFrom) {
  FarmFolder folder;
  Store store = folder.open();
  const i64 passed = submitted(store, folder.candidate("a", invented_source(100, 1)));
  const i64 failed = submitted(store, folder.candidate("b", "// wrong"));
  const auto judge = [](const LoadedTask& task, const Result<Submission>& submission) {
    Evaluation result = invented_judge(task, submission);
    result.secret = "0123456789abcdef";
    if (result.accepted()) result.held_out = {2, 777};
    return result;
  };
  ASSERT_TRUE(coordinate_all(store, 1, judge));
  const Evaluation good = *store.evaluation((*store.submission(passed))->evaluation);
  EXPECT_EQ(good.secret, "0123456789abcdef");
  ASSERT_TRUE(good.held_out);
  EXPECT_EQ(good.held_out->cases, 2u);
  EXPECT_EQ(good.held_out->cycles, 777u);
  const Evaluation bad = *store.evaluation((*store.submission(failed))->evaluation);
  EXPECT_EQ(bad.secret, "0123456789abcdef");
  EXPECT_FALSE(bad.held_out);
  ASSERT_TRUE(store.database().run("DROP TRIGGER evaluations_stay"));
  ASSERT_TRUE(store.database().run("UPDATE evaluations SET held_out_cycles = 776"));
  EXPECT_FALSE(store.evaluation((*store.submission(passed))->evaluation)) << "damaged";
}

TEST(Fsck, FindsDamage) {
  FarmFolder folder;
  std::string archive, key;
  i64 id = 0;
  {
    Store store = folder.open();
    id = submitted(store, folder.candidate("a", invented_source(100, 1)));
    ASSERT_TRUE(coordinate_all(store));
    archive = (*store.submission(id))->archive;
    key = (*store.submission(id))->evaluation;
  }
  const auto problems = [&] {
    Store store = folder.open();
    const auto report = check_farm(store);
    EXPECT_TRUE(report);
    return report ? report->problems : std::vector<std::string>();
  };
  EXPECT_THAT(problems(), IsEmpty());

  // A byte of a blob: fsck says so, and so does everybody who reads it.
  Store store = folder.open();
  const std::string path = store.blobs().path(archive);
  const std::vector<u8> bytes = *store.blobs().get(archive);
  std::vector<u8> damaged = bytes;
  damaged[600] ^= 1;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(damaged.data()),
             static_cast<std::streamsize>(damaged.size()));
  const auto read = store.blobs().get(archive);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, Error::Kind::io);
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("damaged: its SHA-256 is")));
  ASSERT_TRUE(store.blobs().put(bytes));
  EXPECT_THAT(problems(), IsEmpty()) << "whoever brings the bytes mends the blob";
  std::filesystem::remove(path);
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("not there (archive of submission 1)")));
  ASSERT_TRUE(store.blobs().put(bytes));

  // A result, behind the store's back.
  ASSERT_TRUE(store.database().run("DROP TRIGGER cases_stay"));
  ASSERT_TRUE(store.database().run("UPDATE case_results SET cycles = cycles - 1"));
  EXPECT_FALSE(store.evaluation(key));
  EXPECT_THAT(problems(), testing::Contains(HasSubstr(": damaged")));
  ASSERT_TRUE(store.database().run("UPDATE case_results SET cycles = cycles + 1"));
  EXPECT_THAT(problems(), IsEmpty());

  // A state that the log does not know.
  ASSERT_TRUE(store.database().run("UPDATE submissions SET state = 'running'"));
  EXPECT_THAT(problems(), testing::Contains(HasSubstr("the log says ranked, the table running")));
  EXPECT_THAT(problems(), testing::Contains(HasSubstr("its lease says otherwise")));
  ASSERT_TRUE(store.database().run("UPDATE submissions SET state = 'ranked'"));
  folder.write("farm/blobs/00/left.tmp.abcdef", "half");
  const auto report = check_farm(store);
  EXPECT_THAT(report->problems, IsEmpty());
  EXPECT_THAT(report->notes, ElementsAre(HasSubstr("left by a crash")));
}

TEST(Record, CountersSurviveTheTable) {
  Counters counters;
  for (u32 k = 0; k < issue_class_count; ++k) counters.issued[k] = 1000 + k;
  for (u32 k = 0; k < stall_count; ++k) counters.stalls[k] = 2000 + k;
  EXPECT_EQ(*parse_counters(print_counters(counters)), counters);
  for (const char* const text : {"", "{}", "[]", "{\"issued\": {}}", "{\"issued\": 1}"})
    EXPECT_FALSE(parse_counters(text)) << text;
}

TEST(Record, FiguresSurviveTheTableAndOldResultsAreAsTheyWere) {
  CaseScore one;
  one.total.issued[0] = 7;
  EXPECT_EQ(print_figures(one), print_counters(one.total));
  one.ocm_bytes = 1;
  one.dram_bytes = ~u64{0};
  one.macs = 3;
  one.memory_bytes = 4;
  one.outputs = 5;
  one.error = 6;
  CaseScore again;
  ASSERT_TRUE(parse_figures(print_figures(one), again));
  EXPECT_EQ(print_figures(again), print_figures(one));
  EXPECT_EQ(again.dram_bytes, ~u64{0});
  EXPECT_EQ(again.error, 6u);
  for (const char* const text : {"", "{\"figures\": {}}"}) EXPECT_FALSE(parse_figures(text, again));
  std::string wrong = print_figures(one);
  wrong.replace(wrong.find("\"macs\":3"), 8, "\"macs\":-3");
  EXPECT_FALSE(parse_figures(wrong, again));
  wrong = print_counters(one.total);
  wrong.insert(wrong.size() - 1, ",\"figures\":[1]");
  EXPECT_FALSE(parse_figures(wrong, again));
}

}  // namespace
}  // namespace simfarm::farm
