// A run's report for people: the outcome first, then where the cycles went.
#pragma once
#include <string>

#include "engine/machine.h"
#include "engine/outcome.h"
#include "memory/program.h"

namespace simfarm::profile {

/// Outcome, cycles, instructions; on a trap, race or deadlock what happened, where, and whose
/// fault.
std::string summary(const Machine& machine, const Program& program, const Outcome& outcome);

/// A line a PE: instructions issued and every stall bin that is not zero somewhere, in cycles.
std::string pe_table(const Machine& machine, const Outcome& outcome);

/// A line a DMA engine that did anything.
std::string dma_table(const Machine& machine, const Outcome& outcome);

/// All PEs together, largest first: "issued 61.2 %, sem_wait 30.0 %, ...". Percentages are computed
/// from integers and cut to one decimal.
std::string stall_line(const Counters& all);

/// The counters of all PEs added up.
Counters total(const Outcome& outcome);

/// part/whole in per cent with one decimal, cut, not rounded: "61.2".
std::string percent(u64 part, u64 whole);

}  // namespace simfarm::profile
