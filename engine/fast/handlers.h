// The handlers of micro-operations, by instruction: made from the bodies (pe/bodies) and from what
// the rows say of memory (isa/traits.h).
#pragma once
#include "engine/fast/interpreter.h"
#include "isa/op.h"

namespace simfarm::fast {

/// Of instructions in a body; null for those that only end a node. `granule`: of the marks that
/// loads and stores leave (engine/fast/marks.h).
Handler handler_of(Op op, u32 granule);
/// Of what ends a node whose last instruction is `op`.
Handler ending_of(Ending ending, Op op);

}  // namespace simfarm::fast
