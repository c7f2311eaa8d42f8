#include "pe/bodies/scalar.h"

#include "pe/bodies/table.h"

namespace simfarm::bodies {
namespace {

template <Op op>
u32 one_result(const Operands<u32>& o) {
  Scalar l;
  return result<op>(l, o);
}

template <Op op>
bool one_condition(u32 rs1, u32 rs2, u32 imm2) {
  Scalar l;
  return holds<op>(l, rs1, rs2, imm2);
}

constexpr auto results = by_op<ScalarResult>([](auto op) -> ScalarResult {
  if constexpr (has_result(op()))
    return one_result<op()>;
  else
    return nullptr;
});

constexpr auto conditions = by_op<ScalarCondition>([](auto op) -> ScalarCondition {
  if constexpr (has_condition(op()))
    return one_condition<op()>;
  else
    return nullptr;
});

}  // namespace

ScalarResult scalar_result(Op op) { return results[static_cast<u32>(op)]; }
ScalarCondition scalar_condition(Op op) { return conditions[static_cast<u32>(op)]; }

}  // namespace simfarm::bodies
