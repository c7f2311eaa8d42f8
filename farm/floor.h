// What no run can do: fewer cycles than the machine's peaks allow, and counters that do not add up.
// The first is held for a person to look at, the second is a fault of the simulator.
#pragma once
#include <optional>
#include <string>

#include "engine/machine.h"
#include "engine/outcome.h"
#include "farm/case.h"
#include "farm/judge.h"
#include "farm/task.h"

namespace simfarm::farm {

/// The cycles that a case takes at least, and why.
struct Floor {
  Cycle cycles = 0;
  std::string why;  ///< "1056 multiply-adds on 16 PEs at 8 a cycle"
};

/// The largest of: the multiply-adds that the task says a case needs, at the PEs' peak; the bytes
/// of its outputs and of the inputs that the task says are read, at the peak of DRAM or OCM; the
/// cycles that the task gives outright.
Floor floor_of(const Task& task, const Case& one);

/// The multiply-adds that the task says a case needs; 0 where it does not.
u64 required_macs(const Task& task, const Case& one);

/// Holds what was accepted and took fewer cycles in one of these cases than its floor: HELD, with
/// all its scores.
void hold_below_floor(const Task& task, const std::vector<Case>& cases, Judgement& judgement);

/// The first identity that a finished run breaks, with the figures; none: all hold. For each PE
/// issued + stalls = cycles; for each DMA engine the same; no more bytes are read, or written, than
/// the ports of all memories carry in the run.
std::optional<std::string> broken_identity(const Machine& machine, const Outcome& outcome);

}  // namespace simfarm::farm
