// An instruction that the stepper is about to do.
#pragma once
#include "engine/fast/stepper.h"
#include "pe/timing.h"

namespace simfarm::fast {

struct Stepper::Doing {
  Pe& pe;
  const Operation& op;
  Loops loops;  ///< as they are before the instruction, and then after it
  u32 pc = 0;
  Cycle at = 0;  ///< of issue
  u32 next_pc = 0;
  bool jumps = false;  ///< to next_pc, whatever the loops say
  timing::Facts facts;
  u8 region = 0;  ///< of the next instruction

  u32 rd() const { return pe.x(op.rd); }
  u32 rs1() const { return pe.x(op.rs1); }
  u32 rs2() const { return pe.x(op.rs2); }
  u32 rs3() const { return pe.x(op.rs3); }
  u32 imm() const { return static_cast<u32>(op.imm); }
};

}  // namespace simfarm::fast
