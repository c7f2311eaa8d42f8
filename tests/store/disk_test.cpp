// Disks that are full, or may not be written: an I/O error, and nothing is lost.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "farm/store/fsck.h"
#include "tests/store/support.h"

namespace simfarm::farm {
namespace {

using test::coordinate_all;
using test::FarmFolder;
using test::in_child;
using test::invented_source;
using test::simple_key;
using test::some_host;
using testing::HasSubstr;
using testing::IsEmpty;

/// From here on no file of this process grows beyond so many bytes.
void limit_files(u64 bytes) {
  signal(SIGXFSZ, SIG_IGN);
  const struct rlimit limit { bytes, bytes };
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

void expect_nothing_lost(Store& store) {
  const auto report = check_farm(store);
  ASSERT_TRUE(report);
  EXPECT_THAT(report->problems, IsEmpty());
}

TEST(Disk, ScenarioFullDisk_AtEverySizeLosesNothing) {
  // From "nothing can be written" to "everything can", so that the disk is full at each step once.
  int failed = 0, done = 0;
  for (u64 bytes = 0; bytes <= 512 << 10; bytes += 8 << 10) {
    FarmFolder folder;
    const std::string first = folder.candidate("a", invented_source(100, 1));
    const std::string second = folder.candidate("b", invented_source(100, 2));
    {
      Store store = folder.open();
      ASSERT_TRUE(store.submit(first));
    }
    const int status = in_child([&] {
      limit_files(bytes);
      Result<Store> store = Store::open(folder.farm());
      const Result<void> result = [&]() -> Result<void> {
        if (!store) return store.error();
        if (const auto submitted = store->submit(second); !submitted) return submitted.error();
        if (const auto judged = coordinate_all(*store); !judged) return judged.error();
        return {};
      }();
      if (result) _exit(0);
      EXPECT_EQ(result.error().kind, Error::Kind::io) << result.error().message;
      _exit(testing::Test::HasFailure() ? 99 : 74);
    });
    ASSERT_TRUE(status == 0 || status == 74) << status;
    ++(status == 0 ? done : failed);
    Store store = folder.open();
    expect_nothing_lost(store);
    ASSERT_TRUE(coordinate_all(store));
    EXPECT_EQ((*store.submission(1))->state, State::ranked);
    const auto other = *store.submission(2);
    EXPECT_TRUE(!other || other->state == State::ranked);
    expect_nothing_lost(store);
  }
  EXPECT_GT(failed, 5);
  EXPECT_GT(done, 5);
}

TEST(Disk, AResultThatCannotBeWrittenIsAnErrorAndJudgedAgain) {
  FarmFolder folder;
  {
    Store store = folder.open();
    ASSERT_TRUE(store.submit(folder.candidate("a", invented_source(100, 1))));
  }
  EXPECT_EQ(in_child([&] {
              Store store = folder.open();
              const Result<Claimed> claimed = store.claim(simple_key);
              ASSERT_TRUE(claimed && claimed->claim);
              limit_files(0);
              Evaluation evaluation;
              evaluation.verdict = Verdict::wrong_output;
              const auto settled = store.complete(*claimed->claim, evaluation, some_host);
              ASSERT_FALSE(settled);
              EXPECT_EQ(settled.error().kind, Error::Kind::io);
            }),
            0);
  Store store = folder.open();
  expect_nothing_lost(store);
  EXPECT_EQ((*store.submission(1))->state, State::running);
  const auto summary = coordinate_all(store);
  EXPECT_EQ(summary->taken_back, 1);
  EXPECT_EQ(summary->judged, 1);
}

/// A file system in memory, where this process may have one.
class Mounted {
 public:
  explicit Mounted(const std::string& folder) : folder_(folder) {
    std::filesystem::create_directories(folder);
    there_ = mount("none", folder.c_str(), "tmpfs", 0, "size=64m") == 0;
  }
  Mounted(const Mounted&) = delete;
  ~Mounted() {
    if (there_) umount2(folder_.c_str(), MNT_DETACH);
  }
  explicit operator bool() const { return there_; }
  bool again(unsigned long flags, const char* size) const {
    return mount("none", folder_.c_str(), "tmpfs", MS_REMOUNT | flags, size) == 0;
  }

 private:
  std::string folder_;
  bool there_ = false;
};

TEST(Disk, ScenarioReadOnlyStore_OrFullIsAnErrorAndNothingIsLost) {
  FarmFolder folder;
  const std::string first = folder.candidate("a", invented_source(100, 1));
  const std::string second = folder.candidate("b", invented_source(100, 2));
  const Mounted disk(folder.path("disk"));
  if (!disk) GTEST_SKIP() << "needs the right to mount";
  const std::string farm = folder.path("disk/farm");
  {
    Store store = folder.open();
    ASSERT_TRUE(store.submit(first));
  }
  std::filesystem::copy(folder.farm(), farm, std::filesystem::copy_options::recursive);

  ASSERT_TRUE(disk.again(MS_RDONLY, "size=64m"));
  {
    const Result<Store> written = Store::open(farm);
    if (written) {
      Store store = test::open_store(farm);
      EXPECT_EQ(store.submit(second).error().kind, Error::Kind::io);
      EXPECT_EQ(coordinate_all(store).error().kind, Error::Kind::io);
    } else {
      EXPECT_EQ(written.error().kind, Error::Kind::io);
    }
    Result<Store> looked = Store::open_to_read(farm);
    ASSERT_TRUE(looked) << (looked ? "" : looked.error().message);
    EXPECT_EQ((*looked->submission(1))->state, State::queued) << "looking is fine";
  }

  // Full, when work begins: nothing is claimed.
  ASSERT_TRUE(disk.again(0, "size=2m"));
  {
    Store store = test::open_store(farm);
    const auto summary = coordinate_all(store);
    ASSERT_FALSE(summary);
    EXPECT_EQ(summary.error().kind, Error::Kind::io);
    EXPECT_THAT(summary.error().message, HasSubstr("nothing more is claimed"));
    std::ofstream fill(folder.path("disk/fill"), std::ios::binary);
    for (const std::string block(4096, 'x'); fill.write(block.data(), 4096).flush();) continue;
    fill.close();
    EXPECT_EQ(store.submit(second).error().kind, Error::Kind::io);
  }
  std::filesystem::remove(folder.path("disk/fill"));
  ASSERT_TRUE(disk.again(0, "size=64m"));
  Store store = test::open_store(farm);
  expect_nothing_lost(store);
  ASSERT_TRUE(store.submit(second));
  EXPECT_EQ(coordinate_all(store)->judged, 2);
  expect_nothing_lost(store);
}

}  // namespace
}  // namespace simfarm::farm
