// Where loads and stores leave a mark when races are looked for (engine/fast/race_watch.h). A PE
// has one mark for the loads and one for the stores of each granule of its local memory: the epoch
// of the last one. They lie behind the memory, with the PEs of a tile side by side as its words do.
#pragma once
#include "engine/fast/node.h"

namespace simfarm::fast {

/// Bytes with one mark, a power of two; an aligned access is in one granule of this size. Programs
/// seldom share so few bytes with their transfers.
inline constexpr u32 coarse_granule = 16;
/// For those that do.
inline constexpr u32 fine_granule = 1;
/// Races are not looked for.
inline constexpr u32 no_marks = 0;

/// The row, beside the registers', of the number of the PE's epoch.
inline constexpr u32 epoch_row = register_rows + 1;
inline constexpr u32 first_epoch = 1;
/// The last one there can be: marks are compared as signed numbers.
inline constexpr u32 last_epoch = 0x7fff'fffe;

/// In a PE's own words, from the first of its local memory on.
constexpr u64 load_marks_at(u64 local_bytes) { return local_bytes / 4; }
constexpr u64 store_marks_at(u64 local_bytes, u32 granule) {
  return load_marks_at(local_bytes) + (local_bytes + granule - 1) / granule;
}
/// Its words and marks.
constexpr u64 words_with_marks(u64 local_bytes, u32 granule) {
  const u64 words = local_bytes / 4;
  return granule == no_marks ? words : words + 2 * ((local_bytes + granule - 1) / granule);
}

}  // namespace simfarm::fast
