// Hardware loops: what runs, and every restriction that is reported. Iteration counts are those of
// the core's RTL.
#include "pe/csr.h"
#include "tests/pe/core.h"

namespace simfarm::reference::hardware_loop {
namespace {

constexpr u8 t0 = 5, a0 = 10, a1 = 11, a2 = 12, a3 = 13, a4 = 14;

Operation setupi(u8 loop, i32 count, u8 words) {
  return {.op = Op::CV_SETUPI, .rd = loop, .imm2 = words, .imm = count};
}
Operation setup(u8 loop, u8 rs1, i32 words) {
  return {.op = Op::CV_SETUP, .rd = loop, .rs1 = rs1, .imm = words};
}
Operation starti(u8 loop, i32 words) { return {.op = Op::CV_STARTI, .rd = loop, .imm = words}; }
Operation endi(u8 loop, i32 words) { return {.op = Op::CV_ENDI, .rd = loop, .imm = words}; }
Operation counti(u8 loop, i32 count) { return {.op = Op::CV_COUNTI, .rd = loop, .imm = count}; }
Operation increment(u8 rd) { return addi(rd, rd, 1); }
Operation read(u8 rd, u32 number) {
  return {.op = Op::CSRRS, .rd = rd, .imm = static_cast<i32>(number)};
}

/// Runs the program and gives what each of a0.. holds.
std::vector<u32> results(const std::vector<Operation>& program, u32 count) {
  TestCore core;
  const std::optional<Fault> fault = core.run_program(program);
  EXPECT_FALSE(fault) << (fault ? fault->detail : "");
  return {core.hart.x.begin() + a0, core.hart.x.begin() + a0 + count};
}

std::string violation(const std::vector<Operation>& program) {
  TestCore core;
  const std::optional<Fault> fault = core.run_program(program);
  if (!fault) return "none";
  EXPECT_EQ(fault->kind, TrapKind::hardware_loop) << fault->detail;
  return fault->detail;
}

using Values = std::vector<u32>;

TEST(HardwareLoop, RunsItsCountAndACountOfZeroOnce) {
  for (i32 count : {0, 1, 2, 5, 4095}) {
    const u32 runs = count == 0 ? 1 : static_cast<u32>(count);
    EXPECT_EQ(
        results({setupi(0, count, 4), increment(a0), increment(a1), increment(a2), increment(a3)},
                4),
        (Values{runs, runs, runs, 1}));
  }
}

TEST(HardwareLoop, TheRegistersOneByOne) {
  EXPECT_EQ(results({starti(1, 3), endi(1, 6), counti(1, 3), increment(a0), increment(a1),
                     increment(a2), increment(a3)},
                    4),
            (Values{3, 3, 3, 3}));
  TestCore core;
  core.hart.x[t0] = code_base + 24;
  core.hart.x[a3] = code_base + 12;
  core.hart.x[a4] = 7;
  EXPECT_FALSE(core.run_program({{.op = Op::CV_END, .rd = 0, .rs1 = t0},
                                 {.op = Op::CV_START, .rd = 0, .rs1 = a3},
                                 {.op = Op::CV_COUNT, .rd = 0, .rs1 = a4},
                                 increment(a0),
                                 nop(),
                                 nop()}));
  EXPECT_EQ(core.hart.x[a0], 7u);
  EXPECT_EQ(core.hart.loops[0].start, code_base + 12);
  EXPECT_EQ(core.hart.loops[0].end, code_base + 24);
  EXPECT_EQ(core.hart.loops[0].count, 0u);
}

TEST(HardwareLoop, Nested) {
  EXPECT_EQ(results({setupi(1, 3, 9), setupi(0, 4, 4), increment(a0), increment(a1), increment(a2),
                     increment(a3), increment(a4), nop(), nop(), nop()},
                    5),
            (Values{12, 12, 12, 3, 3}));
  EXPECT_EQ(results({setupi(1, 3, 7), setupi(0, 4, 4), increment(a0), increment(a1), increment(a2),
                     increment(a3), increment(a4), nop()},
                    5),
            (Values{12, 12, 12, 3, 3}))
      << "8 bytes between the ends are enough";
}

TEST(HardwareLoop, CountAndBoundsCanBeRead) {
  EXPECT_EQ(results({setupi(0, 3, 5), read(a0, csr::lpstart0), read(a1, csr::lpend0),
                     read(a2, csr::lpcount0), nop()},
                    3),
            (Values{code_base + 4, code_base + 20, 1}));
  EXPECT_EQ(results({counti(0, 0), read(a0, csr::lpcount1), setupi(1, 9, 5),
                     read(a1, csr::lpcount1), nop(), nop(), nop()},
                    2),
            (Values{0, 1}));
}

// The last instruction of a body sees its loop counted down: 4 + 3 + 2 + 1 + 0, one iteration late.
TEST(HardwareLoop, TheLastInstructionReadsTheNextCount) {
  const Operation sum{.op = Op::ADD, .rd = a1, .rs1 = a1, .rs2 = a0};
  EXPECT_EQ(results({setupi(0, 5, 5), nop(), sum, nop(), read(a0, csr::lpcount0)}, 2),
            (Values{0, 10}));
  EXPECT_EQ(results({setupi(0, 5, 5), nop(), read(a0, csr::lpcount0), sum, nop()}, 2),
            (Values{1, 15}));
  // The other loop's count is not touched.
  EXPECT_EQ(results({setupi(1, 1, 7), setupi(0, 1, 4), nop(), nop(), read(a0, csr::lpcount1), nop(),
                     read(a1, csr::lpcount1)},
                    2),
            (Values{1, 0}));
}

TEST(HardwareLoop, NextPcServesInstructionsThatAreExecutedElsewhere) {
  Hart hart;
  hart.loops[0] = {0x100, 0x10c, 2};
  hart.pc = 0x104;
  EXPECT_EQ(next_pc(hart, 4), 0x108u);
  EXPECT_EQ(hart.loops[0].count, 2u);
  hart.pc = 0x108;
  EXPECT_EQ(next_pc(hart, 4), 0x100u);
  EXPECT_EQ(hart.loops[0].count, 1u);
  EXPECT_EQ(next_pc(hart, 4), 0x10cu);
  EXPECT_EQ(hart.loops[0].count, 0u);
  EXPECT_EQ(next_pc(hart, 4), 0x10cu);
}

TEST(HardwareLoop, BodiesThatCannotBe) {
  EXPECT_EQ(violation({setupi(0, 2, 3), nop(), nop(), nop()}),
            "hardware loop 0: its body has 2 instructions, at least 3 are needed");
  EXPECT_EQ(violation({setupi(1, 2, 1), nop(), nop(), nop()}),
            "hardware loop 1: its end 0x00400004 is not beyond its start 0x00400004");
  EXPECT_EQ(violation({counti(0, 1)}),
            "hardware loop 0: its end 0x00000000 is not beyond its start 0x00000000");
  EXPECT_EQ(violation({starti(0, 0), endi(0, 5), counti(0, 2), nop(), nop(), nop()}),
            "hardware loop 0: started from inside its body");
  EXPECT_EQ(violation({setupi(0, 0, 2), nop(), nop(), nop()}), "none") << "count 0: no loop";
}

TEST(HardwareLoop, AddressesThatAreNotWordAligned) {
  const auto with_t0 = [](Op op) {
    TestCore core;
    core.hart.x[t0] = code_base + 2;
    const Executed done = core.run({.op = op, .rd = 0, .rs1 = t0});
    return done.fault ? done.fault->detail : "none";
  };
  EXPECT_EQ(with_t0(Op::CV_START), "hardware loop 0: its start 0x00400002 is not word aligned");
  EXPECT_EQ(with_t0(Op::CV_END), "hardware loop 0: its end 0x00400002 is not word aligned");
  EXPECT_EQ(with_t0(Op::CV_COUNT),
            "hardware loop 0: its end 0x00000000 is not beyond its start 0x00000000");
  for (const Operation& op : {setupi(0, 1, 4), setup(0, a0, 4), starti(0, 1), endi(0, 4)}) {
    TestCore core;
    core.hart.pc = code_base + 2;
    const Executed done = core.run(op);
    ASSERT_TRUE(done.fault) << row(op.op).name;
    EXPECT_EQ(done.fault->detail,
              "hardware loop 0: set up relative to a pc that is not word aligned");
  }
}

TEST(HardwareLoop, RegistersOfAnActiveLoop) {
  EXPECT_EQ(violation({starti(0, 6), endi(0, 9), counti(0, 4), starti(0, 1)}),
            "hardware loop 0: its start or end is written while 4 iterations are left");
  EXPECT_EQ(violation({starti(0, 6), endi(0, 9), counti(0, 4), setupi(0, 1, 5)}),
            "hardware loop 0: its start or end is written while 4 iterations are left");
  EXPECT_EQ(violation({setupi(0, 2, 4), nop(), counti(0, 2), nop()}),
            "hardware loop 0: its registers are written in its body");
  // The count may change while execution is elsewhere; another loop's registers may change in a
  // body.
  EXPECT_EQ(results({starti(0, 4), endi(0, 7), counti(0, 9), counti(0, 2), increment(a0),
                     increment(a1), starti(1, 9), nop()},
                    2),
            (Values{2, 2}));
}

TEST(HardwareLoop, InstructionsThatABodyMustNotHold) {
  const auto in_body = [](Operation op) {
    return violation({setupi(0, 2, 5), nop(), op, nop(), nop()});
  };
  EXPECT_EQ(in_body({.op = Op::BNE, .rs1 = 0, .rs2 = 0, .imm = 8}),
            "hardware loop 0: a branch in its body")
      << "not taken";
  EXPECT_EQ(in_body({.op = Op::CV_BEQIMM, .imm = 4}), "hardware loop 0: a branch in its body");
  EXPECT_EQ(in_body({.op = Op::JAL, .imm = 4}), "hardware loop 0: a jump in its body");
  EXPECT_EQ(in_body({.op = Op::JALR, .rs1 = 1}), "hardware loop 0: a jump in its body");
  EXPECT_EQ(in_body({.op = Op::FENCE}), "hardware loop 0: a fence in its body");
  EXPECT_EQ(in_body({.op = Op::FENCE_I}), "hardware loop 0: a fence in its body");
  EXPECT_EQ(in_body({.op = Op::WFI}), "hardware loop 0: wfi in its body");
  EXPECT_EQ(in_body({.op = Op::MRET}), "hardware loop 0: mret in its body");
  Operation compressed = nop();
  compressed.length = 2;
  EXPECT_EQ(in_body(compressed), "hardware loop 0: a compressed instruction in its body");
  EXPECT_EQ(in_body({.op = Op::DIV, .rd = a0, .rs1 = a1, .rs2 = a2}), "none");
}

TEST(HardwareLoop, AFlushingCsrAtTheEndOfABodyThatIsNotALoop) {
  const auto last = [](i32 count, u32 number) {
    return violation({setupi(1, count, 4), nop(), nop(), read(a0, number), nop()});
  };
  EXPECT_EQ(last(0, csr::mcycle),
            "hardware loop 1: a csr instruction that flushes the pipeline ends its body while its "
            "count is 0, which the core would count down");
  EXPECT_NE(last(0, csr::privlv), "none");
  EXPECT_EQ(last(0, csr::mscratch), "none");
  EXPECT_EQ(last(2, csr::mcycle), "none");
}

TEST(HardwareLoop, NestingThatCannotBe) {
  EXPECT_EQ(
      violation({setupi(1, 3, 6), setupi(0, 4, 4), nop(), nop(), nop(), nop(), nop()}),
      "hardware loop 1: its end 0x00400018 is not 8 bytes beyond the end 0x00400014 of loop 0, "
      "which is nested in it");
  // Loop 0 outside. The core runs both of these; its manual forbids them.
  EXPECT_NE(violation({setupi(0, 3, 9), setupi(1, 4, 4), nop(), nop(), nop(), nop(), nop(), nop(),
                       nop()}),
            "none");
}

TEST(HardwareLoop, EnteredElsewhereThanAtTheStart) {
  const auto jump_to = [](i32 words) {
    return violation({starti(0, 6), endi(0, 10), counti(0, 1), nop(),
                      Operation{.op = Op::JAL, .rd = a0, .imm = 4 * words}, nop(), nop(), nop(),
                      nop(), nop()});
  };
  EXPECT_EQ(jump_to(3), "hardware loop 0: entered at 0x0040001c, not at its start 0x00400018");
  EXPECT_EQ(jump_to(2), "none");
  EXPECT_EQ(jump_to(7), "none") << "behind its end";
  TestCore core;
  core.hart.loops[1] = {code_base, code_base + 12, 1};
  core.hart.pc = code_base + 64;
  core.hart.x[a0] = code_base + 4;
  core.hart.mepc = code_base + 8;
  core.hart.x[1] = 77;
  EXPECT_TRUE(core.run({.op = Op::JALR, .rd = 1, .rs1 = a0}).fault);
  EXPECT_EQ(core.hart.x[1], 77u) << "no link is left behind";
  EXPECT_TRUE(core.run({.op = Op::MRET}).fault);
  EXPECT_TRUE(core.run({.op = Op::BEQ, .imm = -60}).fault);
  EXPECT_FALSE(core.run({.op = Op::BNE, .imm = -60}).fault) << "not taken";
  // Half an instruction too early: the pc comes in at start + 2.
  core.hart.pc = code_base - 2;
  EXPECT_FALSE(core.run(nop()).fault);
  const Executed done = core.run(nop());
  ASSERT_TRUE(done.fault);
  EXPECT_EQ(done.fault->detail, "hardware loop 1: an instruction in its body is not word aligned");
}

}  // namespace
}  // namespace simfarm::reference::hardware_loop
