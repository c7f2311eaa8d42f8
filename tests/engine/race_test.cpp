// Races that are found, with both parties named, and neighbours of them that are none.
#include <gmock/gmock.h>

#include "tests/support/run.h"
#include "tests/support/transfers.h"

namespace simfarm::test::races {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr u32 descriptors = local_base;
constexpr u32 buffer = local_base + 0x1000;
constexpr u32 other = local_base + 0x2000;

Finished checked(const Machine& machine, const std::vector<Kernel>& kernels) {
  RunOptions options;
  options.check_races = true;
  return run_kernels(machine, kernels, options);
}

/// One PE that has queued `d` (gp.dma in cycle 4, pc code_base + 16) and goes on: t0 descriptor, t1
/// = 1, t2 buffer, s0 other. Addresses of 32 bits whose low 12 bits are zero take one instruction.
Kernel queued(const dma::Descriptor& d) {
  Kernel kernel;
  put_descriptors(kernel, descriptors, {d});
  return kernel.li(t0, descriptors).li(t1, 1).li(t2, buffer).li(s0, other).dma(t0);
}

void expect_race(const Finished& run, Cycle cycle, PeId pe, u32 pc, u32 address,
                 const std::string& text) {
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  const Trap& trap = *run.outcome.trap;
  EXPECT_EQ(trap.kind, TrapKind::race);
  EXPECT_EQ(trap.cycle, cycle);
  EXPECT_EQ(trap.pe, pe);
  EXPECT_EQ(trap.pc, pc);
  EXPECT_EQ(trap.address, address);
  EXPECT_EQ(trap.detail, text);
  EXPECT_EQ(run.outcome.cycles, cycle);
}

void expect_none(const Finished& run) {
  EXPECT_EQ(run.outcome.kind, Outcome::Kind::finished)
      << (run.outcome.trap ? run.outcome.trap->detail : "");
}

TEST(Races, ALoadOfADestination) {
  const dma::Descriptor d = linear_copy(ocm_base, buffer, 64);
  expect_race(checked(machine_of(1, 1), {queued(d).lw(t3, t2, 60).exit()}), 5, 0, code_base + 20,
              buffer + 60,
              "load of 0x1000103c, which the descriptor at 0x10000000 of PE 0 (gp.dma at pc "
              "0x00400010 in cycle 4) writes and no gp.wait has acquired");
  expect_none(checked(machine_of(1, 1), {queued(d).lw(t3, t2, 64).lw(t3, t2, -4).exit()}));
  expect_none(checked(machine_of(1, 1), {queued(d).wait(0, t1).lw(t3, t2).exit()}));
}

TEST(Races, AStoreToADestination) {
  const dma::Descriptor d = linear_copy(ocm_base, buffer, 63);
  const Finished run = checked(machine_of(1, 1), {queued(d).sw(t3, t2, 60).exit()});
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  EXPECT_THAT(run.outcome.trap->detail, HasSubstr("store of 0x1000103c"));
  expect_none(checked(machine_of(1, 1), {queued(d).op(Op::SB, {.rs1 = t2, .imm = 63}).exit()}));
}

TEST(Races, AWaitOnAnotherSemaphoreAcquiresNothing) {
  // Both transfers are complete; only the first one's semaphore has been waited for.
  dma::Descriptor first = linear_copy(ocm_base, buffer, 64);
  dma::Descriptor second = linear_copy(ocm_base, other, 64);
  second.release_own = {1, 1};
  Kernel kernel;
  put_descriptors(kernel, descriptors, {first, second});
  kernel.li(t0, descriptors).li(t1, 1).li(t2, buffer).li(s0, other).dma(t0).addi(t0, t0, 128);
  kernel.dma(t0).wait(0, t1).nop(100).lw(t3, t2).lw(t3, s0).exit();
  const Finished run = checked(machine_of(1, 1), {kernel});
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(run.outcome.trap->address, other);
}

TEST(Races, StridesLeaveTheGapsFree) {
  dma::Descriptor d = linear_copy(ocm_base, buffer, 8);
  d.destination_strides[0] = 4;
  Kernel gaps = queued(d);
  for (i32 k = 1; k < 4; ++k) gaps.op(Op::LBU, {.rd = t3, .rs1 = t2, .imm = k});
  expect_none(checked(machine_of(1, 1), {gaps.exit()}));
  Kernel element = queued(d);
  element.op(Op::LBU, {.rd = t3, .rs1 = t2, .imm = 4}).exit();
  EXPECT_EQ(checked(machine_of(1, 1), {element}).outcome.kind, Outcome::Kind::trap);
}

TEST(Races, AStoreToASource) {
  const dma::Descriptor d = linear_copy(buffer, ocm_base, 64);
  const Finished run = checked(machine_of(1, 1), {queued(d).sw(t3, t2).exit()});
  expect_race(run, 5, 0, code_base + 20, buffer,
              "store of 0x10001000, which the descriptor at 0x10000000 of PE 0 (gp.dma at pc "
              "0x00400010 in cycle 4) reads and no gp.wait has acquired");
  expect_none(checked(machine_of(1, 1), {queued(d).lw(t3, t2).exit()}));
  expect_none(checked(machine_of(1, 1), {queued(d).wait(0, t1).sw(t3, t2).exit()}));
  // The descriptor itself is frozen.
  expect_none(checked(machine_of(1, 1), {queued(d).sw(t3, t0).exit()}));
}

TEST(Races, ASourceIsFreeOnlyWhenItsOwnTransferIsComplete) {
  // Both transfers release semaphore 0; the one that reads the buffer is not complete when the wait
  // for the other one issues.
  Kernel kernel;
  put_descriptors(kernel, descriptors, {linear_fill(other, 8), linear_copy(buffer, ocm_base, 64)});
  kernel.li(t0, descriptors).li(t1, 1).li(t2, buffer).dma(t0).addi(t0, t0, 128).dma(t0);
  kernel.wait(0, t1);
  EXPECT_EQ(checked(machine_of(1, 1), {Kernel(kernel).sw(t3, t2).exit()}).outcome.kind,
            Outcome::Kind::trap);
  expect_none(checked(machine_of(1, 1), {Kernel(kernel).wait(0, t1).sw(t3, t2).exit()}));
}

TEST(Races, ASourceWithoutAReleaseIsProtectedToTheEnd) {
  dma::Descriptor d = linear_copy(buffer, ocm_base, 64);
  d.release_own = {};
  EXPECT_EQ(checked(machine_of(1, 1), {queued(d).nop(200).sw(t3, t2).exit()}).outcome.kind,
            Outcome::Kind::trap);
}

TEST(Races, APushFromItsStartToTheAcquire) {
  dma::Descriptor d = linear_copy(ocm_base, 0x1000, 64);
  d.multicast = true;
  d.rectangle = {1, 0, 1, 0};
  d.release_receivers = {8, 1};
  // Queued in cycle 4, starts in cycle 5. PE 1 loads in cycle 4, or in cycle 5.
  const auto receiver = [&](u32 nops) {
    return Kernel().li(t2, buffer).li(t1, 1).nop(nops).lw(t3, t2).exit();
  };
  expect_none(checked(machine_of(1, 2), {queued(d).exit(), receiver(2)}));
  const Finished run = checked(machine_of(1, 2), {queued(d).exit(), receiver(3)});
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(run.outcome.trap->pe, 1u);
  EXPECT_EQ(run.outcome.trap->cycle, 5u);
  EXPECT_THAT(run.outcome.trap->detail, HasSubstr("of PE 0"));
  Kernel waits;
  waits.li(t2, buffer).li(t1, 1).wait(8, t1).lw(t3, t2).exit();
  expect_none(checked(machine_of(1, 2), {queued(d).exit(), waits}));
}

TEST(Races, TwoTransfersInSharedMemory) {
  // PE 0 writes OCM, starting in cycle 5; PE 1, one cycle later, reads a byte of it, or the next.
  const dma::Descriptor writes = linear_copy(buffer, ocm_base, 64);
  const auto reads = [&](u32 offset) {
    Kernel kernel;
    put_descriptors(kernel, descriptors, {linear_copy(ocm_base + offset, buffer, 1)});
    return kernel.li(t0, descriptors).nop(4).dma(t0).exit();
  };
  expect_race(checked(machine_of(1, 2), {queued(writes).exit(), reads(63)}), 6, 1, code_base + 20,
              ocm_base + 63,
              "the descriptor at 0x10000000 of PE 1 (gp.dma at pc 0x00400014 in cycle 5) reads "
              "0x4000003f, which the descriptor at 0x10000000 of PE 0 (gp.dma at pc 0x00400010 in "
              "cycle 4) writes and is not complete");
  expect_none(checked(machine_of(1, 2), {queued(writes).exit(), reads(64)}));
}

TEST(Races, ReadersDoNotConflictAndAddersOfOneTypeDoNot) {
  const auto run = [&](dma::Operation operation, dma::Operation operation_of_1, bool share_source) {
    dma::Descriptor d = linear_copy(ocm_base, dram_base, 16, 4);
    d.operation = operation;
    dma::Descriptor e = d;
    e.operation = operation_of_1;
    if (!share_source) e.source += 4096;
    return checked(machine_of(1, 2), {queued(d).exit(), queued(e).exit()});
  };
  using dma::Operation;
  expect_none(run(Operation::add_i32, Operation::add_i32, true));
  EXPECT_EQ(run(Operation::copy, Operation::add_i32, false).outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(run(Operation::copy, Operation::copy, false).outcome.kind, Outcome::Kind::trap);
}

TEST(Races, OneEngineAgainstItself) {
  // The second transfer reads what the first one writes, and starts before that is complete.
  const dma::Descriptor first = linear_copy(ocm_base, buffer, 64);
  const dma::Descriptor second = linear_copy(buffer, ocm_base + 4096, 64);
  Kernel kernel;
  put_descriptors(kernel, descriptors, {first, second});
  kernel.li(t0, descriptors).li(t1, 1).dma(t0).addi(t0, t0, 128);
  const Finished run = checked(machine_of(1, 1), {Kernel(kernel).dma(t0).exit()});
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(run.outcome.trap->address, buffer);
  expect_none(checked(machine_of(1, 1), {Kernel(kernel).wait(0, t1).dma(t0).exit()}));
}

TEST(Races, AReceiverMayForwardWhileOthersStillReceive) {
  // PE 1 has its bytes before PE 3, one row and column further; it sends them on at once.
  dma::Descriptor push = linear_fill(0, 512);
  push.destination = 0x1000;
  push.multicast = true;
  push.rectangle = {0, 0, 1, 1};
  push.release_receivers = {8, 1};
  const dma::Descriptor forward = linear_copy(buffer, ocm_base + 4096, 512);
  std::vector<Kernel> kernels = {queued(push).exit(), queued(forward).exit(), Kernel().exit(),
                                 Kernel().exit()};
  Kernel receiver;
  put_descriptors(receiver, descriptors, {forward});
  kernels[1] = receiver.li(t0, descriptors).li(t1, 1).wait(8, t1).dma(t0).exit();
  expect_none(checked(machine_of(2, 2), kernels));
}

TEST(Races, AGpDmaThatReadsAnUnacquiredDescriptor) {
  // The first transfer brings the second one's descriptor.
  dma::Descriptor brings = linear_copy(ocm_base, descriptors + 128, 64);
  const dma::Descriptor brought = linear_copy(ocm_base + 4096, buffer, 64);
  const auto run = [&](bool waits) {
    RunInput input;
    input.machine = machine_of(1, 1);
    input.memory = {{ocm_base, dma::encode(brought, input.machine.map)}};
    Kernel kernel;
    put_descriptors(kernel, descriptors, {brings, brought});
    kernel.li(t0, descriptors).li(t1, 1).dma(t0).addi(t0, t0, 128);
    if (waits) kernel.wait(0, t1);
    input.program = program_of(kernel.dma(t0).exit());
    RunOptions options;
    options.check_races = true;
    return run_input(std::move(input), options);
  };
  expect_none(run(true));
  const Finished racy = run(false);
  ASSERT_EQ(racy.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(racy.outcome.trap->kind, TrapKind::race);
  EXPECT_EQ(racy.outcome.trap->address, descriptors + 128);
}

TEST(Races, TheConsoleReadsMemoryToo) {
  Kernel kernel = queued(linear_copy(ocm_base, buffer, 64));
  kernel.addi(a1, t2, 60).li(a2, 8).li(a7, 64).op(Op::ECALL).exit();
  const Finished run = checked(machine_of(1, 1), {kernel});
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(run.outcome.trap->address, buffer + 60);
}

TEST(Races, UncheckedARacyProgramHasOneResult) {
  Kernel kernel = queued(linear_copy(ocm_base, buffer, 64));
  kernel.lw(a0, t2).exit();
  const Finished run = run_kernel(machine_of(1, 1), kernel);
  EXPECT_EQ(run.outcome.kind, Outcome::Kind::finished);
  EXPECT_EQ(run.exit_code(0), 0u) << "the PE's view is what it was";
}

}  // namespace
}  // namespace simfarm::test::races
