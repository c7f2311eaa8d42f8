// The bodies for gangs, at every level that the host has, against the reference engine.
#include "pe/bodies/gang_bodies.h"

#include "isa/disassemble.h"
#include "pe/bodies/rows.h"
#include "tests/bodies/operands.h"

namespace simfarm::bodies {
namespace {

constexpr u32 lanes = 16;

/// Registers of sixteen PEs.
struct Registers {
  alignas(64) std::array<u32, lanes> rd, rs1, rs2, x_low, x_high;
};

/// Sixteen sets of values from `first` on, side by side.
Registers side_by_side(const std::vector<Operands<u32>>& values, u64 first) {
  Registers r;
  for (u32 lane = 0; lane < lanes; ++lane) {
    const Operands<u32>& o = values[first + lane];
    r.rd[lane] = o.rd;
    r.rs1[lane] = o.rs1;
    r.rs2[lane] = o.rs2;
    r.x_low[lane] = o.x_low;
    r.x_high[lane] = o.x_high;
  }
  return r;
}

/// Registers that the row does not read are not there at all.
GangOperands gang_operands(const Operation& operation, const Registers& r) {
  const Op op = operation.op;
  const Operands<u32> known = operands_of(operation, {});
  GangOperands o;
  if (reads(op, Field::rd)) o.rd = r.rd.data();
  if (reads(op, Field::rs1)) o.rs1 = r.rs1.data();
  if (reads(op, Field::rs2)) o.rs2 = r.rs2.data();
  if (reads_operand_buffer(op)) {
    o.x_low = r.x_low.data();
    o.x_high = r.x_high.data();
  }
  o.imm = known.imm;
  o.imm2 = known.imm2;
  o.pc = known.pc;
  o.length = known.length;
  return o;
}

class GangBodiesTest : public testing::TestWithParam<HostIsa> {
 protected:
  void SetUp() override {
    if (!runs_here(GetParam())) GTEST_SKIP() << "this processor does not have the level";
  }
};

TEST_P(GangBodiesTest, ResultsAreTheReferences) {
  reference::TestCore core;
  for (const Row& one : rows()) {
    const GangResult body = gang_bodies(GetParam()).results[static_cast<u32>(one.op)];
    ASSERT_EQ(body != nullptr, has_result(one.op)) << one.name;
    if (body == nullptr) continue;
    const std::vector<Operands<u32>> values = values_for(one.op, 200);
    for (const Operation& operation : operations_of(one.op))
      for (u64 first = 0; first < values.size(); first += lanes) {
        Registers r = side_by_side(values, first);
        body(r.rd.data(), gang_operands(operation, r));
        for (u32 lane = 0; lane < lanes; ++lane) {
          const Operands<u32>& o = values[first + lane];
          ASSERT_EQ(r.rd[lane], expected(core, operation, o).rd)
              << disassemble(operation) << " lane " << lane << std::hex << " rd " << o.rd << " rs1 "
              << o.rs1 << " rs2 " << o.rs2 << " x " << o.x_high << ' ' << o.x_low;
        }
      }
  }
}

TEST_P(GangBodiesTest, ConditionsAreTheReferences) {
  reference::TestCore core;
  for (const Row& one : rows()) {
    const GangCondition body = gang_bodies(GetParam()).conditions[static_cast<u32>(one.op)];
    ASSERT_EQ(body != nullptr, has_condition(one.op)) << one.name;
    if (body == nullptr) continue;
    const std::vector<Operands<u32>> values = values_for(one.op, 200);
    for (const Operation& operation : operations_of(one.op))
      for (u64 first = 0; first < values.size(); first += lanes) {
        const Registers r = side_by_side(values, first);
        const u32 taken = body(gang_operands(operation, r));
        for (u32 lane = 0; lane < lanes; ++lane)
          ASSERT_EQ((taken >> lane & 1) != 0, expected(core, operation, values[first + lane]).taken)
              << disassemble(operation) << " lane " << lane;
        ASSERT_EQ(taken >> lanes, 0u);
      }
  }
}

TEST_P(GangBodiesTest, StoresWhereTheMaskSays) {
  alignas(64) std::array<u32, lanes> from;
  for (u32 lane = 0; lane < lanes; ++lane) from[lane] = 100 + lane;
  for (u32 mask = 0; mask < 1u << lanes; ++mask) {
    alignas(64) std::array<u32, lanes> to{};
    gang_bodies(GetParam()).store_where(mask, to.data(), from.data());
    for (u32 lane = 0; lane < lanes; ++lane)
      ASSERT_EQ(to[lane], (mask >> lane & 1) != 0 ? 100 + lane : 0) << mask;
  }
}

std::string level_name(const testing::TestParamInfo<HostIsa>& level) {
  constexpr std::array names = {"baseline", "avx2", "avx512"};
  return names[static_cast<u32>(level.param)];
}
INSTANTIATE_TEST_SUITE_P(Levels, GangBodiesTest,
                         testing::Values(HostIsa::baseline, HostIsa::avx2, HostIsa::avx512),
                         level_name);

}  // namespace
}  // namespace simfarm::bodies
