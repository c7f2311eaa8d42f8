// Checkpoints of PEs: which instructions count, what they say, which are kept. Every run here is
// one of all engines, whose checkpoints must be the same (tests/support/equal_engines.h).
#include <gmock/gmock.h>

#include "tests/support/run.h"

namespace simfarm::test {
namespace {

using testing::ElementsAre;

/// Both PEs meet `rounds` times; PE 1 takes `late` cycles more once, before round `at`.
std::vector<Kernel> meeting(u32 rounds, u32 at = 0, u32 late = 0) {
  std::vector<Kernel> kernels(2);
  for (u32 round = 0; round < rounds; ++round) {
    if (round == at) kernels[1].nop(late);
    for (Kernel& kernel : kernels) kernel.bar(0);
  }
  for (Kernel& kernel : kernels) kernel.exit(0);
  return kernels;
}

std::vector<Checkpoints> checkpoints(const std::vector<Kernel>& kernels, u32 most,
                                     Cycle limit = 100'000) {
  RunOptions options;
  options.checkpoints = most;
  options.cycle_limit = limit;
  const Finished run = run_kernels(machine_of(1, 2), kernels, options);
  std::vector<Checkpoints> all;
  for (const PeReport& pe : run.outcome.pes) all.push_back(pe.checkpoints);
  return all;
}

std::vector<Cycle> cycles(const Checkpoints& all) {
  std::vector<Cycle> cycles;
  for (const Checkpoint& one : all.kept()) cycles.push_back(one.cycle);
  return cycles;
}

TEST(Checkpoints, AreOfWhatTheWholeMachineSees) {
  Kernel left, right;
  left.li(t0, 0).post(t0, 9).li(t1, 1).send(1, t1).wait(9, t1).bar(1).exit(3);
  right.recv(t1, 3).bar(1).exit(3);
  const Checkpoints all = checkpoints({left, right}, 8)[0];
  EXPECT_EQ(all.count(), 3u) << "gp.wait, gp.bar, ecall";
  EXPECT_EQ(all.stride(), 1u);
  EXPECT_EQ(all.kept().size(), 3u);
}

TEST(Checkpoints, ThatAreKeptAreFewHoweverLongTheRun) {
  const std::vector<Cycle> every = cycles(checkpoints(meeting(40), 64)[0]);
  ASSERT_EQ(every.size(), 41u);
  const Checkpoints few = checkpoints(meeting(40), 4)[0];
  EXPECT_EQ(few.count(), 41u);
  EXPECT_EQ(few.stride(), 16u);
  EXPECT_THAT(cycles(few), ElementsAre(every[15], every[31]));
  EXPECT_EQ(few.digest(), checkpoints(meeting(40), 64)[0].digest());
  EXPECT_THAT(cycles(checkpoints(meeting(3), 4)[0]), testing::SizeIs(4));
  EXPECT_THAT(cycles(checkpoints(meeting(4), 4)[0]), testing::SizeIs(2));
}

TEST(Checkpoints, OneCycleLaterIsAnotherDigestFromThereOn) {
  const Checkpoints a = checkpoints(meeting(8), 64)[0], b = checkpoints(meeting(8, 5, 1), 64)[0];
  ASSERT_EQ(a.kept().size(), b.kept().size());
  for (u32 k = 0; k < a.kept().size(); ++k) EXPECT_EQ(a.kept()[k] == b.kept()[k], k < 5) << k;
}

TEST(Checkpoints, NowAndThenAllRegistersCount) {
  const auto with = [](u32 value) {
    std::vector<Kernel> kernels = meeting(0);
    for (Kernel& kernel : kernels) kernel = Kernel();
    kernels[0].li(s3, 0x1001 + value);  // no wait says it
    kernels[1].li(s3, 0x1001);
    for (u32 round = 0; round < 40; ++round)
      for (Kernel& kernel : kernels) kernel.bar(0);
    for (Kernel& kernel : kernels) kernel.exit(0);
    return checkpoints(kernels, 64)[0];
  };
  const Checkpoints a = with(0), b = with(1);
  ASSERT_EQ(a.kept().size(), 41u);
  EXPECT_EQ(a.kept()[30], b.kept()[30]);
  EXPECT_NE(a.kept()[31], b.kept()[31]);
}

TEST(Checkpoints, OfTheLastCycleDoNotCount) {
  const std::vector<Cycle> all = cycles(checkpoints(meeting(8), 64)[0]);
  for (const Cycle cycle : all) {
    EXPECT_EQ(checkpoints(meeting(8), 64, cycle)[0].count() + 1,
              checkpoints(meeting(8), 64, cycle + 1)[0].count());
  }
  // A trap of one PE in the cycle in which the other waits for nothing.
  for (u32 early = 0; early < 6; ++early) {
    Kernel traps, waits;
    traps.nop(early).word(0);
    waits.li(t0, 1).post(zero, 9).nop().wait(9, t0).exit(0);
    RunOptions options;
    options.checkpoints = 4;
    const Finished run = run_kernels(machine_of(1, 2), {waits, traps}, options);
    ASSERT_TRUE(run.outcome.trap);
  }
}

TEST(Checkpoints, AreNotKeptUnasked) {
  RunInput input;
  input.machine = machine_of(1, 2);
  input.program = program_of(meeting(3), 2);
  for (const EngineKind kind : engine_kinds) {
    auto simulation = make_simulation(kind, input, {});
    ASSERT_TRUE(simulation);
    EXPECT_EQ((*simulation)->run().pes[0].checkpoints, Checkpoints());
  }
}

}  // namespace
}  // namespace simfarm::test
