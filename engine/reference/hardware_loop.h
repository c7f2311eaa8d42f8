// Hardware loops: where execution goes at the end of a body, and the restrictions of the CV32E40P
// manual ("Hardware Loop constraints"), whose violation the core leaves undefined and this machine
// reports. docs/machine.md, "Hardware loops", says when each is found.
#pragma once
#include <optional>

#include "engine/reference/execute.h"

namespace simfarm::reference {

/// Why `op`, at hart.pc, must not be executed where it is: inside the body of an active loop.
std::optional<Fault> loop_violation(const Hart& hart, const Operation& op);

/// Why nothing may jump to `target`: it is inside an active loop's body and not its start.
std::optional<Fault> jump_into_loop(const Hart& hart, u32 target);

/// Where hart.pc stands in the loops, as the core's loop logic sees it before the instruction
/// executes; what pe/timing wants to know.
struct LoopPlace {
  bool inside = false;        ///< of a body that has more than one iteration to go
  bool last_but_one = false;  ///< the instruction after is the last of a body
  bool last = false;          ///< of a body that has more than one iteration to go
};
LoopPlace place_in_loops(const Hart& hart);

/// Gives loop `number` new registers; those that are not given stay.
struct LoopUpdate {
  std::optional<u32> start;
  std::optional<u32> end;
  std::optional<u32> count;
  bool relative_to_pc = false;  ///< start or end were computed from the pc
};
std::optional<Fault> update_loop(Hart& hart, u32 number, const LoopUpdate& update);

}  // namespace simfarm::reference
