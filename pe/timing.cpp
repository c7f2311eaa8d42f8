// The CV32E40P pipeline with zero-wait memories, reduced to what can be seen from outside.
//
// An instruction sits in decode from the cycle it is fetched until it issues; it issues when the
// execute stage is free and its operands are there. Three things make that more than a table:
//  - a load's result is a cycle late, for a reader and for a writer of the same register alike (the
//    write ports differ, so the core holds the later write back);
//  - a jump leaves from decode: it launches when it arrives there, not when it issues, so that a
//    jump waiting behind a multi-cycle instruction has hidden its own bubble by the time it issues;
//  - jalr needs its register in decode, where values arrive a cycle later than in execute.
// Measured: tests/timing holds every rule to cycles of the core's RTL.
#include "pe/timing.h"

#include <algorithm>
#include <bit>

#include "isa/traits.h"
#include "pe/csr.h"

namespace simfarm::timing {
namespace {

// Register numbers in the given fields; x0 is a number like any other to the core's hazard logic.
u32 numbers(const Operation& op, FieldSet fields) {
  u32 set = 0;
  for (u32 k = 0; k < field_count; ++k)
    if (fields >> k & 1) set |= 1u << get(op, static_cast<Field>(k));
  return set;
}

// Destinations written through the execute stage's port: everything but the data of loads.
u32 execute_writes(const Operation& op) {
  const Traits& t = traits(op.op);
  return numbers(op, static_cast<FieldSet>(t.writes & ~t.loads));
}

bool drains(const Operation& op) { return is_sync(op.op) || op.op == Op::ECALL; }

// When the register that a jalr needs is in decode, relative to ready; a launch before ready makes
// no difference, but for a jump that has been waiting in decode.
i32 jump_operand(const PipelineState& state, const Operation& op) {
  const i32 arrived = -static_cast<i32>(state.waiting);
  if (row(op.op).timing != TimingClass::jalr || op.rs1 == 0) return arrived;
  if (state.late_two >> op.rs1 & 1) return 2;
  if (state.late_one >> op.rs1 & 1) return 1;
  return state.late_zero >> op.rs1 & 1 ? 0 : arrived;
}

After jump(const PipelineState& state, const Operation& op, u32 issue, bool wide_at_halfword) {
  // It launches in decode as soon as its operand is there, even while it waits to issue.
  const i32 launch = jump_operand(state, op);
  u32 cycles = static_cast<u32>(std::max(0, launch + 1 - static_cast<i32>(issue)));
  cycles += wide_at_halfword ? 1 : 0;
  // jalr x, (x) depends on itself while it refills.
  const bool own_operand = row(op.op).timing == TimingClass::jalr && op.rd == op.rs1 && op.rd != 0;
  if (own_operand && cycles > 0) ++cycles;
  return {Stall::branch, cycles};
}

After cost(const PipelineState& state, const Operation& op, const Facts& facts, u32 issue) {
  const u32 late_target = facts.wide_at_halfword ? 1 : 0;
  switch (row(op.op).timing) {
    case TimingClass::single:
    case TimingClass::hardware_loop:
    case TimingClass::sync:
      return {};
    case TimingClass::system:
      // mret empties the pipeline before it jumps; the others are ours.
      return {Stall::branch, op.op == Op::MRET ? 4 + late_target : 0};
    case TimingClass::mulh:
      return {Stall::exec_busy, 4};
    case TimingClass::division:
      return {Stall::exec_busy, division_cycles(op.op, facts.rs2) - 1};
    case TimingClass::load:
    case TimingClass::store:
      return {Stall::misaligned, facts.misaligned ? 1u : 0u};
    case TimingClass::branch:
      return {Stall::branch, facts.taken ? 2 + late_target : 0};
    case TimingClass::jal:
    case TimingClass::jalr:
      return jump(state, op, issue, facts.wide_at_halfword);
    case TimingClass::csr:
      return {Stall::csr, csr_flushes(static_cast<u32>(op.imm) & 0xfff) ? 3u : 0u};
    case TimingClass::fence:
    case TimingClass::fence_i:
      return {Stall::fence, 3 + late_target};
  }
  return {};
}

}  // namespace

// Cycles in execute: the divider shifts the divisor up to the dividend's top, a bit a cycle.
u32 division_cycles(Op op, u32 divisor) {
  const bool is_signed = op == Op::DIV || op == Op::REM;
  if (is_signed && static_cast<i32>(divisor) < 0)
    return 2 + static_cast<u32>(std::countl_zero(~divisor));
  return 3 + static_cast<u32>(std::countl_zero(divisor));
}

Before before(const PipelineState& state, const Operation& op) {
  Before result;
  if (drains(op)) {
    result.load_use = state.load ? 1 : 0;
  } else if (state.loaded != 0) {
    const bool reads = (registers_awaited(op) & state.loaded & ~1u) != 0;
    const bool writes = (execute_writes(op) & state.loaded) != 0;
    result.load_use = reads || writes ? 1 : 0;
  }
  const i32 operand = jump_operand(state, op) - static_cast<i32>(result.load_use);
  result.jump_dep = static_cast<u32>(std::max(0, operand));
  return result;
}

After after(PipelineState& state, const Operation& op, const Facts& facts) {
  const u32 issue = before(state, op).cycles();
  After result = cost(state, op, facts, issue);
  if (drains(op)) {
    state = {};
    return result;
  }
  const bool flushed = result.bin == Stall::csr && result.cycles > 0;
  // A loop whose end the core did not see coming goes back by a refetch, which an instruction that
  // waited in decode has hidden.
  if (facts.loop_back && state.cold && !flushed && state.waiting == 0 && issue == 0) {
    result.refill = 1;
    const u32 sources = registers_read(op);
    if ((registers_loaded(op) & sources) != 0) ++result.refill;
  }
  PipelineState next;
  const bool remembers = facts.in_loop && !facts.loop_last_but_one;
  next.cold = flushed || (state.cold && !remembers);
  next.load = row(op.op).timing == TimingClass::load;
  const u32 loaded = numbers(op, traits(op.op).loads);
  if (result.refill == 0) next.loaded = loaded;  // a refetch leaves time for the value to arrive
  if (result.refill == 0 && (result.bin == Stall::exec_busy || result.bin == Stall::misaligned))
    next.waiting = static_cast<u8>(result.cycles);

  // A value computed in execute reaches decode one cycle after its instruction's last cycle there
  // (an incremented base: after its first), a loaded one yet a cycle later.
  const u32 busy = result.bin == Stall::exec_busy ? result.cycles : 0;
  const u32 memory = result.bin == Stall::misaligned ? result.cycles : 0;
  const u32 total = result.cycles + result.refill;
  const u32 elapsed = issue + 1 + total;
  const auto late = [&next](i32 at, u32 registers) {
    if (at == 0) next.late_zero |= registers;
    if (at == 1) next.late_one |= registers;
    if (at == 2) next.late_two |= registers;
  };
  late(2 - static_cast<i32>(elapsed), state.late_two);
  late(1 - static_cast<i32>(elapsed), state.late_one);
  late(static_cast<i32>(1 + busy) - static_cast<i32>(total), execute_writes(op));
  late(static_cast<i32>(2 + memory) - static_cast<i32>(total), loaded);
  state = next;
  return result;
}

}  // namespace simfarm::timing
