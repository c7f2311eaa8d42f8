// What the results against another simulator cannot show: control flow, facts for the timing unit,
// faults.
#include "tests/pe/core.h"

namespace simfarm::reference {
namespace {

constexpr u32 memory = TestMemory::base;

TEST(Base, X0StaysZero) {
  TestCore core;
  core.run(addi(0, 0, 5));
  EXPECT_EQ(core.hart.x[0], 0u);
  core.memory.bytes[0] = 7;
  core.hart.x[11] = memory;
  EXPECT_FALSE(core.run({.op = Op::LW, .rd = 0, .rs1 = 11}).fault);
  EXPECT_EQ(core.hart.x[0], 0u);
}

TEST(Base, CompressedInstructionsAdvanceByTwo) {
  TestCore core;
  Operation op = addi(5, 5, 1);
  op.length = 2;
  EXPECT_EQ(core.run(op).next_pc, code_base + 2);
  op = {.op = Op::JAL, .rd = 1, .length = 2, .imm = 10};
  EXPECT_EQ(core.run(op).next_pc, code_base + 12);
  EXPECT_EQ(core.hart.x[1], code_base + 4);
}

TEST(Base, JalrReadsItsBaseBeforeItLinks) {
  TestCore core;
  core.hart.x[1] = code_base + 0x101;
  const Executed done = core.run({.op = Op::JALR, .rd = 1, .rs1 = 1, .imm = 2});
  EXPECT_EQ(done.next_pc, code_base + 0x102);  // bit 0 cleared
  EXPECT_EQ(core.hart.x[1], code_base + 4);
}

TEST(Base, BranchesSayWhetherTheyAreTaken) {
  const struct {
    Op op;
    u32 a, b;
    bool taken;
  } cases[] = {{Op::BEQ, 1, 1, true},     {Op::BEQ, 1, 2, false},   {Op::BNE, 1, 2, true},
               {Op::BNE, 2, 2, false},    {Op::BLT, ~0u, 0, true},  {Op::BLT, 0, 0, false},
               {Op::BGE, 0, 0, true},     {Op::BGE, ~0u, 0, false}, {Op::BLTU, 0, ~0u, true},
               {Op::BLTU, ~0u, 0, false}, {Op::BGEU, ~0u, 0, true}, {Op::BGEU, 0, 1, false}};
  for (const auto& one : cases) {
    TestCore core;
    core.hart.x[11] = one.a, core.hart.x[12] = one.b;
    const Executed done = core.run({.op = one.op, .rs1 = 11, .rs2 = 12, .imm = -8});
    EXPECT_EQ(done.facts.taken, one.taken) << row(one.op).name;
    EXPECT_EQ(done.next_pc, code_base + (one.taken ? -8 : 4)) << row(one.op).name;
  }
}

TEST(Base, ImmediateBranchesCompareWithASignedFiveBitNumber) {
  TestCore core;
  core.hart.x[11] = static_cast<u32>(-16);
  Operation op{.op = Op::CV_BEQIMM, .rs1 = 11, .imm2 = static_cast<u8>(-16), .imm = 12};
  EXPECT_TRUE(core.run(op).facts.taken);
  EXPECT_EQ(core.hart.pc, code_base + 12);
  op.op = Op::CV_BNEIMM;
  EXPECT_FALSE(core.run(op).facts.taken);
  core.hart.x[11] = 16;
  EXPECT_TRUE(core.run(op).facts.taken);
}

TEST(Base, DivisionTellsItsDivisor) {
  TestCore core;
  core.hart.x[11] = 100, core.hart.x[12] = 7;
  const Executed done = core.run({.op = Op::REMU, .rd = 11, .rs1 = 11, .rs2 = 12});
  EXPECT_EQ(done.facts.rs2, 7u);
  EXPECT_EQ(core.hart.x[11], 2u);
}

TEST(Base, MisalignedAccessesAreLegalAndReported) {
  for (u32 offset = 0; offset < 4; ++offset) {
    TestCore core;
    for (u32 k = 0; k < 16; ++k) core.memory.bytes[k] = static_cast<u8>(0x80 + k);
    core.hart.x[11] = memory + offset;
    EXPECT_FALSE(core.run({.op = Op::LB, .rd = 5, .rs1 = 11}).facts.misaligned);
    EXPECT_EQ(core.hart.x[5], 0xffff'ff80 + offset);
    EXPECT_EQ(core.run({.op = Op::LHU, .rd = 5, .rs1 = 11}).facts.misaligned, offset == 3);
    EXPECT_EQ(core.hart.x[5], 0x8180 + offset * 0x0101);
    EXPECT_EQ(core.run({.op = Op::LW, .rd = 5, .rs1 = 11}).facts.misaligned, offset != 0);
    EXPECT_EQ(core.hart.x[5], 0x8382'8180 + offset * 0x0101'0101);
    core.hart.x[6] = 0x1122'3344;
    EXPECT_EQ(core.run({.op = Op::SW, .rs1 = 11, .rs2 = 6}).facts.misaligned, offset != 0);
    EXPECT_EQ(core.memory.word(memory + offset), 0x1122'3344u);
    EXPECT_EQ(core.memory.bytes[offset + 4], 0x84 + offset);
  }
}

TEST(Base, AFaultChangesNothing) {
  TestCore core;
  core.hart.x[11] = memory - 1;
  core.hart.x[12] = 4;
  const Hart before = core.hart;
  for (Op op : {Op::LW, Op::SW, Op::CV_LW_PI, Op::CV_SW_PI, Op::CV_LW_PR}) {
    const Executed done = core.run({.op = op, .rd = 5, .rs1 = 11, .rs2 = 12, .imm = -4});
    ASSERT_TRUE(done.fault) << row(op).name;
    const bool store = row(op).timing == TimingClass::store;
    EXPECT_EQ(done.fault->kind, store ? TrapKind::store_fault : TrapKind::load_fault);
    EXPECT_EQ(core.hart.x, before.x) << row(op).name;
    EXPECT_EQ(core.hart.pc, before.pc);
  }
}

TEST(Base, EbreakTrapsAndWfiDoesNothing) {
  TestCore core;
  const Executed done = core.run({.op = Op::EBREAK});
  ASSERT_TRUE(done.fault);
  EXPECT_EQ(done.fault->kind, TrapKind::breakpoint);
  EXPECT_EQ(core.run({.op = Op::WFI}).next_pc, code_base + 4);
}

// Post-increment, from the RTL.
TEST(Memory, PostIncrementUsesTheBaseBefore) {
  TestCore core;
  core.memory.store(memory, 4, 0x8004'fffe);
  core.hart.x[8] = memory;
  core.run({.op = Op::CV_LH_PI, .rd = 10, .rs1 = 8, .imm = 2});
  EXPECT_EQ(core.hart.x[10], 0xffff'fffe);
  EXPECT_EQ(core.hart.x[8], memory + 2);
  core.hart.x[9] = static_cast<u32>(-2);
  core.run({.op = Op::CV_LHU_PR, .rd = 10, .rs1 = 8, .rs2 = 9});
  EXPECT_EQ(core.hart.x[10], 0x8004u);
  EXPECT_EQ(core.hart.x[8], memory);
  core.run({.op = Op::CV_LB_RR, .rd = 10, .rs1 = 8, .rs2 = 0});
  EXPECT_EQ(core.hart.x[10], 0xffff'fffe);
  EXPECT_EQ(core.hart.x[8], memory);
}

TEST(Memory, ALoadIntoItsBaseLosesTheIncrement) {
  TestCore core;
  core.memory.store(memory, 4, 0x1234);
  core.hart.x[8] = memory;
  core.run({.op = Op::CV_LW_PI, .rd = 8, .rs1 = 8, .imm = 4});
  EXPECT_EQ(core.hart.x[8], 0x1234u);
}

TEST(Memory, AStoreOfItsBaseStoresTheOldOne) {
  TestCore core;
  core.hart.x[8] = memory + 8;
  core.run({.op = Op::CV_SW_PI, .rs1 = 8, .rs2 = 8, .imm = 4});
  EXPECT_EQ(core.memory.word(memory + 8), memory + 8);
  EXPECT_EQ(core.hart.x[8], memory + 12);
  core.hart.x[9] = 0x55;
  core.run({.op = Op::CV_SB_PR, .rs1 = 8, .rs2 = 9, .rs3 = 9});
  EXPECT_EQ(core.memory.word(memory + 12), 0x55u);
  EXPECT_EQ(core.hart.x[8], memory + 12 + 0x55);
  core.hart.x[7] = static_cast<u32>(-0x55);
  core.run({.op = Op::CV_SH_RR, .rs1 = 8, .rs2 = 9, .rs3 = 7});
  EXPECT_EQ(core.memory.word(memory + 12), 0x55u);
  EXPECT_EQ(core.hart.x[8], memory + 12 + 0x55);
}

// Fields that leave the word: what the RTL gave.
TEST(Bits, FieldsAreCutOffAtTheTop) {
  const struct {
    u8 more, low;
    u32 inserted, set, cleared, extracted;
  } cases[] = {{31, 31, 0x9357'9bdf, 0x89ab'cdef, 0x09ab'cdef, 0xffff'ffff},
               {20, 20, 0xdef7'9bdf, 0xfffb'cdef, 0x000b'cdef, 0xffff'f89a},
               {0, 31, 0x9357'9bdf, 0x89ab'cdef, 0x09ab'cdef, 0xffff'ffff},
               {31, 0, 0x89ab'cdef, 0xffff'ffff, 0x0000'0000, 0x89ab'cdef},
               {31, 1, 0x1357'9bdf, 0xffff'ffff, 0x0000'0001, 0xc4d5'e6f7}};
  for (const auto& one : cases) {
    const auto result = [&](Op by_immediate, Op by_register) {
      u32 results[2];
      for (u32 k = 0; k < 2; ++k) {
        TestCore core;
        core.hart.x[10] = 0x1357'9bdf;
        core.hart.x[11] = 0x89ab'cdef;
        core.hart.x[12] = one.more << 5 | one.low;
        const Operation immediates{
            .op = by_immediate, .rd = 10, .rs1 = 11, .imm2 = one.low, .imm = one.more};
        core.run(k == 0 ? immediates
                        : Operation{.op = by_register, .rd = 10, .rs1 = 11, .rs2 = 12});
        results[k] = core.hart.x[10];
      }
      EXPECT_EQ(results[0], results[1]);
      return results[0];
    };
    EXPECT_EQ(result(Op::CV_INSERT, Op::CV_INSERTR), one.inserted);
    EXPECT_EQ(result(Op::CV_BSET, Op::CV_BSETR), one.set);
    EXPECT_EQ(result(Op::CV_BCLR, Op::CV_BCLRR), one.cleared);
    EXPECT_EQ(result(Op::CV_EXTRACT, Op::CV_EXTRACTR), one.extracted);
  }
}

TEST(Bits, BitReversalByGroups) {
  const struct {
    i32 radix;
    u8 shift;
    u32 result;
  } cases[] = {{0, 5, 0x07bd'9eac}, {0, 31, 1}, {1, 5, 0x0b7e'6d5c}, {1, 31, 2},
               {2, 5, 0x07bf'4ea9}, {2, 31, 4}, {3, 5, 0x07bd'9eac}, {3, 31, 1}};
  for (const auto& one : cases) {
    TestCore core;
    core.hart.x[11] = 0x89ab'cdef;
    core.run({.op = Op::CV_BITREV, .rd = 10, .rs1 = 11, .imm2 = one.shift, .imm = one.radix});
    EXPECT_EQ(core.hart.x[10], one.result) << one.radix << ' ' << +one.shift;
  }
}

}  // namespace
}  // namespace simfarm::reference
