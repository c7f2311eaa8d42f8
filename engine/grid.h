// The array's geometry: neighbours, and the groups of its barriers.
#pragma once
#include <optional>

#include "base/types.h"
#include "engine/machine.h"

namespace simfarm {

enum class Direction : u8 { north, east, south, west };
inline constexpr u32 direction_count = 4;
/// "north", "east", "south", "west".
const char* name(Direction direction);
/// The direction from which the neighbour in `direction` sees us.
constexpr Direction opposite(Direction direction) {
  return static_cast<Direction>((static_cast<u32>(direction) + 2) % direction_count);
}

/// The PE next to `pe` in `direction`; none off the edge.
std::optional<PeId> neighbour(const Machine& machine, PeId pe, Direction direction);

enum class BarrierGroup : u8 { all, row, column };

/// Semaphores: sixteen a PE. 0-7 are raised only by the PE's own DMA engine, 8-15 by posts and
/// pushes.
inline constexpr u32 semaphore_count = 16;
inline constexpr u32 first_remote_semaphore = 8;
inline constexpr u32 semaphore_limit = 0x7fff'ffff;  ///< the largest value
inline constexpr u32 amount_limit = 65535;           ///< of one wait or release

}  // namespace simfarm
