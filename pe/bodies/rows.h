// Which rows have a body: those that compute a register from registers, and conditional branches.
// Memory, control flow, csrs and what waits for other PEs are the engine's own.
#pragma once
#include "isa/traits.h"

namespace simfarm::bodies {

/// gp.x*dot8.ld: its rd is gp.x*dot8's; the load beside is the engine's.
constexpr bool is_dot_and_load(Op op) {
  return op == Op::GP_XSDOT8_LD || op == Op::GP_XUDOT8_LD || op == Op::GP_XUSDOT8_LD;
}

/// True when bodies::result() gives the row's new rd.
constexpr bool has_result(Op op) {
  const Row& its = row(op);
  if (its.compressed() || !writes(op, Field::rd)) return false;
  return its.timing == TimingClass::single || its.timing == TimingClass::mulh ||
         its.timing == TimingClass::division || is_dot_and_load(op);
}

/// True when bodies::holds() says whether the branch is taken.
constexpr bool has_condition(Op op) { return is_branch(op) && !row(op).compressed(); }

/// True when the row's rd depends on Xgp's operand buffer.
constexpr bool reads_operand_buffer(Op op) {
  return is_dot_and_load(op) || op == Op::GP_XSDOT8 || op == Op::GP_XUDOT8 || op == Op::GP_XUSDOT8;
}

}  // namespace simfarm::bodies
