// What timing and hazards read from the rows, for the shapes that rows can have.
#include "isa/traits.h"

#include <gtest/gtest.h>

#include "isa/decode.h"
#include "isa/disassemble.h"
#include "isa/names.h"
#include "words.h"

namespace simfarm {
namespace {

constexpr u32 bit(u32 number) { return 1u << number; }

Operation operation(Op op, u8 rd, u8 rs1, u8 rs2, u8 rs3 = 0, i32 imm = 0) {
  Operation result;
  result.op = op;
  result.rd = rd;
  result.rs1 = rs1;
  result.rs2 = rs2;
  result.rs3 = rs3;
  result.imm = imm;
  return result;
}

struct Expected {
  Operation operation;
  u32 read, written, loaded;
};

TEST(Traits, RegistersOfEveryShape) {
  const Expected table[] = {
      {operation(Op::ADD, 10, 11, 12), bit(11) | bit(12), bit(10), 0},
      {operation(Op::LUI, 10, 0, 0), 0, bit(10), 0},
      {operation(Op::ADDI, 0, 0, 0), 0, 0, 0},
      {operation(Op::LW, 10, 11, 0), bit(11), bit(10), bit(10)},
      {operation(Op::SW, 0, 11, 12), bit(11) | bit(12), 0, 0},
      {operation(Op::BEQ, 0, 11, 12), bit(11) | bit(12), 0, 0},
      {operation(Op::JALR, 1, 11, 0), bit(11), bit(1), 0},
      {operation(Op::CSRRW, 10, 11, 0), bit(11), bit(10), 0},
      {operation(Op::CSRRWI, 10, 0, 0), 0, bit(10), 0},
      {operation(Op::CV_LW_PI, 10, 11, 0), bit(11), bit(10) | bit(11), bit(10)},
      {operation(Op::CV_LW_PI, 10, 10, 0), bit(10), bit(10), bit(10)},
      {operation(Op::CV_LW_PR, 10, 11, 12), bit(11) | bit(12), bit(10) | bit(11), bit(10)},
      {operation(Op::CV_LW_RR, 10, 11, 12), bit(11) | bit(12), bit(10), bit(10)},
      {operation(Op::CV_SW_PI, 0, 11, 12), bit(11) | bit(12), bit(11), 0},
      {operation(Op::CV_SW_PR, 0, 11, 12, 13), bit(11) | bit(12) | bit(13), bit(11), 0},
      {operation(Op::CV_SW_RR, 0, 11, 12, 13), bit(11) | bit(12) | bit(13), 0, 0},
      {operation(Op::CV_MAC, 10, 11, 12), bit(10) | bit(11) | bit(12), bit(10), 0},
      {operation(Op::CV_SETUP, 1, 11, 0), bit(11), 0, 0},
      {operation(Op::CV_SETUPI, 1, 0, 0), 0, 0, 0},
      {operation(Op::GP_LD2, 10, 12, 11), bit(12), bit(10) | bit(11), bit(10) | bit(11)},
      {operation(Op::GP_LD2_PI, 10, 12, 11), bit(12), bit(10) | bit(11) | bit(12),
       bit(10) | bit(11)},
      {operation(Op::GP_SD2_PI, 0, 12, 10, 11), bit(10) | bit(11) | bit(12), bit(12), 0},
      {operation(Op::GP_XLD, 0, 12, 0), bit(12), bit(12), 0},
      {operation(Op::GP_XSDOT8_LD, 10, 11, 12, 13), bit(10) | bit(11) | bit(12) | bit(13),
       bit(10) | bit(13), 0},
      {operation(Op::GP_LUT8, 10, 11, 12), bit(11) | bit(12), bit(10), bit(10)},
      {operation(Op::GP_RECV, 10, 0, 0), 0, bit(10), 0},
  };
  for (const Expected& one : table) {
    EXPECT_EQ(registers_read(one.operation), one.read) << disassemble(one.operation);
    EXPECT_EQ(registers_written(one.operation), one.written) << disassemble(one.operation);
    EXPECT_EQ(registers_loaded(one.operation), one.loaded) << disassemble(one.operation);
  }
}

TEST(Traits, MemoryAccesses) {
  const auto expect = [](Op op, u32 bytes, bool store, bool is_signed, bool increments,
                         bool by_register) {
    const MemoryAccess& access = traits(op).memory;
    EXPECT_EQ(access.bytes, bytes) << row(op).name;
    EXPECT_EQ(access.store, store) << row(op).name;
    EXPECT_EQ(access.is_signed, is_signed) << row(op).name;
    EXPECT_EQ(access.post_increment, increments) << row(op).name;
    EXPECT_EQ(access.register_offset, by_register) << row(op).name;
  };
  expect(Op::ADD, 0, false, false, false, false);
  expect(Op::LB, 1, false, true, false, false);
  expect(Op::LBU, 1, false, false, false, false);
  expect(Op::LH, 2, false, true, false, false);
  expect(Op::LHU, 2, false, false, false, false);
  expect(Op::LW, 4, false, false, false, false);
  expect(Op::SH, 2, true, false, false, false);
  expect(Op::C_LWSP, 4, false, false, false, false);
  expect(Op::CV_LBU_PI, 1, false, false, true, false);
  expect(Op::CV_LH_PR, 2, false, true, true, true);
  expect(Op::CV_LW_RR, 4, false, false, false, true);
  expect(Op::CV_SB_PI, 1, true, false, true, false);
  expect(Op::CV_SW_RR, 4, true, false, false, true);
  expect(Op::GP_LD2, 8, false, false, false, false);
  expect(Op::GP_SD2_PI, 8, true, false, true, false);
  expect(Op::GP_XLD, 8, false, false, true, false);
  expect(Op::GP_XUDOT8_LD, 8, false, false, true, false);
  expect(Op::GP_LUT8, 1, false, false, false, false);
  EXPECT_EQ(traits(Op::CV_SW_PR).memory.offset, Field::rs3);
  EXPECT_EQ(traits(Op::CV_LW_PR).memory.offset, Field::rs2);
  EXPECT_EQ(traits(Op::GP_XSDOT8_LD).memory.base, Field::rs3);
  EXPECT_EQ(traits(Op::GP_XLD).memory.base, Field::rs1);
}

TEST(Traits, TheCoreTakesSomeImmediatesForRs2) {
  // Bits 24:20 of the word, whatever they mean, are a register to the core.
  for (const Row& one : rows()) {
    if (!compares_immediate_as_rs2(one.op)) continue;
    for (u32 word : test::words_of(one.op)) {
      const Operation here = *decode(word);
      const u32 number = word >> 20 & 31;
      EXPECT_EQ(registers_awaited(here), registers_read(here) | (number == 0 ? 0 : bit(number)))
          << disassemble(here);
    }
  }
  const Operation plain = operation(Op::CV_ADD_SCI_B, 10, 11, 0, 0, -1);
  EXPECT_EQ(registers_awaited(plain), bit(11));
}

TEST(Traits, KindsAgreeWithIssueClasses) {
  for (const Row& one : rows()) {
    if (one.extension == Extension::xgp) continue;
    EXPECT_EQ(is_load(one.op), one.issue == IssueClass::load) << one.name;
    EXPECT_EQ(is_store(one.op), one.issue == IssueClass::store) << one.name;
    EXPECT_EQ(is_branch(one.op), one.issue == IssueClass::branch) << one.name;
    EXPECT_EQ(is_jump(one.op), one.issue == IssueClass::jump) << one.name;
    EXPECT_FALSE(is_sync(one.op)) << one.name;
  }
}

TEST(Traits, SixInstructionsSynchronise) {
  std::vector<std::string_view> names;
  for (const Row& one : rows())
    if (is_sync(one.op)) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"gp.dma", "gp.wait", "gp.post", "gp.bar",
                                                  "gp.send", "gp.recv"}));
}

}  // namespace
}  // namespace simfarm
