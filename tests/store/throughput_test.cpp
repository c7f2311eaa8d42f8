// What many submissions cost: counted, not timed.
#include <gmock/gmock.h>

#include "tests/store/support.h"

namespace simfarm::farm {
namespace {

using test::FarmFolder;
using test::kernel_with;
using test::submitted;

/// Counts what would be a process.
class CountedSimulations : public SimulationsHere {
 public:
  Judgement judge(const Task& task, const std::vector<Case>& cases, std::span<const u8> elf,
                  const JudgeOptions& options) override {
    ++calls;
    return SimulationsHere::judge(task, cases, elf, options);
  }
  std::atomic<int> calls = 0;
};

class CountedBuilds : public Builds {
 public:
  std::optional<std::vector<u8>> find(const Task&, const Submission&) override {
    ++asked;
    return std::nullopt;
  }
  void keep(const Task&, const Submission&, std::span<const u8>) override {}
  std::atomic<int> asked = 0;
};

TEST(Throughput, ADuplicateIsAnsweredFromItsKeyWithoutAProcess) {
  FarmFolder folder;
  Store store = folder.open();
  const Toolchain tools = test::real_toolchain();
  CountedSimulations simulations;
  CountedBuilds builds;
  const Workplace workplace{tools, simulations, nullptr, &builds};
  constexpr i64 duplicates = 50;
  for (i64 k = 0; k <= duplicates; ++k)
    submitted(store, folder.candidate("one", kernel_with(""), "author " + std::to_string(k),
                                      "note = \"" + std::to_string(k) + "\"\n"));
  const auto summary = coordinate(store, official_judge(workplace),
                                  {4, test::some_host, {}, {}, official_referee(workplace)});
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->judged, 1);
  EXPECT_EQ(summary->answered, duplicates);
  EXPECT_EQ(builds.asked, 1);
  // The judgement, and the lead of the first: on both engines.
  EXPECT_EQ(simulations.calls, 1 + 2);
  EXPECT_EQ(*store.database().integer("SELECT count(*) FROM events WHERE state = 'running'"), 1);
  EXPECT_EQ(*store.leader(1), 1);
}

/// Kilobytes of memory that this process had at most.
i64 peak_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6));
  return 0;
}

TEST(Throughput, AHundredThousandThatWaitTakeLittleMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "its memory is not the farm's";
#endif
  FarmFolder folder;
  constexpr i64 count = 100'000, different = count / 100;
  {
    Store store = folder.open();
    submitted(store, folder.candidate("one", test::invented_source(100, 1)));
    ASSERT_TRUE(test::coordinate_all(store));
    // As intake leaves them, in one step.
    const auto made = store.database().run_all(
        "BEGIN; WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n WHERE k < " +
        std::to_string(count) +
        ") INSERT INTO submissions(name, task, author, parent, note, archive, sources, options, "
        "received, state) SELECT '', s.task, s.author, '', '', s.archive, CASE WHEN k % 100 = 0 "
        "THEN printf('%064d', k) ELSE s.sources END, s.options, 0, 'queued' FROM n, submissions s "
        "WHERE s.id = 1; "
        "INSERT INTO events(time, submission, state, attempt, detail) "
        "SELECT 0, id, 'received', 0, '' FROM submissions WHERE id > 1; "
        "INSERT INTO events(time, submission, state, attempt, detail) "
        "SELECT 0, id, 'queued', 0, '' FROM submissions WHERE id > 1; COMMIT");
    ASSERT_TRUE(made) << made.error().message;
  }
  const int status = test::in_child([&] {
    Store store = folder.open();
    const auto summary =
        test::coordinate_all(store, 2, test::invented_judge, test::invented_referee);
    ASSERT_TRUE(summary);
    EXPECT_EQ(summary->judged, different);
    EXPECT_EQ(summary->answered, count - different);
    EXPECT_LT(peak_kilobytes(), 200 * 1024);
  });
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace simfarm::farm
