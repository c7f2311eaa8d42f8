// The version of everything that a cycle count depends on (docs/timing.md).
#pragma once
#include "base/types.h"

namespace simfarm {

/// Raised by every change after which any program may take other cycles: of a PE, links, barriers,
/// DMA. Scores of two versions cannot be compared; a farm begins new boards (docs/farm.md).
inline constexpr u32 timing_version = 1;

}  // namespace simfarm
