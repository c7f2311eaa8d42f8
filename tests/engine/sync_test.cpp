// Links, posts, semaphores and barriers: cycles worked out by hand from docs/machine.md, section 3.
#include "tests/support/run.h"

namespace simfarm::test {
namespace {

TEST(Links, AWordArrivesTwoCyclesLater) {
  // PE 0 sends in cycle 1; PE 1 asks in cycle 0, and receives in cycle 3.
  const Finished run = run_kernels(machine_of(1, 2), {Kernel().li(t0, 42).send(east, t0).exit(),
                                                      Kernel().recv(a0, west).exit()});
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::finished);
  EXPECT_EQ(run.exit_code(1), 42u);
  EXPECT_EQ(run.stalls(1, Stall::link_empty), 3u);
  EXPECT_EQ(run.outcome.cycles, 6u);
}

TEST(Links, TheFifthWordWaitsForACredit) {
  // Sends in cycles 0-3; PE 1 receives its first word in cycle 10, the credit is back in 12.
  Kernel sender, receiver;
  for (u32 k = 0; k < 5; ++k) sender.send(east, zero);
  receiver.nop(10);
  for (u32 k = 0; k < 5; ++k) receiver.recv(t0, west);
  const Finished run = run_kernels(machine_of(1, 2), {sender.exit(), receiver.exit()});
  EXPECT_EQ(run.stalls(0, Stall::link_full), 8u);
  // Words 2-4 are received in cycles 11-13; the fifth, sent in cycle 12, arrives in cycle 14.
  EXPECT_EQ(run.stalls(1, Stall::link_empty), 0u);
  EXPECT_EQ(run.outcome.cycles, 17u);
}

TEST(Links, AWordACycle) {
  // The round trip of a credit is 4 cycles and the depth is 4: neither side waits once it runs.
  Kernel sender, receiver;
  for (u32 k = 0; k < 20; ++k) sender.send(south, t0), receiver.recv(t0, north);
  const Finished run = run_kernels(machine_of(2, 1), {sender.exit(), receiver.exit()});
  EXPECT_EQ(run.stalls(0, Stall::link_full), 0u);
  EXPECT_EQ(run.stalls(1, Stall::link_empty), 2u);
}

TEST(Links, DirectionsMeet) {
  // PE 4 of 3 x 3 sends to all sides; each neighbour looks back.
  std::vector<Kernel> kernels(9);
  for (i32 side : {north, east, south, west}) kernels[4].li(t0, 100 + side).send(side, t0);
  kernels[1].recv(a0, south);
  kernels[5].recv(a0, west);
  kernels[7].recv(a0, north);
  kernels[3].recv(a0, east);
  for (Kernel& kernel : kernels) kernel.exit();
  const Finished run = run_kernels(machine_of(3, 3), kernels);
  EXPECT_EQ(run.exit_code(1), 100u);
  EXPECT_EQ(run.exit_code(5), 101u);
  EXPECT_EQ(run.exit_code(7), 102u);
  EXPECT_EQ(run.exit_code(3), 103u);
}

TEST(Links, EdgeTrapsAndTorusWraps) {
  Machine machine = machine_of(1, 3);
  const std::vector<Kernel> kernels = {Kernel().li(t0, 5).send(west, t0).exit(), Kernel().exit(),
                                       Kernel().recv(a0, east).exit()};
  const Finished flat = run_kernels(machine, kernels);
  ASSERT_EQ(flat.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(flat.outcome.trap->kind, TrapKind::edge_link);
  EXPECT_EQ(flat.outcome.trap->pe, 2u);
  EXPECT_EQ(flat.outcome.trap->cycle, 0u);
  machine.torus_columns = true;
  EXPECT_EQ(run_kernels(machine, kernels).exit_code(2), 5u);
}

/// Two host threads, half of the rows each, and a word from one to the other every few
/// instructions: by chance they go on in turn, which must not show.
TEST(Links, ThreadsThatAreCoupledComeToTheSame) {
  constexpr u32 rows = 32, words = 3000;
  std::vector<Kernel> kernels(rows);
  for (u32 row = 0; row < rows; ++row) {
    Kernel& kernel = kernels[row];
    kernel.li(t0, words).li(a0, 0).li(t1, row);
    const u32 top = kernel.here();
    if (row > 0) kernel.recv(t1, north);
    if (row + 1 < rows) kernel.send(south, t1);
    kernel.op(Op::ADD, {.rd = a0, .rs1 = a0, .rs2 = t1}).addi(t1, t1, 3).addi(t0, t0, -1);
    kernel.branch(Op::BNE, t0, zero, top).exit();
  }
  const Finished run = run_kernels(machine_of(rows, 1), kernels);
  EXPECT_EQ(run.exit_code(rows - 1), 3u * (words - 1) * words / 2);
}

TEST(Links, APeOfATorusOfOneIsItsOwnNeighbour) {
  Machine machine = machine_of(1, 1);
  machine.torus_rows = true;
  const Finished run =
      run_kernel(machine, Kernel().li(t0, 9).send(north, t0).recv(a0, south).exit());
  EXPECT_EQ(run.exit_code(0), 9u);
  EXPECT_EQ(run.stalls(0, Stall::link_empty), 1u);
}

TEST(Posts, ArriveAfterTwoAndTheDistance) {
  // 2 x 3: PE 0 posts in cycle 1 to PE 5, at distance 1 + 2: arrives in cycle 6.
  std::vector<Kernel> kernels(6);
  kernels[0].li(t0, 5).post(t0, 9);
  kernels[5].li(t0, 1).wait(9, t0);
  for (Kernel& kernel : kernels) kernel.exit();
  const Finished run = run_kernels(machine_of(2, 3), kernels);
  EXPECT_EQ(run.stalls(5, Stall::sem_wait_post), 5u);
  EXPECT_EQ(run.outcome.cycles, 9u);
}

TEST(Posts, TheRunLastsUntilTheyArrive) {
  // Posted in cycle 1, arrives in cycle 1 + 2 + 7; everyone has ended long before.
  std::vector<Kernel> kernels(8);
  kernels[0].li(t0, 7).post(t0, 8);
  for (Kernel& kernel : kernels) kernel.exit();
  EXPECT_EQ(run_kernels(machine_of(1, 8), kernels).outcome.cycles, 10u);
}

TEST(Posts, AWaitSubtractsWhatItAskedFor) {
  Kernel kernel;
  kernel.li(t0, 2).li(t1, 1);
  for (u32 k = 0; k < 3; ++k) kernel.post(zero, 15);  // cycles 2, 3, 4: arrive in 4, 5, 6
  kernel.wait(15, t0);                                // cycle 5: 2 are there
  kernel.wait(15, t1);                                // cycle 6: 1 is there
  const Finished run = run_kernel(machine_of(1, 1), kernel.exit());
  EXPECT_EQ(run.outcome.cycles, 9u);
  EXPECT_EQ(run.stalls(0, Stall::sem_wait_post), 0u);
}

TEST(Posts, BadTargetsAndAmounts) {
  const Finished target = run_kernel(machine_of(1, 2), Kernel().li(t0, 2).post(t0, 8).exit());
  ASSERT_EQ(target.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(target.outcome.trap->kind, TrapKind::bad_target);
  EXPECT_EQ(target.outcome.trap->address, 2u);
  for (u32 amount : {0u, 65536u}) {
    const Finished run = run_kernel(machine_of(1, 1), Kernel().li(t0, amount).wait(3, t0).exit());
    ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
    EXPECT_EQ(run.outcome.trap->kind, TrapKind::bad_semaphore);
  }
}

TEST(Barriers, CompleteAfterTheLastArrival) {
  // 2 x 3. PE k arrives in cycle k; all: 5 + 4 + 5 = 14.
  std::vector<Kernel> kernels(6);
  for (u32 k = 0; k < 6; ++k) kernels[k].nop(k).bar(0).exit();
  const Finished run = run_kernels(machine_of(2, 3), kernels);
  for (u32 k = 0; k < 6; ++k) EXPECT_EQ(run.stalls(k, Stall::barrier), 14u - k);
  EXPECT_EQ(run.outcome.cycles, 17u);
}

TEST(Barriers, RowsAndColumnsAreApart) {
  // Row 1 (PEs 3-5) is 10 cycles later than row 0: rows complete at 4 + 3 and at 10 + 4 + 3; then
  // every column is complete at 18 (its last arrival) + 4 + 2.
  std::vector<Kernel> kernels(6);
  for (u32 k = 0; k < 6; ++k) kernels[k].nop(k < 3 ? 0 : 10).bar(1).bar(2).exit();
  const Finished run = run_kernels(machine_of(2, 3), kernels);
  for (u32 k = 0; k < 3; ++k) EXPECT_EQ(run.stalls(k, Stall::barrier), 7u + 16u);
  for (u32 k = 3; k < 6; ++k) EXPECT_EQ(run.stalls(k, Stall::barrier), 7u + 6u);
  EXPECT_EQ(run.outcome.cycles, 27u);
}

TEST(Barriers, EndedPesAreNotWaitedFor) {
  // PE 2 ends in cycle 6 and was the last one missing: 6 + 4 + 4.
  const Finished run =
      run_kernels(machine_of(1, 3),
                  {Kernel().bar(0).exit(), Kernel().nop(2).bar(0).exit(), Kernel().nop(5).exit()});
  EXPECT_EQ(run.stalls(0, Stall::barrier), 14u);
  EXPECT_EQ(run.stalls(1, Stall::barrier), 12u);
}

TEST(Barriers, FollowOneAnother) {
  Kernel kernel;
  for (u32 k = 0; k < 3; ++k) kernel.bar(0);
  const Finished run = run_kernel(machine_of(2, 2), kernel.exit());
  // Each 4 + 4 after the one before; the next arrival is one cycle after completion.
  EXPECT_EQ(run.outcome.cycles, 8u + 9u + 9u + 1u + 2u);
  EXPECT_EQ(run.stalls(3, Stall::barrier), 24u);
}

}  // namespace
}  // namespace simfarm::test
