// Operands and operations to run bodies with, and the reference engine's answer.
#pragma once
#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "pe/bodies/lane.h"
#include "tests/isa/words.h"
#include "tests/pe/core.h"

namespace simfarm::bodies {

/// Registers of the operations under test: all different, so that nothing hides.
inline constexpr u8 rd = 5, rs1 = 6, rs2 = 7, rs3 = 8;

/// Operations of `op`'s row, one for each of its immediates that words.h finds.
inline std::vector<Operation> operations_of(Op op) {
  std::vector<Operation> list;
  for (u32 word : test::words_of(op)) {
    const std::optional<Operation> decoded = decode(word);
    if (!decoded) continue;
    Operation one = *decoded;
    if (writes(op, Field::rd)) one.rd = rd;
    one.rs1 = rs1;
    one.rs2 = reads(op, Field::rs2) ? rs2 : 0;
    one.rs3 = reads(op, Field::rs3) ? rs3 : 0;
    if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
  }
  return list;
}

/// Values where something changes: signs, limits, parts at their limits.
inline constexpr std::array corners = {
    0u,           1u,           2u,           3u,           31u,          32u,
    ~0u,          ~1u,          0x7fff'ffffu, 0x8000'0000u, 0x8000'0001u, 0x4000'0000u,
    0xc000'0000u, 0x0000'8000u, 0x0000'7fffu, 0xffff'8000u, 0x8000'8000u, 0x7fff'8000u,
    0x8080'8080u, 0x7f7f'7f7fu, 0x807f'ff01u, 0xff80'017fu, 0x0001'0000u, 0x0302'0100u,
    0x0706'0504u, 0x0000'03e0u, 0x0000'03ffu, 0x5555'5555u};

/// A number that is a corner, small, or anything.
inline u32 any_value(std::mt19937& random) {
  switch (random() % 4) {
    case 0:
      return corners[random() % corners.size()];
    case 1:
      return random() % 64;
    case 2:
      return random() >> random() % 32;
    default:
      return random();
  }
}

/// Sets of register values: all pairs of corners as rs1 and rs2, then what comes.
inline std::vector<Operands<u32>> values_for(Op op, u32 drawn) {
  std::mt19937 random(static_cast<u32>(op) + 1);  // the same values in every run
  std::vector<Operands<u32>> list;
  const auto add = [&](u32 first, u32 second) {
    Operands<u32> o;
    o.rd = any_value(random);
    o.rs1 = first;
    o.rs2 = second;
    o.rs3 = reference::TestMemory::base + 8 * (random() % 16);
    o.x_low = any_value(random);
    o.x_high = any_value(random);
    list.push_back(o);
  };
  for (u32 first : corners)
    for (u32 second : corners) add(first, second);
  for (u32 k = 0; k < drawn; ++k) add(any_value(random), any_value(random));
  while (list.size() % 16 != 0) add(any_value(random), any_value(random));
  return list;
}

/// What the translation knows of `operation`, beside the registers' values `o`.
inline Operands<u32> operands_of(const Operation& operation, Operands<u32> o) {
  o.imm = static_cast<u32>(operation.imm);
  o.imm2 = operation.imm2;
  o.pc = reference::code_base;
  o.length = operation.length;
  return o;
}

/// The reference's core after `operation` on the registers of `o`.
struct Expected {
  u32 rd;
  bool taken;
};
inline Expected expected(reference::TestCore& core, const Operation& operation,
                         const Operands<u32>& o) {
  core.hart.x[rd] = o.rd;
  core.hart.x[rs1] = o.rs1;
  core.hart.x[rs2] = o.rs2;
  core.hart.x[rs3] = o.rs3;
  core.hart.operand = u64{o.x_high} << 32 | o.x_low;
  core.hart.pc = reference::code_base;
  const reference::Executed done = core.run(operation);
  EXPECT_FALSE(done.fault) << row(operation.op).name;
  return {core.hart.x[rd], done.facts.taken};
}

}  // namespace simfarm::bodies
