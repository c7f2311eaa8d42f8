// A test for each stall bin of a PE by itself: a program in which nothing else stalls, and the
// cycles worked out by hand.
#include "tests/support/run.h"

namespace simfarm::test {
namespace {

Finished alone(const Kernel& kernel, const RunOptions& options = {}) {
  return run_kernel(machine_of(1, 1), kernel, options);
}

/// The bin holds `cycles`, the other bins nothing, and issue makes up the rest.
void expect_only(const Finished& run, Stall bin, u64 cycles, u64 instructions) {
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::finished);
  EXPECT_EQ(run.outcome.cycles, cycles + instructions);
  EXPECT_EQ(run.issued(0), instructions);
  for (u32 k = 0; k < stall_count; ++k)
    EXPECT_EQ(run.outcome.pes[0].total.stalls[k], k == static_cast<u32>(bin) ? cycles : 0)
        << name(static_cast<Stall>(k));
}

TEST(PeBins, NothingStalls) {
  const Finished run = alone(Kernel().nop(10).exit(7));
  expect_only(run, Stall::done, 0, 13);
  EXPECT_EQ(run.exit_code(0), 7u);
}

TEST(PeBins, LoadUse) {
  Kernel kernel;
  kernel.li(t0, local_base).lw(t1, t0).add(t2, t1, t1).lw(t1, t0).nop().add(t2, t1, t1).exit();
  expect_only(alone(kernel), Stall::load_use, 1, 8);
}

TEST(PeBins, DrainBeforeSynchronising) {
  // The wait does not depend on the load, and pays all the same.
  Kernel kernel;
  kernel.li(t0, local_base).li(t1, 0).lw(t2, t0).post(t1, 8).exit();
  expect_only(alone(kernel), Stall::load_use, 1, 6);
}

TEST(PeBins, ExecBusy) {
  Kernel kernel;
  kernel.li(t0, 3).op(Op::MULH, {.rd = t1, .rs1 = t0, .rs2 = t0}).exit();
  expect_only(alone(kernel), Stall::exec_busy, 4, 4);
}

TEST(PeBins, Branch) {
  Kernel kernel;
  kernel.branch(Op::BEQ, zero, zero, kernel.here() + 8).nop().exit();
  expect_only(alone(kernel), Stall::branch, 2, 3);
}

TEST(PeBins, JumpDependence) {
  Kernel kernel;
  kernel.op(Op::AUIPC, {.rd = t0}).addi(t0, t0, 12);
  kernel.op(Op::JALR, {.rs1 = t0}).exit();
  const Finished run = alone(kernel);
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::finished);
  EXPECT_EQ(run.stalls(0, Stall::jump_dep), 1u);
  EXPECT_EQ(run.stalls(0, Stall::branch), 1u);
  EXPECT_EQ(run.outcome.cycles, 5u + 2u);
}

TEST(PeBins, Misaligned) {
  Kernel kernel;
  kernel.li(t0, local_base).lw(t1, t0, 2).nop().exit();
  expect_only(alone(kernel), Stall::misaligned, 1, 5);
}

TEST(PeBins, Csr) {
  Kernel kernel;
  kernel.op(Op::CSRRS, {.rd = t0, .imm = 0xb00}).exit();
  expect_only(alone(kernel), Stall::csr, 3, 3);
}

TEST(PeBins, Fence) {
  Kernel kernel;
  kernel.op(Op::FENCE, {.imm = 0xff}).exit();
  expect_only(alone(kernel), Stall::fence, 3, 3);
}

TEST(PeBins, Done) {
  // PE 0 ends in cycle 1, PE 1 in cycle 11: ten cycles after its end.
  const Finished run = run_kernels(machine_of(1, 2), {Kernel().exit(), Kernel().nop(10).exit()});
  EXPECT_EQ(run.outcome.cycles, 12u);
  EXPECT_EQ(run.stalls(0, Stall::done), 10u);
  EXPECT_EQ(run.stalls(1, Stall::done), 0u);
}

TEST(PeBins, RegionsBeginAfterTheirWrite) {
  // Region 0: li, csrw. Region 3: lw, add with its load_use, csrw. Region 0 again: exit.
  Kernel kernel;
  kernel.li(t0, local_base).region(3).lw(t1, t0).add(t1, t1, t1).region(0).exit();
  const Finished run = alone(kernel);
  const auto& regions = run.outcome.pes[0].regions;
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions.at(0).instructions(), 4u);
  EXPECT_EQ(regions.at(0).cycles(), 4u);
  EXPECT_EQ(regions.at(3).instructions(), 3u);
  EXPECT_EQ(regions.at(3).stalls[static_cast<u32>(Stall::load_use)], 1u);
  EXPECT_EQ(regions.at(0).cycles() + regions.at(3).cycles(), run.outcome.cycles);
}

}  // namespace
}  // namespace simfarm::test
