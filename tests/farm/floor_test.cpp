// What no run can do: identities of its counters, and the floor of a case.
#include "farm/floor.h"

#include <gmock/gmock.h>

#include "farm/score.h"
#include "tests/farm/small_task.h"

namespace simfarm::farm {
namespace {

using test::Folder;
using test::kernel_with;
using testing::HasSubstr;

/// A run of two PEs in which everything adds up.
Outcome sound_outcome() {
  Outcome outcome;
  outcome.cycles = 10;
  outcome.pes.resize(2);
  outcome.dma.resize(2);
  for (PeReport& pe : outcome.pes) {
    pe.total.issued[0] = 4;
    pe.total.stalls[2] = 6;
  }
  for (DmaReport& dma : outcome.dma) dma.cycles[0] = 10;
  return outcome;
}

TEST(Identities, HoldOrAreTold) {
  const Machine machine = *load_machine("nano");
  EXPECT_EQ(broken_identity(machine, sound_outcome()), std::nullopt);
  Outcome one = sound_outcome();
  ++one.pes[1].total.stalls[0];
  EXPECT_EQ(broken_identity(machine, one), "PE 1: its bins sum to 11, the run has 10 cycles\n");
  one = sound_outcome();
  --one.dma[0].cycles[0];
  EXPECT_EQ(broken_identity(machine, one),
            "DMA engine 0: its bins sum to 9, the run has 10 cycles\n");
  // 16 local ports of 8 bytes, 8 banks of 16, one channel of 32.
  const u64 peak = 10 * (16 * 8 + 8 * 16 + 32);
  one = sound_outcome();
  one.dma[0].bytes_read = peak;
  one.dma[1].bytes_written = peak;
  EXPECT_EQ(broken_identity(machine, one), std::nullopt);
  ++one.dma[1].bytes_written;
  EXPECT_THAT(*broken_identity(machine, one), HasSubstr("carry 288 a cycle"));
}

std::shared_ptr<const LoadedTask> small_task(const Folder& folder, const std::string& floor) {
  test::write_small_task(folder);
  folder.write("tasks/small/task.toml", test::small_task_toml + floor);
  auto task = load_task_and_cases(folder.path("tasks/small"));
  EXPECT_TRUE(task) << (task ? "" : task.error().message);
  return *task;
}

TEST(Floor, IsTheLargestThatTaskAndMachineGive) {
  Folder folder;
  const auto floor = [&](const std::string& more) {
    const auto task = small_task(folder, more);
    return floor_of(task->task, task->cases[1]);  // sixteen words, factor 7
  };
  EXPECT_EQ(floor("").cycles, 2u) << "64 bytes of output at DRAM's 32 a cycle";
  EXPECT_EQ(floor("").why, "64 bytes that DRAM moves at 32 a cycle");
  EXPECT_EQ(floor("[floor]\nreads = [\"x\"]\n").cycles, 4u);
  EXPECT_EQ(floor("[floor]\nmacs = [\"n\", 100, \"factor\"]\n").cycles, 88u);
  EXPECT_EQ(floor("[floor]\nmacs = [\"n\", 100, \"factor\"]\n").why,
            "11200 multiply-adds on 16 PEs at 8 a cycle");
  EXPECT_EQ(floor("[floor]\nmacs = [\"n\", 100]\nmacs_per_cycle = 1\n").cycles, 100u);
  EXPECT_EQ(floor("[floor]\ncycles = { two = 500, one = 900 }\n").cycles, 500u);
  const std::string huge = "[floor]\nmacs = [1000000000, 1000000000, 1000000000]\n";
  EXPECT_EQ(floor(huge).cycles, (u64{1} << 60) / 128);
}

TEST(Floor, KeysAreChecked) {
  Folder folder;
  const std::string base = test::small_task_toml;
  const struct {
    std::string more, error;
  } all[] = {
      {"[floor]\nmacs = [\"m\"]\n", "m is neither a dimension nor a parameter"},
      {"[floor]\nmacs = [0]\n", "0 is neither a size"},
      {"[floor]\nreads = [\"y\"]\n", "y is no input"},
      {"[floor]\ncycles = { three = 1 }\n", "three: unknown key"},
      {"[floor]\nmacs_per_cycle = 0\n", "macs_per_cycle"},
  };
  for (const auto& each : all) {
    const auto task = parse_task(base + each.more, folder.path());
    ASSERT_FALSE(task) << each.more;
    EXPECT_THAT(task.error().message, HasSubstr(each.error));
  }
}

TEST(Floor, WhatIsRightAndBelowItIsHeld) {
  Folder folder;
  const auto task = small_task(folder, "[floor]\ncycles = { two = 4000 }\n");
  const auto judged = [&](const std::string& lines) {
    const std::string path = test::write_submission(folder, "x", kernel_with(lines));
    return test::evaluate_here(*task, load_submission(path));
  };
  const Evaluation fast = judged("");
  EXPECT_EQ(fast.verdict, Verdict::held);
  EXPECT_EQ(fast.failed_case, "two");
  EXPECT_THAT(fast.failure,
              testing::MatchesRegex(
                  "[0-9]+ cycles, and no kernel should take fewer than 4000: the task says so\n"));
  EXPECT_EQ(fast.cases.size(), 2u) << "as if it were accepted, should a person say so";
  EXPECT_EQ(judged("for (uint32_t i = 0; i < 900; ++i) sf_cycles();").verdict, Verdict::accepted);
  EXPECT_EQ(judged("if (n == 16) y[3] = 1;").verdict, Verdict::wrong_output)
      << "nobody has to look at it";
}

}  // namespace
}  // namespace simfarm::farm
