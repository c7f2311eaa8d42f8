// Registers and local memories of all PEs. The PEs of a tile have theirs side by side, word by
// word, so that a tile's PEs can be worked on together.
#pragma once
#include <sys/mman.h>

#include <memory>
#include <new>

#include "engine/fast/marks.h"
#include "engine/fast/node.h"
#include "engine/machine.h"

namespace simfarm::fast {

inline constexpr u32 tile_lanes = 16;
/// Of the counts of one PE. A graph makes no more: the stepper does what is beyond it.
inline constexpr u32 most_exits = 1u << 16;
/// The row that a result for x0 goes to.
inline constexpr u32 discard_row = register_rows;

class Storage {
 public:
  /// `granule`: of the marks behind the local memories (engine/fast/marks.h).
  Storage(const Machine& machine, u32 granule)
      : width_(machine.pes() >= tile_lanes / 2 ? tile_lanes : 1),
        tiles_((machine.pes() + width_ - 1) / width_),
        local_words_(words_with_marks(machine.map.local.bytes, granule)),
        registers_(zeroed<u32>(u64{tiles_} * width_ * rows)),
        memory_(zeroed<u32>(u64{tiles_} * width_ * local_words_)),
        counts_(zeroed<u64>(u64{machine.pes() + tiles_} * counts_apart)) {}

  u32 width() const { return width_; }
  u32 tiles() const { return tiles_; }
  /// Row 0 of the PE's registers; row r is r * width() further on.
  u32* registers(PeId pe) const {
    return aligned(registers_.get()) + u64{pe / width_} * width_ * rows + pe % width_;
  }
  u32* memory(PeId pe) const {
    return aligned(memory_.get()) + u64{pe / width_} * width_ * local_words_ + pe % width_;
  }
  /// What one PE did alone, and what the PEs of a tile did together.
  u64* counts(PeId pe) const { return counts_.get() + u64{pe} * counts_apart; }
  u64* tile_counts(u32 tile, const Machine& machine) const {
    return counts_.get() + (machine.pes() + u64{tile}) * counts_apart;
  }

 private:
  static constexpr u64 rows = epoch_row + 1;
  static constexpr u64 row_bytes = tile_lanes * sizeof(u32);
  /// PEs count the same exits: at a distance of a power of two these would all want the same few
  /// lines of the host's caches.
  static constexpr u64 counts_apart = most_exits + 5 * 8;
  struct Free {
    u64 bytes = 0;
    void operator()(void* memory) const { ::munmap(memory, bytes); }
  };
  template <class T>
  using Array = std::unique_ptr<T[], Free>;
  /// Zeroed by the host page by page, when it is touched. An allocator would clear all of what it
  /// has used before.
  template <class T>
  static Array<T> zeroed(u64 count) {
    const u64 bytes = count * sizeof(T) + row_bytes;
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return Array<T>(static_cast<T*>(memory), Free{bytes});
  }
  /// The first word on a row's boundary, which vectors want.
  static u32* aligned(u32* words) {
    return words +
           (row_bytes - reinterpret_cast<std::uintptr_t>(words) % row_bytes) % row_bytes / 4;
  }

  u32 width_;
  u32 tiles_;
  u64 local_words_;  ///< of each PE, with its marks
  Array<u32> registers_;
  Array<u32> memory_;
  Array<u64> counts_;
};

}  // namespace simfarm::fast
