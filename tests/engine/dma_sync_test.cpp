// PEs and their DMA engines: waits and their bins, the queue, chains, acquires; cycles by hand.
#include <gmock/gmock.h>

#include "base/bytes.h"
#include "tests/support/run.h"
#include "tests/support/transfers.h"

namespace simfarm::test {
namespace {

using testing::HasSubstr;

constexpr u32 descriptors = local_base;
constexpr u32 buffer = local_base + 0x1000;

Kernel kernel_with(const std::vector<dma::Descriptor>& list) {
  Kernel kernel;
  put_descriptors(kernel, descriptors, list);
  return kernel.li(t0, descriptors).li(t1, 1);
}

TEST(DmaSync, WaitForOnesOwnTransfer) {
  // gp.dma in cycle 2, start 3, first burst 7: OCM read and local write of 64 bytes take 23 cycles,
  // complete in 30. The wait is tried in 3 and issues in 30.
  const Finished run =
      run_kernel(machine_of(1, 1),
                 kernel_with({linear_copy(ocm_base, buffer, 64)}).dma(t0).wait(0, t1).exit());
  EXPECT_EQ(run.stalls(0, Stall::sem_wait_dma), 27u);
  EXPECT_EQ(run.outcome.cycles, 33u);
  EXPECT_EQ(run.dma(0, DmaBin::setup), 4u);
  EXPECT_EQ(run.dma(0, DmaBin::transfer), 23u);
  EXPECT_EQ(run.dma(0, DmaBin::idle), 6u);
  EXPECT_EQ(run.outcome.dma[0].bytes_read, 64u);
  EXPECT_EQ(run.outcome.dma[0].bytes_written, 64u);
  EXPECT_EQ(run.outcome.dma[0].descriptors, 1u);
}

TEST(DmaSync, AWordAroundATorusBringsAnEarlierPostThanTheOneUnderWay) {
  // PE 0: gp.dma of nothing in cycle 3, complete in 8; a post to PE 14 in 4, which arrives in 20.
  // The wait issues in 8, the word goes over the edge in 9 and is received in 11; PE 15 posts in
  // 12, and that arrives in 15. PE 14 waits from 1.
  Machine machine = machine_of(1, 16);
  machine.torus_columns = true;
  std::vector<Kernel> kernels(16, Kernel().exit());
  kernels[0] = kernel_with({linear_copy(ocm_base, buffer, 0)});
  kernels[0].li(t2, 14).dma(t0).post(t2, 9).wait(0, t1).send(west, t1).exit();
  kernels[15] = Kernel().li(t1, 14).recv(t0, east).post(t1, 9).exit();
  kernels[14] = Kernel().li(t1, 1).wait(9, t1).exit();
  const Finished run = run_kernels(machine, kernels);
  EXPECT_EQ(run.stalls(14, Stall::sem_wait_post), 14u);
  EXPECT_EQ(run.outcome.cycles, 20u);
}

TEST(DmaSync, WaitForAPush) {
  // PE 0: gp.dma in cycle 2, start 3, write issued in 7: bus in 7, port of PE 1 in 9; the release
  // on the bus in 8, at PE 1 in 10.
  dma::Descriptor d = linear_fill(0x1000, 8);
  d.release_own = {};
  d.multicast = true;
  d.rectangle = {1, 0, 1, 0};
  d.release_receivers = {12, 1};
  const Finished run = run_kernels(
      machine_of(1, 2), {kernel_with({d}).dma(t0).exit(), Kernel().li(t1, 1).wait(12, t1).exit()});
  EXPECT_EQ(run.stalls(1, Stall::sem_wait_push), 9u);
  EXPECT_EQ(run.outcome.cycles, 13u);
}

TEST(DmaSync, APushToOneselfIsOnesOwn) {
  dma::Descriptor d = linear_fill(0x1000, 8);
  d.multicast = d.include_self = true;
  d.release_receivers = {12, 1};
  const Finished run = run_kernel(machine_of(1, 1), kernel_with({d}).dma(t0).wait(12, t1).exit());
  EXPECT_EQ(run.stalls(0, Stall::sem_wait_dma), 5u) << "start 3, port in 7, released in 8";
  EXPECT_EQ(run.stalls(0, Stall::sem_wait_push), 0u);
}

TEST(DmaSync, TheQueueHoldsFourThatHaveNotStarted) {
  // Fills of 64 bytes; gp.dma in 1-6. The first starts in 2 and writes from 6 on; the second can
  // start in 7, which makes room for the sixth.
  Kernel kernel;
  put_descriptors(kernel, descriptors, {linear_fill(buffer, 64)}).li(t0, descriptors);
  for (u32 k = 0; k < 6; ++k) kernel.dma(t0);
  const Finished run = run_kernel(machine_of(1, 1), kernel.exit());
  EXPECT_EQ(run.stalls(0, Stall::dma_queue_full), 1u);
  EXPECT_EQ(run.outcome.dma[0].descriptors, 6u);
}

TEST(DmaSync, AChainTakesOnePlace) {
  std::vector<dma::Descriptor> chain(16, linear_fill(buffer, 64));
  for (u32 k = 0; k < 15; ++k) chain[k].next = descriptors + 128 * (k + 1);
  Machine machine = machine_of(1, 1);
  machine.dma.queue = 1;
  Kernel kernel = kernel_with(chain);
  const Finished run = run_kernel(machine, kernel.dma(t0).li(t1, 16).wait(0, t1).exit());
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::finished);
  EXPECT_EQ(run.outcome.dma[0].descriptors, 16u);
  EXPECT_EQ(run.stalls(0, Stall::dma_queue_full), 0u);
}

TEST(DmaSync, AChainGoesBeforeTheQueue) {
  // Fills of one word with 1, 2 (chained) and 3 (queued behind): the word ends up 3, and the PE,
  // which waits for two, has seen 1 and 2.
  std::vector<dma::Descriptor> list(3, linear_fill(buffer, 1, 4));
  for (u32 k = 0; k < 3; ++k) {
    list[k].extended = true;
    list[k].fill = {static_cast<u8>(k + 1)};
  }
  list[0].next = descriptors + 128;
  list[2].release_own = {1, 1};
  list[2].acquire = {8, 1};
  Kernel kernel = kernel_with(list);
  kernel.dma(t0).addi(t0, t0, 256).dma(t0).li(t1, 2).wait(0, t1).li(t2, buffer).lw(a0, t2);
  const Finished run = run_kernel(machine_of(1, 1), kernel.post(zero, 8).exit());
  EXPECT_EQ(run.exit_code(0), 2u);
  EXPECT_EQ(load_bytes(run.local(0, buffer, 4), 0, 4), 3u);
}

TEST(DmaSync, EnginesWaitForEachOther) {
  // Double buffering without a PE in between: the second transfer acquires what the first releases.
  dma::Descriptor load = linear_copy(ocm_base, buffer, 64);
  load.release_own = {3, 7};
  dma::Descriptor store = linear_copy(buffer, ocm_base + 128, 64);
  store.acquire = {3, 7};
  load.next = descriptors + 128;
  RunInput input;
  input.machine = machine_of(1, 1);
  input.memory = {{ocm_base, std::vector<u8>(64, 0xab)}};
  RunOptions options;
  options.check_races = true;
  input.program = program_of(kernel_with({load, store}).dma(t0).wait(0, t1).exit());
  const Finished run = run_input(std::move(input), options);
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::finished);
  EXPECT_EQ(run.shared(ocm_base + 128, 64), std::vector<u8>(64, 0xab));
  // The last burst of the first is issued (its write) 15 cycles after its first; the second heads
  // the engine from then on, and starts in the cycle of completion.
  EXPECT_EQ(run.dma(0, DmaBin::acquire_wait), 0u);
  EXPECT_EQ(run.dma(0, DmaBin::setup), 8u);
}

TEST(DmaSync, AnEngineAcquiresBeforeItsPe) {
  // One post, for which both the engine and the PE wait: the engine has it. The second post is for
  // the PE.
  dma::Descriptor d = linear_copy(ocm_base, buffer, 0);
  d.acquire = {8, 1};
  Kernel kernel = kernel_with({d});
  kernel.dma(t0).wait(8, t1).exit();
  const Finished run = run_kernels(
      machine_of(1, 2), {kernel, Kernel().nop(10).post(zero, 8).nop(20).post(zero, 8).exit()});
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::finished);
  // Posts in 10 and 31 arrive in 13 and 34; the wait is tried from 3 on.
  EXPECT_EQ(run.stalls(0, Stall::sem_wait_post), 31u);
  EXPECT_EQ(run.dma(0, DmaBin::acquire_wait), 10u);
}

TEST(DmaSync, BadDescriptorsTrapAtTheGpDma) {
  dma::Descriptor d = linear_copy(ocm_base, buffer, 64);
  d.destination += 0x7000;
  const Finished run = run_kernel(machine_of(1, 1), kernel_with({d}).dma(t0).exit());
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(run.outcome.trap->kind, TrapKind::bad_descriptor);
  EXPECT_EQ(run.outcome.trap->cycle, 2u);
  EXPECT_EQ(run.outcome.trap->pc, code_base + 8);
  EXPECT_EQ(run.outcome.trap->address, descriptors);
  EXPECT_THAT(run.outcome.trap->detail, HasSubstr("descriptor 0x10000000: destination"));
  const Finished unaligned =
      run_kernel(machine_of(1, 1), kernel_with({d}).addi(t0, t0, 4).dma(t0).exit());
  EXPECT_EQ(unaligned.outcome.trap->kind, TrapKind::bad_descriptor);
}

TEST(DmaSync, SemaphoresOverflowAtTheReceiver) {
  // 32,768 releases of 65,535 are 2^31 - 32,768; the next one passes 2^31 - 1.
  dma::Descriptor d = linear_copy(ocm_base, buffer, 0);
  d.release_own = {5, 65535};
  Kernel kernel = kernel_with({d});
  kernel.li(t2, 32768);
  const u32 top = kernel.here();
  kernel.dma(t0).addi(t2, t2, -1).branch(Op::BNE, t2, zero, top);
  const Finished fits = run_kernel(machine_of(1, 1), Kernel(kernel).exit());
  EXPECT_EQ(fits.outcome.kind, Outcome::Kind::finished);
  const Finished run = run_kernel(machine_of(1, 1), Kernel(kernel).dma(t0).exit());
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(run.outcome.trap->kind, TrapKind::semaphore_overflow);
  EXPECT_EQ(run.outcome.trap->pe, 0u);
  EXPECT_EQ(run.outcome.trap->pc, top + 12);
  EXPECT_EQ(run.outcome.trap->detail,
            "semaphore 5 of PE 0, by the descriptor at 0x10000000 of PE 0");
}

TEST(DmaSync, TheRunLastsUntilTheEnginesHaveDrained) {
  // gp.dma in 2, complete in 30; the PE ends in cycle 4.
  const Finished run =
      run_kernel(machine_of(1, 1), kernel_with({linear_copy(ocm_base, buffer, 64)}).dma(t0).exit());
  EXPECT_EQ(run.outcome.cycles, 30u);
  EXPECT_EQ(run.stalls(0, Stall::done), 25u);
}

TEST(DmaSync, ALimitInTheMiddleOfATransfer) {
  RunOptions options;
  options.cycle_limit = 20;
  const Finished run = run_kernel(
      machine_of(1, 1), kernel_with({linear_copy(ocm_base, buffer, 64)}).dma(t0).exit(), options);
  EXPECT_EQ(run.outcome.kind, Outcome::Kind::cycle_limit);
  EXPECT_EQ(run.dma(0, DmaBin::idle), 3u);
  EXPECT_EQ(run.dma(0, DmaBin::setup), 4u);
  EXPECT_EQ(run.dma(0, DmaBin::transfer), 13u);
  EXPECT_EQ(run.outcome.dma[0].bytes_read, 0u) << "arrives in 22";
}

}  // namespace
}  // namespace simfarm::test
