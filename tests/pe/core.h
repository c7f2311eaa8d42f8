// One core with a little memory, for tests of instruction bodies.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <vector>

#include "engine/reference/execute.h"
#include "isa/row.h"

namespace simfarm::reference {

/// 4 KiB of memory at 0x1000'0000; anything else faults.
class TestMemory final : public DataPort {
 public:
  static constexpr u32 base = 0x1000'0000;
  std::array<u8, 4096> bytes{};

  std::optional<Fault> load(u32 address, u32 count, u64& value) override {
    if (!inside(address, count)) return Fault{TrapKind::load_fault, address, "outside"};
    value = 0;
    for (u32 k = 0; k < count; ++k) value |= u64{bytes[address - base + k]} << (8 * k);
    return std::nullopt;
  }
  std::optional<Fault> store(u32 address, u32 count, u64 value) override {
    if (!inside(address, count)) return Fault{TrapKind::store_fault, address, "outside"};
    for (u32 k = 0; k < count; ++k) bytes[address - base + k] = static_cast<u8>(value >> (8 * k));
    return std::nullopt;
  }
  u64 word(u32 address, u32 count = 4) {
    u64 value = 0;
    EXPECT_FALSE(load(address, count, value));
    return value;
  }

 private:
  bool inside(u32 address, u32 count) const {
    return address >= base && address - base <= bytes.size() - count;
  }
};

/// The row of a 32-bit instruction by its assembler name and syntax (two loads share a name).
inline Op op_named(std::string_view name, std::string_view syntax = "") {
  for (const Row& row : rows())
    if (!row.compressed() && row.name == name && (syntax.empty() || row.syntax == syntax))
      return row.op;
  ADD_FAILURE() << "no row is named " << name << ' ' << syntax;
  return Op::ADDI;
}

inline constexpr u32 code_base = 0x0040'0000;

struct TestCore {
  Hart hart;
  Surroundings around;
  TestMemory memory;

  TestCore() { hart.pc = code_base; }

  /// Executes one instruction and moves on, as the array does.
  Executed run(const Operation& op) {
    Executed done = execute(hart, op, around, memory);
    if (done.fault) return done;
    hart.pc = done.next_pc;
    ++hart.retired;
    ++around.cycle;
    return done;
  }

  /// Runs `program`, 4-byte instructions from code_base on, until the pc leaves it or one faults.
  std::optional<Fault> run_program(const std::vector<Operation>& program) {
    hart.pc = code_base;
    for (u32 steps = 0; steps < 100'000; ++steps) {
      const u32 index = (hart.pc - code_base) / 4;
      if (index >= program.size()) return std::nullopt;
      if (Executed done = run(program[index]); done.fault) return done.fault;
    }
    ADD_FAILURE() << "the program does not end";
    return std::nullopt;
  }
};

inline Operation addi(u8 rd, u8 rs1, i32 imm) {
  return {.op = Op::ADDI, .rd = rd, .rs1 = rs1, .imm = imm};
}
inline Operation nop() { return addi(0, 0, 0); }

}  // namespace simfarm::reference
