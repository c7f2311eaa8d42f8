// How runs end: exit, traps, the cycle limit; and what they leave.
#include "tests/support/run.h"

namespace simfarm::test {
namespace {

TEST(Traps, TheTrappingInstructionDoesNotCount) {
  // PE 1 traps in cycle 3. PE 0 would issue in cycle 3 too: that cycle does not count.
  const Finished run = run_kernels(
      machine_of(1, 2), {Kernel().nop(10).exit(), Kernel().nop(3).op(Op::EBREAK).exit()});
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  const Trap& trap = *run.outcome.trap;
  EXPECT_EQ(trap.kind, TrapKind::breakpoint);
  EXPECT_EQ(trap.cycle, 3u);
  EXPECT_EQ(trap.pe, 1u);
  EXPECT_EQ(trap.pc, code_base + 12);
  EXPECT_EQ(trap.instruction, 0x0010'0073u);
  EXPECT_EQ(run.outcome.cycles, 3u);
  EXPECT_EQ(run.issued(0), 3u);
  EXPECT_EQ(run.issued(1), 3u);
}

TEST(Traps, OfOneCycleTheSmallestPeWins) {
  // PEs 1, 2 and 3 trap in cycle 2, each in its own way; PE 0 only in cycle 3.
  const Finished run = run_kernels(
      machine_of(2, 2), {Kernel().nop(3).op(Op::EBREAK), Kernel().nop(2).lw(t0, zero),
                         Kernel().nop(2).word(0xffff'ffff), Kernel().nop(2).op(Op::EBREAK)});
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(run.outcome.trap->pe, 1u);
  EXPECT_EQ(run.outcome.trap->kind, TrapKind::load_fault);
}

TEST(Traps, InTheMiddleOfAStall) {
  // PE 0 issues a mulh in cycle 1 and stalls in cycles 2-5; PE 1 traps in cycle 4.
  Kernel multiplies, traps;
  multiplies.nop().op(Op::MULH, {.rd = t1, .rs1 = t0, .rs2 = t0}).exit();
  traps.nop(4).op(Op::EBREAK);
  const Finished run = run_kernels(machine_of(1, 2), {multiplies, traps});
  EXPECT_EQ(run.outcome.cycles, 4u);
  EXPECT_EQ(run.issued(0), 2u);
  EXPECT_EQ(run.stalls(0, Stall::exec_busy), 2u);
}

TEST(Traps, ExitAndConsoleOfTheTrapsCycleDoNotCount) {
  // PE 0 ends in the cycle in which PE 1 traps.
  const Finished run =
      run_kernels(machine_of(1, 2), {Kernel().exit(), Kernel().nop().op(Op::EBREAK)});
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(run.outcome.cycles, 1u);
  EXPECT_FALSE(run.outcome.pes[0].exit_code.has_value());
}

TEST(Traps, EachKindOfMemoryFault) {
  const auto trap_of = [](const Kernel& kernel) {
    const Finished run = run_kernel(machine_of(1, 1), kernel);
    EXPECT_EQ(run.outcome.kind, Outcome::Kind::trap);
    return run.outcome.trap.value_or(Trap{});
  };
  const u32 end = local_base + (32u << 10);
  EXPECT_EQ(trap_of(Kernel().li(t0, end).lw(t1, t0, -3)).kind, TrapKind::load_fault);
  EXPECT_EQ(trap_of(Kernel().li(t0, end).sw(t1, t0)).kind, TrapKind::store_fault);
  EXPECT_EQ(trap_of(Kernel().li(t0, ocm_base).sw(t1, t0)).kind, TrapKind::store_fault);
  EXPECT_EQ(trap_of(Kernel().li(t0, code_base).sw(t1, t0)).kind, TrapKind::store_to_instructions);
  EXPECT_EQ(trap_of(Kernel().li(t0, code_base).lw(t1, t0)).kind, TrapKind::load_fault);
  EXPECT_EQ(
      trap_of(Kernel().li(t0, local_base + 4).op(Op::GP_LD2, {.rd = t1, .rs1 = t0, .rs2 = t2}))
          .kind,
      TrapKind::misaligned_wide);
  const Trap ran_off = trap_of(Kernel().nop(2));
  EXPECT_EQ(ran_off.kind, TrapKind::fetch_fault);
  EXPECT_EQ(ran_off.pc, code_base + 8);
  EXPECT_EQ(ran_off.address, code_base + 8);
  const Trap call = trap_of(Kernel().li(a7, 1).op(Op::ECALL));
  EXPECT_EQ(call.kind, TrapKind::unknown_ecall);
  EXPECT_EQ(trap_of(Kernel().li(t0, end).lw(t1, t0)).address, end);
}

TEST(CycleLimit, NoCycleBeyondIt) {
  Kernel forever;
  forever.jump(forever.here());
  RunOptions options;
  options.cycle_limit = 1000;
  const Finished run = run_kernel(machine_of(1, 2), forever, options);
  EXPECT_EQ(run.outcome.kind, Outcome::Kind::cycle_limit);
  EXPECT_EQ(run.outcome.cycles, 1000u);
  // A jump is two cycles.
  EXPECT_EQ(run.issued(0), 500u);
  EXPECT_EQ(run.stalls(0, Stall::branch), 500u);
}

TEST(CycleLimit, ARunOfExactlyItsLengthFinishes) {
  RunOptions options;
  options.cycle_limit = 12;
  EXPECT_EQ(run_kernel(machine_of(1, 1), Kernel().nop(10).exit(), options).outcome.kind,
            Outcome::Kind::finished);
  options.cycle_limit = 11;
  const Finished cut = run_kernel(machine_of(1, 1), Kernel().nop(10).exit(), options);
  EXPECT_EQ(cut.outcome.kind, Outcome::Kind::cycle_limit);
  EXPECT_EQ(cut.outcome.cycles, 11u);
}

TEST(CycleLimit, AnEndlessWaitIsChargedToNobody) {
  // PE 0 waits for a post that PE 1 never sends.
  Kernel forever;
  forever.jump(forever.here());
  RunOptions options;
  options.cycle_limit = 100;
  const Finished run =
      run_kernels(machine_of(1, 2), {Kernel().li(t0, 1).wait(8, t0).exit(), forever}, options);
  EXPECT_EQ(run.stalls(0, Stall::sem_wait_none), 99u);
}

TEST(Console, InOrderOfCycleAndPe) {
  const std::vector<u8> text = {'h', 'e', 'l', 'l', 'o'};
  const auto says = [&](u32 nops) {
    Kernel kernel;
    kernel.data(local_base, text).li(a1, local_base).li(a2, 5).li(a7, 64).nop(nops);
    return kernel.op(Op::ECALL).exit();
  };
  const Finished run = run_kernels(machine_of(1, 3), {says(1), says(0), says(1)});
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::finished);
  ASSERT_EQ(run.outcome.console.size(), 3u);
  EXPECT_EQ(run.outcome.console[0].pe, 1u);
  EXPECT_EQ(run.outcome.console[0].text, "hello");
  EXPECT_EQ(run.outcome.console[1].pe, 0u);
  EXPECT_EQ(run.outcome.console[2].pe, 2u);
  EXPECT_EQ(run.exit_code(0), 5u) << "a0 holds the number of bytes";

  RunOptions silent;
  silent.console = false;
  const Finished closed = run_kernels(machine_of(1, 3), {says(1), says(0), says(1)}, silent);
  EXPECT_TRUE(closed.outcome.console.empty());
  EXPECT_EQ(closed.outcome.cycles, run.outcome.cycles);

  RunOptions limited;
  limited.console_limit = 9;
  const Finished over = run_kernels(machine_of(1, 3), {says(1), says(0), says(1)}, limited);
  ASSERT_EQ(over.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(over.outcome.trap->kind, TrapKind::output_limit);
  EXPECT_EQ(over.outcome.trap->pe, 0u);
  EXPECT_EQ(over.outcome.console.size(), 1u);
}

TEST(Console, WritingWithoutEndIsCutOffSoon) {
  Kernel kernel;
  kernel.li(a1, local_base).li(a7, 64);
  const u32 top = kernel.here();
  kernel.li(a2, 1).op(Op::ECALL).jump(top);
  RunOptions options;
  options.cycle_limit = 1'000'000'000;  // a host has no room for what could be written in them
  options.console_limit = 6'000;
  const Finished run = run_kernels(machine_of(1, 2), {kernel, Kernel().exit()}, options);
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(run.outcome.trap->kind, TrapKind::output_limit);
  EXPECT_LT(run.outcome.cycles, 300'000u);
}

TEST(Posts, WithoutEndAreAnsweredAsTheyCome) {
  // To itself, and to one that is behind and ends late.
  Kernel posts, late;
  posts.li(t0, 1);
  const u32 top = posts.here();
  posts.post(t0, 8).post(zero, 9).jump(top);
  late.li(t0, 50'000);
  const u32 loop = late.here();
  late.addi(t0, t0, -1).branch(Op::BNE, t0, zero, loop).exit();
  RunOptions options;
  options.cycle_limit = 400'000;
  const Finished run = run_kernels(machine_of(1, 2), {posts, late}, options);
  EXPECT_EQ(run.outcome.kind, Outcome::Kind::cycle_limit);
  EXPECT_GT(run.issued(0), 200'000u);
}

TEST(Posts, OfGeneratedCodeTrapWhereThereIsNoPe) {
  // All 16 PEs post to 0, 1, 2, ..., in lockstep: generated code has posted some times before.
  Kernel kernel;
  kernel.li(t0, 0);
  const u32 top = kernel.here();
  kernel.post(t0, 9).addi(t0, t0, 1).jump(top);
  const Finished run = run_kernel(machine_of(2, 8), kernel);
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(run.outcome.trap->kind, TrapKind::bad_target);
  EXPECT_EQ(run.outcome.trap->address, 16u);
}

TEST(Console, AWrongRangeIsALoadFault) {
  Kernel kernel;
  kernel.li(a1, local_base + (32u << 10) - 4).li(a2, 5).li(a7, 64).op(Op::ECALL).exit();
  const Finished run = run_kernel(machine_of(1, 1), kernel);
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(run.outcome.trap->kind, TrapKind::load_fault);
}

}  // namespace
}  // namespace simfarm::test
