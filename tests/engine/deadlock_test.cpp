// Deadlocks of each kind: the cycle, what each party waits for, and who is to blame.
#include <gmock/gmock.h>

#include "tests/support/run.h"
#include "tests/support/transfers.h"

namespace simfarm::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Deadlock& deadlock_of(const Finished& run) {
  static const Deadlock none;
  EXPECT_EQ(run.outcome.kind, Outcome::Kind::deadlock);
  return run.outcome.deadlock ? *run.outcome.deadlock : none;
}

TEST(Deadlocks, TwoPesThatReceiveFromEachOther) {
  const Finished run = run_kernels(machine_of(1, 2), {Kernel().nop(3).recv(t0, east).exit(),
                                                      Kernel().nop(7).recv(t0, west).exit()});
  const Deadlock& deadlock = deadlock_of(run);
  EXPECT_EQ(deadlock.cycle, 7u);
  EXPECT_EQ(run.outcome.cycles, 7u);
  ASSERT_EQ(deadlock.waiting.size(), 2u);
  EXPECT_EQ(deadlock.waiting[0].what, "gp.recv east: the link from PE 1 is empty");
  EXPECT_EQ(deadlock.waiting[0].pc, code_base + 12);
  EXPECT_EQ(deadlock.waiting[0].since, 3u);
  EXPECT_THAT(deadlock.waiting[0].waits_for, ElementsAre(1));
  EXPECT_EQ(deadlock.waiting[1].what, "gp.recv west: the link from PE 0 is empty");
  EXPECT_EQ(deadlock.waiting[1].since, 7u);
  EXPECT_THAT(deadlock.blame, ElementsAre(0, 1));
  EXPECT_EQ(run.stalls(0, Stall::link_empty), 4u);
  EXPECT_EQ(run.stalls(1, Stall::link_empty), 0u);
}

TEST(Deadlocks, AFullLinkToAPeThatEnded) {
  // Sends in cycles 0-3, the last word arrives in cycle 5: only then nothing is on its way.
  Kernel sender;
  for (u32 k = 0; k < 5; ++k) sender.send(east, t0);
  const Finished run = run_kernels(machine_of(1, 2), {sender.exit(), Kernel().exit()});
  const Deadlock& deadlock = deadlock_of(run);
  EXPECT_EQ(deadlock.cycle, 5u);
  ASSERT_EQ(deadlock.waiting.size(), 1u);
  EXPECT_EQ(deadlock.waiting[0].what,
            "gp.send east: the link to PE 1 is full (4 words); PE 1 has ended");
  EXPECT_THAT(deadlock.waiting[0].waits_for, IsEmpty());
  EXPECT_THAT(deadlock.blame, ElementsAre(0));
}

TEST(Deadlocks, ABarrierAndWhoIsMissing) {
  // PE 2 waits for a post of nobody in particular; it was PE 1 that posted last, in cycle 1.
  const std::vector<Kernel> kernels = {Kernel().bar(0).exit(),
                                       Kernel().li(t0, 2).post(t0, 9).bar(0).exit(),
                                       Kernel().li(t0, 2).wait(9, t0).exit()};
  const Finished run = run_kernels(machine_of(1, 3), kernels);
  const Deadlock& deadlock = deadlock_of(run);
  EXPECT_EQ(deadlock.cycle, 4u) << "the post arrives in cycle 4";
  ASSERT_EQ(deadlock.waiting.size(), 3u);
  EXPECT_EQ(deadlock.waiting[0].what, "gp.bar all: not there: PE 2");
  EXPECT_THAT(deadlock.waiting[0].waits_for, ElementsAre(2));
  EXPECT_EQ(deadlock.waiting[2].what, "gp.wait 9, 2: semaphore 9 holds 1");
  EXPECT_THAT(deadlock.waiting[2].waits_for, ElementsAre(1, 0));
  EXPECT_THAT(deadlock.blame, ElementsAre(0, 2, 1));
  EXPECT_EQ(run.stalls(2, Stall::sem_wait_none), 3u);
}

TEST(Deadlocks, BarriersOfDifferentGroups) {
  const Finished run =
      run_kernels(machine_of(1, 2), {Kernel().bar(0).exit(), Kernel().bar(1).exit()});
  const Deadlock& deadlock = deadlock_of(run);
  ASSERT_EQ(deadlock.waiting.size(), 2u);
  EXPECT_EQ(deadlock.cycle, 0u);
  EXPECT_EQ(deadlock.waiting[1].what, "gp.bar row: not there: PE 0");
  EXPECT_THAT(deadlock.blame, ElementsAre(0, 1));
}

TEST(Deadlocks, AWaitForATransferThatWasNeverQueued) {
  const Finished run = run_kernel(machine_of(1, 1), Kernel().li(t0, 1).wait(3, t0).exit());
  const Deadlock& deadlock = deadlock_of(run);
  ASSERT_EQ(deadlock.waiting.size(), 1u);
  EXPECT_EQ(deadlock.waiting[0].what, "gp.wait 3, 1: semaphore 3 holds 0");
  EXPECT_THAT(deadlock.waiting[0].waits_for, IsEmpty());
}

TEST(Deadlocks, AnEngineThatWaitsForItsAcquire) {
  // PE 0 waits for its engine, that for a post of PE 1, which receives from PE 0.
  dma::Descriptor d = linear_copy(ocm_base, local_base + 0x1000, 64);
  d.acquire = {8, 1};
  Kernel first;
  put_descriptors(first, local_base, {d});
  first.li(t0, local_base).li(t1, 1).dma(t0).wait(0, t1).exit();
  const Finished run =
      run_kernels(machine_of(1, 2), {first, Kernel().recv(t0, west).li(t1, 0).post(t1, 8).exit()});
  const Deadlock& deadlock = deadlock_of(run);
  ASSERT_EQ(deadlock.waiting.size(), 3u);
  EXPECT_EQ(deadlock.waiting[0].what, "gp.wait 0, 1: semaphore 0 holds 0");
  EXPECT_THAT(deadlock.waiting[0].waits_for, ElementsAre(0));
  EXPECT_EQ(deadlock.waiting[1].who, Waiting::Who::dma);
  EXPECT_EQ(deadlock.waiting[1].what,
            "the descriptor at 0x10000000 acquires 1 of semaphore 8, which holds 0");
  EXPECT_EQ(deadlock.waiting[1].since, 3u) << "queued in cycle 2";
  EXPECT_EQ(deadlock.waiting[1].pc, code_base + 8);
  EXPECT_THAT(deadlock.waiting[1].waits_for, ElementsAre(0, 1));
  EXPECT_EQ(deadlock.cycle, 3u);
  EXPECT_THAT(deadlock.blame, ElementsAre(0, 1));
  EXPECT_EQ(run.stalls(0, Stall::sem_wait_none), 0u);
  EXPECT_EQ(run.stalls(1, Stall::link_empty), 3u);
}

TEST(Deadlocks, AFullQueueBehindAnAcquire) {
  dma::Descriptor d = linear_copy(ocm_base, local_base + 0x1000, 64);
  d.acquire = {8, 1};
  Kernel kernel;
  put_descriptors(kernel, local_base, {d});
  kernel.li(t0, local_base);
  for (u32 k = 0; k < 5; ++k) kernel.dma(t0);
  const Finished run = run_kernel(machine_of(1, 1), kernel.exit());
  const Deadlock& deadlock = deadlock_of(run);
  ASSERT_EQ(deadlock.waiting.size(), 2u);
  EXPECT_EQ(deadlock.waiting[0].what, "gp.dma: the queue is full (4 descriptors)");
  EXPECT_THAT(deadlock.blame, ElementsAre(0, 1));
}

TEST(Deadlocks, AnEngineAlone) {
  // Every PE has ended; a descriptor still waits.
  dma::Descriptor d = linear_copy(ocm_base, local_base + 0x1000, 64);
  d.acquire = {2, 5};
  Kernel kernel;
  put_descriptors(kernel, local_base, {d});
  const Finished run = run_kernel(machine_of(1, 1), kernel.li(t0, local_base).dma(t0).exit());
  const Deadlock& deadlock = deadlock_of(run);
  ASSERT_EQ(deadlock.waiting.size(), 1u);
  EXPECT_EQ(deadlock.waiting[0].who, Waiting::Who::dma);
  EXPECT_THAT(deadlock.waiting[0].waits_for, IsEmpty());
  EXPECT_EQ(deadlock.cycle, 4u) << "the PE ends in cycle 3";
  EXPECT_EQ(run.dma(0, DmaBin::acquire_wait), 2u) << "cycles 2 and 3";
}

}  // namespace
}  // namespace simfarm::test
