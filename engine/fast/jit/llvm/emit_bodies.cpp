#include "engine/fast/jit/llvm/emit_bodies.h"

#include "base/check.h"
#include "pe/bodies/body.h"
#include "pe/bodies/table.h"

namespace simfarm::fast::jit {
namespace {

using Result = Value (*)(Lanes&, const bodies::Operands<Value>&);
using Condition = Mask (*)(Lanes&, const Value&, const Value&, u32);

constexpr auto results = bodies::by_op<Result>([]<Op op>(std::integral_constant<Op, op>) -> Result {
  if constexpr (bodies::has_result(op)) {
    return [](Lanes& lanes, const bodies::Operands<Value>& operands) {
      return bodies::result<op>(lanes, operands);
    };
  } else {
    return nullptr;
  }
});

constexpr auto conditions =
    bodies::by_op<Condition>([]<Op op>(std::integral_constant<Op, op>) -> Condition {
      if constexpr (bodies::has_condition(op)) {
        return [](Lanes& lanes, const Value& rs1, const Value& rs2, u32 imm2) {
          return bodies::holds<op>(lanes, rs1, rs2, imm2);
        };
      } else {
        return nullptr;
      }
    });

}  // namespace

Value emit_result(Op op, Lanes& lanes, const bodies::Operands<Value>& operands) {
  const Result result = results[static_cast<u32>(op)];
  check(result != nullptr, "an instruction without a body");
  return result(lanes, operands);
}

Mask emit_condition(Op op, Lanes& lanes, const Value& rs1, const Value& rs2, u32 imm2) {
  const Condition condition = conditions[static_cast<u32>(op)];
  check(condition != nullptr, "a branch without a condition");
  return condition(lanes, rs1, rs2, imm2);
}

}  // namespace simfarm::fast::jit
