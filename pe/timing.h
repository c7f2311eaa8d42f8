// The timing unit: the one place that knows latencies and stall bins. Instructions go in, cycles
// come out; both engines use it, and it is held from outside to the cycles of the real CV32E40P
// core (tests/timing). The rules are told in docs/timing.md.
#pragma once
#include "base/types.h"
#include "isa/operation.h"
#include "pe/stall.h"

namespace simfarm::timing {

/// What the pipeline still remembers of the instructions before. Default-constructed: empty, as at
/// the start of a run and after every synchronising instruction. Times are relative to the cycle in
/// which the execute stage is free for the next instruction ("ready").
struct PipelineState {
  u32 loaded = 0;     ///< destinations (bit n: register n, x0 included) of the load just before
  u32 late_zero = 0;  ///< registers whose value reaches the jump adder at ready
  u32 late_one = 0;   ///< at ready + 1
  u32 late_two = 0;   ///< and at ready + 2
  u8 waiting = 0;     ///< cycles that the next instruction has already been in decode at ready
  bool load = false;  ///< the instruction just before was a load (one that drains)
  bool cold = false;  ///< a pipeline flush made the core forget that it is in a hardware loop

  friend bool operator==(const PipelineState&, const PipelineState&) = default;
};

/// Stalls before an instruction can issue, charged to its own pc, in this order.
struct Before {
  u32 load_use = 0;
  u32 jump_dep = 0;
  u32 cycles() const { return load_use + jump_dep; }
};

/// What an instruction found out when it executed; only the fields its timing class reads matter.
struct Facts {
  bool taken = false;       ///< branch: taken
  bool misaligned = false;  ///< load/store: a second memory access is needed
  /// Taken branch, jump, mret, fence: the next instruction to run is a 32-bit one that is not word
  /// aligned.
  bool wide_at_halfword = false;
  bool in_loop = false;            ///< inside a hardware loop with more than one iteration to go
  bool loop_last_but_one = false;  ///< the instruction after this one is the last of a loop's body
  bool loop_back = false;          ///< a hardware loop goes back to its start after this one
  u32 rs2 = 0;                     ///< division: the divisor
};

/// Cycles after the issue cycle, before the next instruction can be considered: `cycles` of one
/// bin, then `refill` of Stall::branch.
struct After {
  Stall bin = Stall::exec_busy;
  u32 cycles = 0;
  u32 refill = 0;
};

/// Cycles that div, divu, rem or remu spends in execute.
u32 division_cycles(Op op, u32 divisor);

/// The stalls that `op` meets in `state`.
Before before(const PipelineState& state, const Operation& op);

/// The cycles that `op` adds after its issue, and the state that it leaves behind. Synchronising
/// instructions leave the empty state; what they wait for is the engine's to say.
After after(PipelineState& state, const Operation& op, const Facts& facts);

}  // namespace simfarm::timing
