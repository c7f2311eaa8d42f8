// How often a batch repeats what the host failed at, and that generators end when work is
// cancelled.
#include "farm/evaluate.h"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "farm/held_out.h"
#include "tests/farm/small_task.h"

namespace simfarm::farm {
namespace {

using test::Folder;
using test::kernel_with;

/// Simulations that end so, one after the other; then as they should.
class Failing : public SimulationsHere {
 public:
  explicit Failing(std::vector<Verdict> faults) : faults_(std::move(faults)) {}
  Judgement judge(const Task& task, const std::vector<Case>& cases, std::span<const u8> elf,
                  const JudgeOptions& options) override {
    const size_t call = static_cast<size_t>(calls++);
    if (call >= faults_.size()) return SimulationsHere::judge(task, cases, elf, options);
    Judgement failed;
    failed.verdict = faults_[call];
    failed.failure = "as invented\n";
    return failed;
  }
  int calls = 0;

 private:
  std::vector<Verdict> faults_;
};

TEST(Batches, RepeatFaultsOfTheHostAsAFarmDoes) {
  using enum Verdict;
  Folder folder;
  test::write_small_task(folder);
  const auto task = load_task_and_cases(folder.path("tasks/small"));
  ASSERT_TRUE(task);
  const std::string path = test::write_submission(folder, "submissions/x", kernel_with(""));
  const Toolchain tools = test::real_toolchain();
  const struct {
    std::vector<Verdict> faults;
    Verdict verdict;
    int calls;
  } all[] = {
      {{}, accepted, 1},
      {{system_error}, accepted, 2},
      {{system_error, system_error, system_error}, accepted, 4},
      {{system_error, system_error, system_error, system_error}, system_error, 4},
      {{host_limit}, accepted, 2},
      {{host_limit, host_limit}, host_limit, 2},
      {{system_error, host_limit, system_error}, accepted, 4},
      {{judge_error}, judge_error, 1},
      {{cancelled}, cancelled, 1},
  };
  for (const auto& each : all) {
    Failing simulations(each.faults);
    const Evaluation result =
        evaluate_with_repeats(**task, load_submission(path), {tools, simulations});
    EXPECT_EQ(result.verdict, each.verdict) << result.failure;
    EXPECT_EQ(simulations.calls, each.calls);
  }
}

TEST(Generators, EndWhenWorkIsCancelled) {
  Folder folder;
  test::write_small_task(folder);
  test::add_held_out(folder, "\"few\"", "import time\ntime.sleep(100)\n");
  const auto task = load_task_and_cases(folder.path("tasks/small"));
  ASSERT_TRUE(task);
  const std::string path = test::write_submission(folder, "submissions/x", kernel_with(""));
  const Toolchain tools = test::real_toolchain();
  const Secret secret = Secret::make().value();
  const Cancellation cancellation;
  SimulationsHere simulations;
  const auto begin = std::chrono::steady_clock::now();
  std::thread interrupt([&] {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    cancellation.cancel();
  });
  const Evaluation result = evaluate(**task, load_submission(path),
                                     {tools, simulations, &secret, nullptr, &cancellation});
  interrupt.join();
  EXPECT_EQ(result.verdict, Verdict::cancelled) << "given back to the queue, nobody's fault";
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  EXPECT_FALSE(result.held_out);
}

}  // namespace
}  // namespace simfarm::farm
