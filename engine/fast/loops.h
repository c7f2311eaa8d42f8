// The two hardware loops of a core: where they lead, and what the CV32E40P manual ("Hardware Loop
// constraints") forbids; docs/machine.md, "Hardware loops", says when a violation is found.
#pragma once
#include <array>
#include <optional>

#include "engine/fast/fault.h"
#include "engine/fast/node.h"

namespace simfarm::fast {

struct Loop {
  u32 start = 0;
  u32 end = 0;  ///< the address after the body
  u32 count = 0;

  bool holds(u32 pc) const { return start <= pc && pc < end; }
  bool active_at(u32 pc) const { return count > 0 && holds(pc); }
};
using Loops = std::array<Loop, 2>;

/// What of `loops` decides control flow and timing, and back; counts of 2 and more become 2.
LoopContext context_of(const Loops& loops);
Loops loops_of(const LoopContext& context);

/// Why the instruction at `pc` must not be where it is.
std::optional<Fault> loop_violation(const Loops& loops, u32 pc, const Operation& op);
/// Why nothing may jump to `target`.
std::optional<Fault> jump_into_loop(const Loops& loops, u32 target);

/// The loop whose body ends with the instruction at `pc`, of `length` bytes, and goes on counting
/// there; 2: none.
u32 loop_ending_at(const Loops& loops, u32 pc, u32 length);

/// New registers of one loop; those that are not given stay.
struct LoopUpdate {
  std::optional<u32> start, end, count;
  bool relative_to_pc = false;  ///< start or end were computed from the pc
};
/// What the set-up instruction `op` at `pc` asks for, and doing it.
LoopUpdate loop_update(const Operation& op, u32 pc, u32 rs1);
std::optional<Fault> update_loop(Loops& loops, u32 number, u32 pc, const LoopUpdate& update);

/// What the timing unit wants to know of a place: in_loop, loop_last_but_one; `last` is for
/// loop_back.
struct LoopPlace {
  bool inside = false;
  bool last_but_one = false;
  bool last = false;
};
LoopPlace place_in(const Loops& loops, u32 pc);

}  // namespace simfarm::fast
