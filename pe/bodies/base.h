// I and M. Source: The RISC-V Instruction Set Manual, Volume I.
#pragma once
#include "pe/bodies/lane.h"
#include "pe/bodies/rows.h"

namespace simfarm::bodies {

/// 1 where the condition holds, else 0.
template <class L>
[[gnu::always_inline]] inline typename L::V flag(L& l, const typename L::M& m) {
  return l.select(m, l.value(1), l.value(0));
}

/// What a register says as the amount of a shift.
template <class L>
[[gnu::always_inline]] inline typename L::V amount(L& l, const typename L::V& a) {
  return a & l.value(31);
}

template <Op op, class L>
[[gnu::always_inline]] inline typename L::V base_result(L& l, const Operands<typename L::V>& o) {
  if constexpr (op == Op::LUI)
    return l.value(o.imm);
  else if constexpr (op == Op::AUIPC)
    return l.value(o.pc + o.imm);
  else if constexpr (op == Op::ADDI)
    return o.rs1 + l.value(o.imm);
  else if constexpr (op == Op::SLTI)
    return flag(l, l.less(o.rs1, l.value(o.imm)));
  else if constexpr (op == Op::SLTIU)
    return flag(l, l.less_unsigned(o.rs1, l.value(o.imm)));
  else if constexpr (op == Op::XORI)
    return o.rs1 ^ l.value(o.imm);
  else if constexpr (op == Op::ORI)
    return o.rs1 | l.value(o.imm);
  else if constexpr (op == Op::ANDI)
    return o.rs1 & l.value(o.imm);
  else if constexpr (op == Op::SLLI)
    return o.rs1 << o.imm;
  else if constexpr (op == Op::SRLI)
    return o.rs1 >> o.imm;
  else if constexpr (op == Op::SRAI)
    return l.sar(o.rs1, o.imm);
  else if constexpr (op == Op::ADD)
    return o.rs1 + o.rs2;
  else if constexpr (op == Op::SUB)
    return o.rs1 - o.rs2;
  else if constexpr (op == Op::SLL)
    return o.rs1 << amount(l, o.rs2);
  else if constexpr (op == Op::SLT)
    return flag(l, l.less(o.rs1, o.rs2));
  else if constexpr (op == Op::SLTU)
    return flag(l, l.less_unsigned(o.rs1, o.rs2));
  else if constexpr (op == Op::XOR)
    return o.rs1 ^ o.rs2;
  else if constexpr (op == Op::SRL)
    return o.rs1 >> amount(l, o.rs2);
  else if constexpr (op == Op::SRA)
    return l.sar(o.rs1, amount(l, o.rs2));
  else if constexpr (op == Op::OR)
    return o.rs1 | o.rs2;
  else if constexpr (op == Op::AND)
    return o.rs1 & o.rs2;
  else if constexpr (op == Op::MUL)
    return o.rs1 * o.rs2;
  else if constexpr (op == Op::MULH)
    return l.multiply_wide(o.rs1, o.rs2).high;
  else if constexpr (op == Op::MULHU)
    return l.multiply_wide_unsigned(o.rs1, o.rs2).high;
  else if constexpr (op == Op::MULHSU)
    // A negative rs1 counts as 2^32 more in the unsigned product: rs2 too much in its upper word.
    return l.multiply_wide_unsigned(o.rs1, o.rs2).high - (l.sar(o.rs1, 31u) & o.rs2);
  else if constexpr (op == Op::DIV)
    return l.divide(o.rs1, o.rs2);
  else if constexpr (op == Op::DIVU)
    return l.divide_unsigned(o.rs1, o.rs2);
  else if constexpr (op == Op::REM)
    return l.remainder(o.rs1, o.rs2);
  else if constexpr (op == Op::REMU)
    return l.remainder_unsigned(o.rs1, o.rs2);
  else
    static_assert(op == Op::count, "a row of I or M has no body");
}

/// Conditions of branches, XCVbi's (rs1 against a 5-bit signed immediate) among them.
template <Op op, class L>
[[gnu::always_inline]] inline typename L::M branch_condition(L& l, const typename L::V& rs1,
                                                             const typename L::V& rs2, u32 imm2) {
  const auto other = [&] { return l.value(static_cast<u32>(i32{static_cast<i8>(imm2)})); };
  if constexpr (op == Op::BEQ)
    return l.equal(rs1, rs2);
  else if constexpr (op == Op::BNE)
    return l.invert(l.equal(rs1, rs2));
  else if constexpr (op == Op::BLT)
    return l.less(rs1, rs2);
  else if constexpr (op == Op::BGE)
    return l.invert(l.less(rs1, rs2));
  else if constexpr (op == Op::BLTU)
    return l.less_unsigned(rs1, rs2);
  else if constexpr (op == Op::BGEU)
    return l.invert(l.less_unsigned(rs1, rs2));
  else if constexpr (op == Op::CV_BEQIMM)
    return l.equal(rs1, other());
  else if constexpr (op == Op::CV_BNEIMM)
    return l.invert(l.equal(rs1, other()));
  else
    static_assert(op == Op::count, "a branch has no condition");
}

}  // namespace simfarm::bodies
