// The bodies of pe/bodies over the lane context of generated code, chosen by Op.
#pragma once
#include "engine/fast/jit/llvm/lanes.h"
#include "isa/op.h"

namespace simfarm::fast::jit {

/// Emits the new rd of `op`, which has a body (bodies::has_result).
Value emit_result(Op op, Lanes& lanes, const bodies::Operands<Value>& operands);

/// Emits whether the branch `op` is taken.
Mask emit_condition(Op op, Lanes& lanes, const Value& rs1, const Value& rs2, u32 imm2);

}  // namespace simfarm::fast::jit
