// The set of csrs, typed from the core's decoder (cv32e40p_decoder.sv) for its configuration: no
// FPU, no user mode, no PMP, not in debug mode, PULP extensions and debug triggers present; and
// ours.
#include "isa/csr.h"

#include <gtest/gtest.h>

#include <set>

#include "isa/decode.h"
#include "isa/encode.h"
#include "isa/registers.h"

namespace simfarm {
namespace {

std::set<u32> expected_numbers() {
  std::set<u32> numbers{0x300, 0x301, 0x304, 0x305, 0x320, 0x340, 0x341, 0x342, 0x343,
                        0x344, 0x7a0, 0x7a1, 0x7a2, 0x7a3, 0x7a4, 0x7a8, 0x7aa, 0xb00,
                        0xb02, 0xb80, 0xb82, 0xc00, 0xc02, 0xc80, 0xc82, 0xcc0, 0xcc1,
                        0xcc2, 0xcc4, 0xcc5, 0xcc6, 0xcd0, 0xcd1, 0xcd2, 0xf11, 0xf12,
                        0xf13, 0xf14, 0x7c0, 0xfc0, 0xfc1, 0xfc2, 0xfc3, 0xfc4, 0xfc5};
  for (u32 k = 3; k < 32; ++k)
    for (u32 base : {0x320u, 0xb00u, 0xb80u, 0xc00u, 0xc80u}) numbers.insert(base + k);
  return numbers;
}

u32 csr_word(u32 number, u32 funct3, u32 source) {
  return number << 20 | source << 15 | funct3 << 12 | 10u << 7 | 0x73;
}

TEST(Csr, ExactlyTheMachinesExist) {
  const std::set<u32> numbers = expected_numbers();
  for (u32 number = 0; number < 4096; ++number) {
    EXPECT_EQ(csr_exists(number), numbers.contains(number)) << std::hex << number;
    EXPECT_EQ(csr_name(number).has_value(), numbers.contains(number)) << std::hex << number;
  }
  EXPECT_FALSE(csr_exists(4096));
}

TEST(Csr, LegalityOfEveryAccess) {
  const std::set<u32> numbers = expected_numbers();
  for (u32 number = 0; number < 4096; ++number) {
    const bool exists = numbers.contains(number);
    const bool read_only = number >= 0xc00;
    for (u32 source : {0u, 1u, 31u}) {
      for (u32 funct3 : {1u, 5u})  // csrrw, csrrwi write always
        EXPECT_EQ(decode(csr_word(number, funct3, source)).has_value(), exists && !read_only);
      for (u32 funct3 : {2u, 3u, 6u, 7u})  // set and clear of nothing do not write
        EXPECT_EQ(decode(csr_word(number, funct3, source)).has_value(),
                  exists && !(read_only && source != 0));
      for (u32 funct3 : {0u, 4u}) EXPECT_EQ(decode(csr_word(number, funct3, source)), std::nullopt);
    }
  }
}

TEST(Csr, Names) {
  EXPECT_EQ(csr_name(0x300), "mstatus");
  EXPECT_EQ(csr_name(0x33f), "mhpmevent31");
  EXPECT_EQ(csr_name(0xb84), "mhpmcounter4h");
  EXPECT_EQ(csr_name(0xcc6), "lpcount1");
  EXPECT_EQ(csr_text(0xf14), "mhartid");
  EXPECT_EQ(csr_text(0xfc0), "0xfc0");
  EXPECT_EQ(csr_text(0x123), "0x123");
}

TEST(Encode, SaysWhatDoesNotFit) {
  const auto fails = [](Operation operation, std::string_view part) {
    const Result<u32> word = encode(operation);
    ASSERT_FALSE(word) << part;
    EXPECT_NE(word.error().message.find(part), std::string::npos) << word.error().message;
  };
  fails({.op = Op::ADDI, .imm = 2048}, "imm cannot be 2048");
  fails({.op = Op::ADDI, .rd = 32}, "rd cannot be 32");
  fails({.op = Op::ADDI, .rs2 = 1}, "rs2 cannot be 1");
  fails({.op = Op::ADD, .imm = 1}, "imm cannot be 1");
  fails({.op = Op::BEQ, .imm = 3}, "imm cannot be 3");
  fails({.op = Op::LUI, .imm = 1}, "imm cannot be 1");
  fails({.op = Op::CV_EXTRACT, .imm2 = 32}, "imm2 cannot be 32");
  fails({.op = Op::CV_BEQIMM, .imm2 = 16}, "imm2 cannot be 16");
  fails({.op = Op::CV_STARTI, .rd = 2}, "rd cannot be 2");
  fails({.op = Op::GP_POST, .imm = 7}, "imm cannot be 7");
  fails({.op = Op::GP_BAR, .imm = 3}, "another instruction");
  fails({.op = Op::GP_LD2, .rd = 5, .rs2 = 5}, "illegal operands");
  fails({.op = Op::CSRRW, .imm = 0xf14}, "illegal operands");
}

TEST(Registers, NamesAndNumbers) {
  for (u32 k = 0; k < 32; ++k) {
    EXPECT_EQ(register_number(register_name(k)), k);
    EXPECT_EQ(register_number("x" + std::to_string(k)), k);
  }
  EXPECT_EQ(register_number("fp"), 8u);
  EXPECT_EQ(register_number("x32"), std::nullopt);
  EXPECT_EQ(register_number("x01"), std::nullopt);
  EXPECT_EQ(register_number("a8"), std::nullopt);
}

}  // namespace
}  // namespace simfarm
