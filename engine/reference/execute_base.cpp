// I, M and Zifencei. Sources: The RISC-V Instruction Set Manual, Volumes I and II; mret as on the
// CV32E40P, whose only privilege mode is machine.
#include <limits>

#include "engine/reference/body.h"
#include "engine/reference/memory_access.h"
#include "pe/csr.h"

namespace simfarm::reference {
namespace {

constexpr u32 add(u32 a, u32 b) { return a + b; }
constexpr u32 subtract(u32 a, u32 b) { return a - b; }
constexpr u32 bit_and(u32 a, u32 b) { return a & b; }
constexpr u32 bit_or(u32 a, u32 b) { return a | b; }
constexpr u32 bit_xor(u32 a, u32 b) { return a ^ b; }
constexpr u32 shift_left(u32 a, u32 b) { return a << (b & 31); }
constexpr u32 shift_right(u32 a, u32 b) { return a >> (b & 31); }
constexpr u32 shift_right_arithmetic(u32 a, u32 b) {
  return static_cast<u32>(static_cast<i32>(a) >> (b & 31));
}
constexpr bool equal(u32 a, u32 b) { return a == b; }
constexpr bool not_equal(u32 a, u32 b) { return a != b; }
constexpr bool less(u32 a, u32 b) { return static_cast<i32>(a) < static_cast<i32>(b); }
constexpr bool less_unsigned(u32 a, u32 b) { return a < b; }
constexpr bool not_less(u32 a, u32 b) { return !less(a, b); }
constexpr bool not_less_unsigned(u32 a, u32 b) { return !less_unsigned(a, b); }

constexpr u32 multiply(u32 a, u32 b) { return a * b; }
/// The upper half of a 64-bit product of operands widened by the caller; wraps, as it should.
constexpr u32 upper(u64 a, u64 b) { return static_cast<u32>((a * b) >> 32); }
constexpr u64 sign_extend64(u32 a) { return static_cast<u64>(i64{static_cast<i32>(a)}); }
constexpr u32 multiply_high(u32 a, u32 b) { return upper(sign_extend64(a), sign_extend64(b)); }
constexpr u32 multiply_high_signed_unsigned(u32 a, u32 b) { return upper(sign_extend64(a), b); }
constexpr u32 multiply_high_unsigned(u32 a, u32 b) { return upper(a, b); }

constexpr bool overflows(i32 a, i32 b) { return a == std::numeric_limits<i32>::min() && b == -1; }
constexpr u32 divide(u32 a, u32 b) {
  const i32 x = static_cast<i32>(a), y = static_cast<i32>(b);
  if (y == 0) return ~0u;
  return overflows(x, y) ? a : static_cast<u32>(x / y);
}
constexpr u32 divide_unsigned(u32 a, u32 b) { return b == 0 ? ~0u : a / b; }
constexpr u32 remainder(u32 a, u32 b) {
  const i32 x = static_cast<i32>(a), y = static_cast<i32>(b);
  if (y == 0) return a;
  return overflows(x, y) ? 0 : static_cast<u32>(x % y);
}
constexpr u32 remainder_unsigned(u32 a, u32 b) { return b == 0 ? a : a % b; }

template <auto f>
constexpr Body division = [](Step& s) {
  s.done.facts.rs2 = s.rs2();
  s.write_rd(f(s.rs1(), s.rs2()));
};

template <auto holds>
constexpr Body branch_if = [](Step& s) {
  if (!holds(s.rs1(), s.rs2())) return;
  s.done.facts.taken = s.jump(s.hart.pc + s.imm());
};

/// Jumps and leaves the address of the next instruction in rd; rs1 is read before rd is written.
void jump_and_link(Step& s, u32 target) {
  if (s.jump(target)) s.write_rd(s.hart.pc + s.op.length);
}

void nothing(Step&) {}

void breakpoint(Step& s) { s.fail(TrapKind::breakpoint, s.hart.pc, "ebreak"); }

/// Nothing ever enters a handler here, so that this is a jump to mepc that start-up code may use.
void return_from_handler(Step& s) {
  if (!s.jump(s.hart.mepc)) return;
  const bool enabled_before = (s.hart.mstatus & mstatus_mpie) != 0;
  s.hart.mstatus =
      (s.hart.mstatus & ~mstatus_mie) | mstatus_mpie | (enabled_before ? mstatus_mie : 0);
}

constexpr Entry entries[] = {
    {Op::LUI, of_imm<[](u32 imm) { return imm; }>},
    {Op::AUIPC, [](Step& s) { s.write_rd(s.hart.pc + s.imm()); }},
    {Op::JAL, [](Step& s) { jump_and_link(s, s.hart.pc + s.imm()); }},
    {Op::JALR, [](Step& s) { jump_and_link(s, (s.rs1() + s.imm()) & ~1u); }},

    {Op::BEQ, branch_if<equal>},
    {Op::BNE, branch_if<not_equal>},
    {Op::BLT, branch_if<less>},
    {Op::BGE, branch_if<not_less>},
    {Op::BLTU, branch_if<less_unsigned>},
    {Op::BGEU, branch_if<not_less_unsigned>},

    {Op::LB, load_rd<Width::byte, base_plus_imm>},
    {Op::LH, load_rd<Width::half, base_plus_imm>},
    {Op::LW, load_rd<Width::word, base_plus_imm>},
    {Op::LBU, load_rd<Width::byte_unsigned, base_plus_imm>},
    {Op::LHU, load_rd<Width::half_unsigned, base_plus_imm>},
    {Op::SB, store_rs2<Width::byte, base_plus_imm>},
    {Op::SH, store_rs2<Width::half, base_plus_imm>},
    {Op::SW, store_rs2<Width::word, base_plus_imm>},

    {Op::ADDI, of_rs1_imm<add>},
    {Op::SLTI, of_rs1_imm<less>},
    {Op::SLTIU, of_rs1_imm<less_unsigned>},
    {Op::XORI, of_rs1_imm<bit_xor>},
    {Op::ORI, of_rs1_imm<bit_or>},
    {Op::ANDI, of_rs1_imm<bit_and>},
    {Op::SLLI, of_rs1_imm<shift_left>},
    {Op::SRLI, of_rs1_imm<shift_right>},
    {Op::SRAI, of_rs1_imm<shift_right_arithmetic>},
    {Op::ADD, of_rs1_rs2<add>},
    {Op::SUB, of_rs1_rs2<subtract>},
    {Op::SLL, of_rs1_rs2<shift_left>},
    {Op::SLT, of_rs1_rs2<less>},
    {Op::SLTU, of_rs1_rs2<less_unsigned>},
    {Op::XOR, of_rs1_rs2<bit_xor>},
    {Op::SRL, of_rs1_rs2<shift_right>},
    {Op::SRA, of_rs1_rs2<shift_right_arithmetic>},
    {Op::OR, of_rs1_rs2<bit_or>},
    {Op::AND, of_rs1_rs2<bit_and>},

    {Op::MUL, of_rs1_rs2<multiply>},
    {Op::MULH, of_rs1_rs2<multiply_high>},
    {Op::MULHSU, of_rs1_rs2<multiply_high_signed_unsigned>},
    {Op::MULHU, of_rs1_rs2<multiply_high_unsigned>},
    {Op::DIV, division<divide>},
    {Op::DIVU, division<divide_unsigned>},
    {Op::REM, division<remainder>},
    {Op::REMU, division<remainder_unsigned>},

    {Op::FENCE, nothing},
    {Op::FENCE_I, nothing},
    {Op::WFI, nothing},
    {Op::EBREAK, breakpoint},
    {Op::MRET, return_from_handler},
};

}  // namespace

constinit const Bodies base_bodies =
    bodies({Extension::i, Extension::m, Extension::zifencei}, entries);

}  // namespace simfarm::reference
