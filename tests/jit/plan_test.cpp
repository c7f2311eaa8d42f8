// What is known of a region before code is emitted.
#include "engine/fast/jit/plan.h"

#include <gtest/gtest.h>

#include "engine/fast/graph.h"
#include "engine/fast/marks.h"
#include "tests/support/kernel.h"

namespace simfarm::test {
namespace {

using fast::jit::none;
using fast::jit::PlannedNode;
using fast::jit::Rows;

constexpr Rows row_bit(u32 row) { return Rows{1} << row; }

PlannedNode planned(fast::Node& node, u32 granule = fast::no_marks) {
  PlannedNode result;
  result.node = &node;
  fast::jit::plan_accesses(result,
                           {.local_base = local_base, .local_bytes = 1 << 16, .granule = granule});
  return result;
}

TEST(Plan, AccessesOfOneBaseShareAGuard) {
  fast::Node node;
  node.body = {{.op = Op::LW, .rd = t0, .rs1 = a0, .imm = 8},
               {.op = Op::CV_LW_PI, .rd = t1, .rs1 = a0, .imm = 4},
               {.op = Op::SB, .rs1 = a0, .rs2 = t1, .imm = 15},
               {.op = Op::ADDI, .rd = a1, .rs1 = a0, .imm = -8},
               {.op = Op::GP_LD2, .rd = t0, .rs1 = a1, .rs2 = t1, .imm = 12}};
  node.pcs.resize(node.body.size());
  const PlannedNode its = planned(node);
  ASSERT_EQ(its.guards.size(), 1u);
  EXPECT_EQ(its.guards[0].root, u32{a0});
  EXPECT_EQ(its.guards[0].alignment, 8u);
  EXPECT_EQ(its.guards[0].low, 0);
  EXPECT_EQ(its.guards[0].high, 20);
  EXPECT_EQ(its.guards[0].store_low, 19);
  EXPECT_EQ(its.accesses[4].offset, 8);
}

TEST(Plan, OneMarkInEachGranule) {
  fast::Node node;
  for (const i32 at : {0, 4, 8, 12, 16, 20, 24, 28, 64})
    node.body.push_back({.op = Op::LW, .rd = t0, .rs1 = a0, .imm = at});
  node.body.push_back({.op = Op::SH, .rs1 = a0, .rs2 = t0, .imm = 6});
  node.pcs.resize(node.body.size());
  const PlannedNode coarse = planned(node, fast::coarse_granule),
                    fine = planned(node, fast::fine_granule);
  ASSERT_EQ(coarse.guards.size(), 1u);
  // Wherever granules begin, 16 is in the one of what is between 4 and 16, or of 28.
  EXPECT_EQ(coarse.guards[0].load_marks, (std::vector<i64>{0, 16, 28, 64}));
  EXPECT_EQ(coarse.guards[0].store_marks, std::vector<i64>{6});
  EXPECT_EQ(fine.guards[0].load_marks.size(), 36u);
  EXPECT_EQ(fine.guards[0].store_marks, (std::vector<i64>{6, 7}));
  EXPECT_TRUE(planned(node).guards[0].load_marks.empty());
}

TEST(Plan, AWordThatCannotBeAlignedAsWellHasItsOwn) {
  fast::Node node;
  node.body = {{.op = Op::LW, .rd = t0, .rs1 = a0}, {.op = Op::LH, .rd = t1, .rs1 = a0, .imm = 5}};
  node.pcs.resize(2);
  EXPECT_EQ(planned(node).guards.size(), 2u);
}

TEST(Plan, ALoadedBaseIsARootOfItsOwn) {
  fast::Node node;
  node.body = {{.op = Op::LW, .rd = a0, .rs1 = a0}, {.op = Op::LW, .rd = t1, .rs1 = a0}};
  node.pcs.resize(2);
  const PlannedNode its = planned(node);
  ASSERT_EQ(its.guards.size(), 2u);
  EXPECT_EQ(its.guards[1].root, none);
  EXPECT_EQ(its.guards[1].first, 1u);
}

TEST(Plan, WhatIsLoadedIsNotUniform) {
  const Rows all = ~Rows{0};
  const Operation load{.op = Op::CV_LW_PI, .rd = t0, .rs1 = a0, .imm = 4};
  EXPECT_EQ(fast::jit::uniform_after(load, all), all & ~row_bit(t0));
  const Operation add{.op = Op::ADD, .rd = t1, .rs1 = t0, .rs2 = a0};
  EXPECT_EQ(fast::jit::uniform_after(add, all & ~row_bit(t0)), all & ~row_bit(t0) & ~row_bit(t1));
  const Operation constant{.op = Op::LUI, .rd = t0};
  EXPECT_EQ(fast::jit::uniform_after(constant, all & ~row_bit(t0)), all);
}

TEST(Plan, WhatAddressesComeFromIsExpectedToBeEqual) {
  fast::Node node;
  node.body = {{.op = Op::LW, .rd = t0, .rs1 = sp, .imm = 8},  // comes back from the stack
               {.op = Op::LW, .rd = t1, .rs1 = sp, .imm = 12},
               {.op = Op::SLLI, .rd = t0, .rs1 = t0, .imm = 2},
               {.op = Op::LW, .rd = t2, .rs1 = t0},  // may be anything
               {.op = Op::ADD, .rd = t1, .rs1 = t1, .rs2 = t2},
               {.op = Op::SW, .rs1 = a0, .rs2 = t1},
               {.op = Op::LW, .rd = t1, .rs1 = t2}};
  node.pcs = {100, 104, 108, 112, 116, 120, 124};
  fast::jit::Config config{.local_base = local_base, .local_bytes = 1 << 16};
  const auto expected = [&] {
    std::vector<u32> result;
    const fast::jit::Plan plan =
        fast::jit::make_plan(node, row_bit(sp), config, [](const fast::Exit&) { return u64{0}; });
    for (u32 k = 0; k < node.body.size(); ++k)
      if (plan.nodes[0].accesses[k].expected) result.push_back(k);
    return result;
  };
  EXPECT_EQ(expected(), std::vector<u32>{0});
  config.differing.insert({0, 100});
  EXPECT_EQ(expected(), std::vector<u32>{});
}

TEST(Plan, ColdWaysStayOutside) {
  Kernel kernel;
  const u32 top = kernel.here();
  kernel.addi(t0, t0, -1).branch(Op::BNE, t0, zero, top).addi(t1, t1, 1).jump(top);
  const std::vector<DecodedImage> images = decoded_images(program_of(kernel));
  fast::Graph graph(images, true);
  fast::Entry entry;
  entry.pc = top;
  fast::Node& node = graph.find(entry);
  for (fast::Exit& exit : node.exits) graph.follow(exit);
  const auto nodes = [&](u64 rarely) {
    return fast::jit::make_plan(node, 0, {.local_bytes = 64},
                                [&](const fast::Exit& exit) {
                                  return exit.leads_to.pc == top ? u64{100'000} : rarely;
                                })
        .nodes.size();
  };
  EXPECT_GT(nodes(10'000), nodes(10));
}

}  // namespace
}  // namespace simfarm::test
