// The bodies for one PE against the reference engine.
#include "pe/bodies/scalar.h"

#include "isa/disassemble.h"
#include "tests/bodies/operands.h"

namespace simfarm::bodies {
namespace {

TEST(ScalarBodies, ResultsAreTheReferences) {
  reference::TestCore core;
  u32 rows_seen = 0;
  for (const Row& one : rows()) {
    if (!has_result(one.op)) continue;
    ++rows_seen;
    const std::vector<Operation> operations = operations_of(one.op);
    ASSERT_FALSE(operations.empty()) << one.name;
    const ScalarResult body = scalar_result(one.op);
    ASSERT_NE(body, nullptr) << one.name;
    for (const Operation& operation : operations)
      for (const Operands<u32>& values : values_for(one.op, 200)) {
        const Operands<u32> o = operands_of(operation, values);
        ASSERT_EQ(body(o), expected(core, operation, o).rd)
            << disassemble(operation) << std::hex << " rd " << o.rd << " rs1 " << o.rs1 << " rs2 "
            << o.rs2 << " x " << o.x_high << ' ' << o.x_low;
      }
  }
  EXPECT_EQ(rows_seen, 343u);
}

TEST(ScalarBodies, ConditionsAreTheReferences) {
  reference::TestCore core;
  for (const Row& one : rows()) {
    if (!has_condition(one.op)) continue;
    const ScalarCondition body = scalar_condition(one.op);
    ASSERT_NE(body, nullptr) << one.name;
    for (const Operation& operation : operations_of(one.op))
      for (const Operands<u32>& values : values_for(one.op, 200)) {
        const Operands<u32> o = operands_of(operation, values);
        ASSERT_EQ(body(o.rs1, o.rs2, o.imm2), expected(core, operation, o).taken)
            << disassemble(operation) << std::hex << " rs1 " << o.rs1 << " rs2 " << o.rs2;
      }
  }
}

TEST(ScalarBodies, OthersHaveNone) {
  for (const Row& one : rows()) {
    EXPECT_EQ(scalar_result(one.op) != nullptr, has_result(one.op)) << one.name;
    EXPECT_EQ(scalar_condition(one.op) != nullptr, has_condition(one.op)) << one.name;
  }
}

}  // namespace
}  // namespace simfarm::bodies
