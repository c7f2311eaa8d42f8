// Where the fields of a descriptor lie: docs/machine.md, section 4. Reading and writing descriptors
// both use these, and nothing else knows them.
#pragma once
#include "base/types.h"

namespace simfarm::dma::layout {

// Offsets, bytes.
inline constexpr u32 control = 0;
inline constexpr u32 source = 4;
inline constexpr u32 destination = 8;
inline constexpr u32 next = 12;
inline constexpr u32 acquire_amount = 14;
inline constexpr u32 sizes = 16;
inline constexpr u32 source_strides = 24;
inline constexpr u32 destination_strides = 40;
inline constexpr u32 own_amount = 56;
inline constexpr u32 receivers_amount = 58;
inline constexpr u32 rectangle = 60;
inline constexpr u32 pad_before = 64;
inline constexpr u32 pad_after = 72;
inline constexpr u32 fill = 80;
inline constexpr u32 index_base = 88;
inline constexpr u32 index_count = 92;
inline constexpr u32 index_stride = 96;
inline constexpr u32 index_scale = 100;
inline constexpr u32 index_limit = 104;
inline constexpr u32 reserved = 108;

/// Some bits of the control word.
struct Bits {
  u32 shift = 0;
  u32 width = 0;
  constexpr u32 of(u32 word) const { return word >> shift & ((1u << width) - 1); }
  constexpr u32 at(u32 value) const { return value << shift; }
};
inline constexpr Bits operation{0, 4};
inline constexpr Bits dims_minus_1{4, 2};
inline constexpr Bits log2_element{6, 2};
inline constexpr Bits multicast{8, 1};
inline constexpr Bits include_self{9, 1};
inline constexpr Bits extended{10, 1};
inline constexpr Bits acquire_present{11, 1};
inline constexpr Bits own_present{12, 1};
inline constexpr Bits receivers_present{13, 1};
inline constexpr Bits out_of_bounds{14, 2};
inline constexpr Bits acquire_semaphore{16, 4};
inline constexpr Bits own_semaphore{20, 4};
inline constexpr Bits receivers_semaphore{24, 4};
inline constexpr Bits control_reserved{28, 4};

}  // namespace simfarm::dma::layout
