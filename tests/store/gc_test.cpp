// What gc removes, what it leaves, and that it can be killed anywhere.
#include "farm/store/gc.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "farm/archive.h"
#include "farm/store/place.h"
#include "farm/store/stored_builds.h"
#include "tests/store/support.h"

namespace simfarm::farm {
namespace {

namespace fs = std::filesystem;
using test::board_bytes;
using test::coordinate_all;
using test::expect_whole;
using test::FarmFolder;
using test::in_child;
using test::invented_source;
using test::submitted;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr i64 a_day = i64{24} * 3600 * 1000;

/// As if it had been written that many days ago.
void make_old(const std::string& path, int days) {
  struct timespec now {};
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec -= i64{days} * 24 * 3600;
  const struct timespec times[] = {now, now};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0) << path;
}

void make_all_old(const FarmFolder& folder, int days = 100) {
  for (const auto& each : fs::recursive_directory_iterator(folder.farm()))
    if (each.is_regular_file()) make_old(each.path().string(), days);
}

std::string orphan(Store& store, const std::string& text) {
  const std::vector<u8> bytes(text.begin(), text.end());
  return *store.blobs().put(bytes);
}

/// A judge whose results have programs, kept as a coordinator's are.
Evaluation with_program(const LoadedTask& task, const Result<Submission>& submission) {
  Evaluation result = test::invented_judge(task, submission);
  result.elf = {u8(result.cases.empty() ? 1 : result.cases.front().cycles), 2, 3};
  result.elf_digest = sha256(result.elf);
  return result;
}

std::vector<std::string> removed(const GcReport& report) {
  std::vector<std::string> lines;
  for (const GcItem& each : report.removed)
    lines.push_back(std::string(name(each.what)) + " " + each.name);
  return lines;
}

GcReport collected(Store& store, const GcRequest& request = {}) {
  const auto report = collect_garbage(store, request);
  EXPECT_TRUE(report) << (report ? "" : report.error().message);
  return report ? *report : GcReport();
}

/// Two that are judged, one cancelled, one rejected, one that waits; a disagreement's description.
class Gc : public testing::Test {
 protected:
  Gc() {
    Store store = folder_.open();
    submitted(store, folder_.candidate("a", invented_source(100, 1)));
    submitted(store, folder_.candidate("b", invented_source(90, 2) + "// engines\n"));
    EXPECT_TRUE(coordinate_all(store, 1, with_program, test::invented_referee));
    submitted(store, folder_.candidate("c", invented_source(80, 3)));
    EXPECT_TRUE(store.act({3}, Act::cancel, "no"));
    folder_.write("bad.tar", "no archive");
    submitted(store, folder_.path("bad.tar"));
    submitted(store, folder_.candidate("d", invented_source(70, 4)));
    expect_whole(store);
  }
  FarmFolder folder_;
};

TEST_F(Gc, OfAFarmThatNeedsAllRemovesNothing) {
  make_all_old(folder_);
  Store store = folder_.open();
  const GcReport report = collected(store);
  EXPECT_THAT(removed(report), IsEmpty());
  EXPECT_EQ(report.kept_blobs, 1u + 5u + 2u + 1u) << "package, archives, programs, description";
  expect_whole(store);
}

TEST_F(Gc, RemovesOldOrphansAndLeavesYoungOnes) {
  Store store = folder_.open();
  const std::string old = orphan(store, "old"), young = orphan(store, "young");
  make_old(store.blobs().path(old), 2);
  folder_.write("farm/blobs/ab/half.tmp.x1", "half");
  make_old(folder_.path("farm/blobs/ab/half.tmp.x1"), 2);
  GcRequest request{.dry_run = true};
  const std::vector<std::string> expected = {"orphan " + old, "stray blobs/ab/half.tmp.x1"};
  EXPECT_EQ(removed(collected(store, request)), expected);
  EXPECT_TRUE(store.blobs().exists(old)) << "a dry run";
  request.dry_run = false;
  const GcReport report = collected(store, request);
  EXPECT_EQ(removed(report), expected);
  EXPECT_EQ(report.bytes, 7u);
  EXPECT_FALSE(store.blobs().exists(old));
  EXPECT_TRUE(store.blobs().exists(young));
  expect_whole(store);
}

TEST_F(Gc, AnOldOrphanThatIsSubmittedAgainStays) {
  Store store = folder_.open();
  const std::string path = folder_.candidate("e", invented_source(60, 5));
  const i64 id = submitted(store, path);
  const std::string archive = (*store.submission(id))->archive;
  // As after a submit that ended between the blob and its row.
  FarmFolder other;
  Store its = other.open();
  const auto bytes = store.blobs().get(archive);
  ASSERT_TRUE(bytes);
  ASSERT_TRUE(its.blobs().put(*bytes));
  make_old(its.blobs().path(archive), 9);
  ASSERT_TRUE(its.blobs().put(*bytes)) << "a submit begins";
  EXPECT_THAT(removed(collected(its)), IsEmpty()) << "while it is under way";
  make_old(its.blobs().path(archive), 9);
  EXPECT_THAT(removed(collected(its)), ElementsAre("orphan " + archive));
  submitted(its, path);
  expect_whole(its);
}

TEST_F(Gc, ARowIsNotWrittenWhenItsBlobWentAwayMeanwhile) {
  Store store = folder_.open();
  const auto judge_and_lose = [&](const LoadedTask& task, const Result<Submission>& submission) {
    Evaluation result = with_program(task, submission);
    result.elf.clear();  // kept by another thread, and gone since
    return result;
  };
  const auto done = coordinate_all(store, 1, judge_and_lose);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, Error::Kind::temporary);
  EXPECT_THAT(done.error().message, HasSubstr("went away before anything named it"));
  expect_whole(store);
  EXPECT_TRUE(coordinate_all(store, 1, with_program));
  expect_whole(store);
}

TEST_F(Gc, BuildsOfOtherToolchainsGo) {
  Store store = folder_.open();
  const StoredTask stored = **store.find_task("small");
  const Task task = *load_task(*store.task_folder(stored));
  const Submission submission = *load_submission(folder_.path("in/a"));
  const JudgingHost other{"another toolchain", "some simulator"};
  StoredBuilds(folder_.farm(), test::some_host).keep(task, submission, std::vector<u8>{1});
  StoredBuilds(folder_.farm(), other).keep(task, submission, std::vector<u8>{2});
  make_all_old(folder_);
  EXPECT_THAT(removed(collected(store)), IsEmpty()) << "nobody said which are current";
  const GcReport report = collected(store, {.builders = {test::some_host}});
  ASSERT_EQ(report.removed.size(), 2u);
  EXPECT_EQ(report.removed[0].what, GcItem::What::orphan) << "its program";
  EXPECT_EQ(report.removed[1].what, GcItem::What::build);
  EXPECT_TRUE(StoredBuilds(folder_.farm(), test::some_host).find(task, submission));
  EXPECT_FALSE(StoredBuilds(folder_.farm(), other).find(task, submission));
}

TEST_F(Gc, OldReproducersGo) {
  folder_.write("farm/crashes/0123456789abcdef/request", "one");
  folder_.write("farm/crashes/fedcba9876543210/request", "two");
  make_old(folder_.path("farm/crashes/0123456789abcdef"), 31);
  Store store = folder_.open();
  EXPECT_THAT(removed(collected(store)), ElementsAre("crash crashes/0123456789abcdef"));
  EXPECT_FALSE(fs::exists(folder_.path("farm/crashes/0123456789abcdef")));
  EXPECT_FALSE(fs::exists(folder_.path("farm/crashes/0123456789abcdef.gone")));
  EXPECT_TRUE(fs::exists(folder_.path("farm/crashes/fedcba9876543210/request")));
}

TEST_F(Gc, WhatIsDroppedOnRequestIsNotedAndComesBackWithItsBytes) {
  make_all_old(folder_);
  StoreOptions later;
  const i64 now = folder_.open().now() + 40 * a_day;
  later.clock = [now] { return now; };
  Store store = folder_.open(later);
  const std::string board = board_bytes(store);
  const std::string cancelled = (*store.submission(3))->archive;
  const std::string rejected = (*store.submission(4))->archive;
  GcRequest request{.dry_run = true,
                    .archives_of = {State::cancelled, State::rejected},
                    .archive_age = 30 * a_day};
  EXPECT_EQ(removed(collected(store, request)).size(), 2u);
  EXPECT_FALSE(*store.dropped(cancelled)) << "a dry run";
  request.dry_run = false;
  request.keep = {4};
  EXPECT_THAT(removed(collected(store, request)), ElementsAre("archive " + cancelled));
  EXPECT_TRUE(store.blobs().exists(rejected));
  EXPECT_FALSE(store.blobs().exists(cancelled));
  expect_whole(store);
  EXPECT_EQ(check_farm(store)->dropped, 1u);
  EXPECT_EQ(board_bytes(store), board);
  EXPECT_THAT(*submission_text(store, **store.submission(3)),
              HasSubstr("it is no longer kept, so nobody can judge it again: "));
  EXPECT_THAT((*submission_document(store, **store.submission(3)))["archive_dropped"]["why"]
                  .get<std::string>(),
              HasSubstr("of a submission that is cancelled for more than 30 d"));
  submitted(store, folder_.path("in/c"));
  EXPECT_FALSE(*store.dropped(cancelled));
  EXPECT_TRUE(store.blobs().exists(cancelled));
  EXPECT_THAT(removed(collected(store, request)), IsEmpty()) << "another one needs it now";
  expect_whole(store);
}

TEST_F(Gc, WhatEnginesSaidIsDroppedOnRequest) {
  make_all_old(folder_);
  StoreOptions later;
  const i64 now = folder_.open().now() + 40 * a_day;
  later.clock = [now] { return now; };
  Store store = folder_.open(later);
  EXPECT_THAT(removed(collected(store, {.log_age = 50 * a_day})), IsEmpty());
  const GcReport report = collected(store, {.log_age = 30 * a_day});
  ASSERT_EQ(report.removed.size(), 1u);
  EXPECT_EQ(report.removed[0].what, GcItem::What::log);
  EXPECT_THAT(report.removed[0].why, HasSubstr("what engines said, more than 30 d ago"));
  expect_whole(store);
}

TEST(GcCrash, ScenarioKilledAtEachStepLosesNothing) {
  std::string expected;
  bool ended = false;
  for (int at = 1; !ended; ++at) {
    ASSERT_LT(at, 100);
    FarmFolder folder;
    {
      Store store = folder.open();
      submitted(store, folder.candidate("a", invented_source(100, 1)));
      ASSERT_TRUE(coordinate_all(store, 1, with_program));
      submitted(store, folder.candidate("c", invented_source(80, 3)));
      ASSERT_TRUE(store.act({2}, Act::cancel, ""));
      (void)orphan(store, "an orphan");
      folder.write("farm/crashes/0123456789abcdef/request", "one");
      make_all_old(folder);
      make_old(folder.path("farm/crashes/0123456789abcdef"), 100);
    }
    const int status = in_child([&] {
      auto left = std::make_shared<int>(at);
      const auto step = [left](std::string_view) {
        if (--*left == 0) kill(getpid(), SIGKILL);
      };
      StoreOptions options;
      options.boundary = step;
      Store store = folder.open(options);
      const i64 soon = -1000;  // what has just been cancelled is old enough
      (void)collect_garbage(
          store, {.archives_of = {State::cancelled}, .archive_age = soon, .boundary = step});
    });
    ended = status == 0;
    if (!ended) {
      ASSERT_EQ(status, -SIGKILL);
    }
    Store store = folder.open();
    expect_whole(store);
    if (expected.empty()) expected = board_bytes(store);
    EXPECT_EQ(board_bytes(store), expected) << at;
    const GcReport rest = collected(store);
    expect_whole(store);
    EXPECT_EQ(rest.kept_blobs, 3u + (*store.dropped((*store.submission(2))->archive) ? 0 : 1));
    if (ended) {
      EXPECT_THAT(removed(rest), IsEmpty());
      EXPECT_GT(at, 8) << "the steps were reached";
    }
  }
}

TEST(GcCrash, ScenarioSubmitsMeanwhileLoseNothing) {
  FarmFolder folder;
  constexpr int count = 60;
  std::vector<std::string> paths;
  for (int k = 0; k < count; ++k) {
    const std::string path =
        folder.candidate("s" + std::to_string(k), invented_source(100, static_cast<u64>(k)));
    paths.push_back(path);
    // Its archive lies there as an old orphan.
    auto files = read_folder(path, {});
    ASSERT_TRUE(files);
    const auto tar = print_tar(std::move(*files));
    Store store = folder.open();
    make_old(store.blobs().path(*store.blobs().put(*tar)), 100);
  }
  std::atomic<bool> done = false;
  std::thread collector([&] {
    Store store = folder.open();
    while (!done) collected(store);
  });
  Store store = folder.open();
  for (const std::string& path : paths) submitted(store, path);
  done = true;
  collector.join();
  ASSERT_TRUE(coordinate_all(store));
  EXPECT_EQ(*store.database().integer("SELECT count(*) FROM submissions WHERE state = 'ranked'"),
            count);
  expect_whole(store);
}

TEST(GcCrash, ScenarioOnAFullDiskOrphansGo) {
  FarmFolder folder;
  {
    Store store = folder.open();
    submitted(store, folder.candidate("c", invented_source(80, 3)));
    ASSERT_TRUE(store.act({1}, Act::cancel, ""));
    (void)orphan(store, "an orphan");
    make_all_old(folder);
  }
  EXPECT_EQ(in_child([&] {
              Store store = folder.open();
              signal(SIGXFSZ, SIG_IGN);
              const struct rlimit limit { 0, 0 };
              ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
              EXPECT_EQ(removed(collected(store)).size(), 1u);
              const auto dropped =
                  collect_garbage(store, {.archives_of = {State::cancelled}, .archive_age = -1000});
              ASSERT_FALSE(dropped);
              EXPECT_EQ(dropped.error().kind, Error::Kind::io);
            }),
            0);
  Store store = folder.open();
  EXPECT_TRUE(store.blobs().exists((*store.submission(1))->archive));
  expect_whole(store);
}

}  // namespace
}  // namespace simfarm::farm
