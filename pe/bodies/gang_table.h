// One level's table of bodies, made where that level is compiled.
#pragma once
#include "pe/bodies/gang.h"
#include "pe/bodies/gang_bodies.h"
#include "pe/bodies/table.h"

namespace simfarm::bodies {

template <Op op, class Gang>
[[gnu::always_inline]] inline Operands<typename Gang::V> load_operands(const GangOperands& from) {
  Operands<typename Gang::V> o;
  if constexpr (reads(op, Field::rd)) o.rd = Gang::load(from.rd);
  if constexpr (reads(op, Field::rs1)) o.rs1 = Gang::load(from.rs1);
  if constexpr (reads(op, Field::rs2)) o.rs2 = Gang::load(from.rs2);
  if constexpr (reads_operand_buffer(op)) {
    o.x_low = Gang::load(from.x_low);
    o.x_high = Gang::load(from.x_high);
  }
  o.imm = from.imm;
  o.imm2 = from.imm2;
  o.pc = from.pc;
  o.length = from.length;
  return o;
}

template <Op op, class Gang>
void gang_result(u32* rd, const GangOperands& from) {
  Gang l;
  Gang::store(rd, result<op>(l, load_operands<op, Gang>(from)));
}

template <Op op, class Gang>
u32 gang_condition(const GangOperands& from) {
  Gang l;
  const Operands<typename Gang::V> o = load_operands<op, Gang>(from);
  return Gang::bits(holds<op>(l, o.rs1, o.rs2, o.imm2));
}

template <class Gang>
void gang_store_where(u32 mask, u32* to, const u32* from) {
  Gang::store_where(Gang::mask(mask), to, Gang::load(from));
}

template <class Gang>
consteval GangBodies make_gang_bodies() {
  return {by_op<GangResult>([](auto op) -> GangResult {
            if constexpr (has_result(op()))
              return gang_result<op(), Gang>;
            else
              return nullptr;
          }),
          by_op<GangCondition>([](auto op) -> GangCondition {
            if constexpr (has_condition(op()))
              return gang_condition<op(), Gang>;
            else
              return nullptr;
          }),
          gang_store_where<Gang>};
}

}  // namespace simfarm::bodies
