// Adds up what instructions cost, one after the other, by the timing unit.
#pragma once
#include <array>
#include <utility>
#include <vector>

#include "engine/fast/loops.h"
#include "isa/row.h"
#include "pe/stall.h"
#include "pe/timing.h"

namespace simfarm::fast {

class Meter {
 public:
  explicit Meter(const timing::PipelineState& state) : state_(state) {}

  const timing::PipelineState& state() const { return state_; }
  u32 cycles() const { return cycles_; }
  u32 instructions() const { return instructions_; }
  const Counters& costs() const { return costs_; }

  /// `op` issues without waiting for anybody.
  void pass(const Operation& op, const timing::Facts& facts) {
    const timing::Before before = timing::before(state_, op);
    charge(Stall::load_use, before.load_use);
    charge(Stall::jump_dep, before.jump_dep);
    ++costs_.issued[static_cast<u32>(row(op.op).issue)];
    ++instructions_;
    ++cycles_;
    const timing::After after = timing::after(state_, op, facts);
    charge(after.bin, after.cycles);
    charge(Stall::branch, after.refill);
  }

 private:
  void charge(Stall bin, u32 cycles) {
    costs_.stalls[static_cast<u32>(bin)] += cycles;
    cycles_ += cycles;
  }

  timing::PipelineState state_;
  u32 cycles_ = 0;
  u32 instructions_ = 0;
  Counters costs_;
};

/// The facts about an instruction at `pc` that its place alone decides.
inline timing::Facts facts_at(const LoopPlace& place) {
  timing::Facts facts;
  facts.in_loop = place.inside;
  facts.loop_last_but_one = place.last_but_one;
  return facts;
}

}  // namespace simfarm::fast
