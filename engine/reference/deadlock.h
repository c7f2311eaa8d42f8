// The report on a machine in which nothing can move any more: what each party waits for, and a
// chain of who holds up whom.
#pragma once
#include <vector>

#include "engine/outcome.h"
#include "engine/reference/pe.h"
#include "engine/reference/world.h"

namespace simfarm::reference {

/// Every PE has ended or waits, no DMA engine is at work, nothing is on its way.
Deadlock explain_deadlock(const std::vector<Pe>& pes, const World& world);

}  // namespace simfarm::reference
