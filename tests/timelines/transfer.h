// Descriptors for the table, written byte by byte from the tables of docs/machine.md section 4:
// deliberately not dma/descriptor's encoder, which the table judges.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "base/types.h"

namespace simfarm::timelines {

inline constexpr u32 local = 0x1000'0000;
inline constexpr u32 ocm = 0x4000'0000;
inline constexpr u32 dram = 0x8000'0000;

enum class Kind : u8 { copy, fill, gather, scatter, add_i32, add_i8 };
enum class Bounds : u8 { trap, skip, fill };

/// A semaphore and an amount; amount 0: absent.
struct Use {
  u8 semaphore = 0;
  u16 amount = 0;
};

/// Columns x, rows y, both ends inside.
struct Rectangle {
  u8 x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool self = false;  ///< the initiator receives too
};

/// Second half of a descriptor that needs an index list.
struct Index {
  u32 base = 0;
  u32 count = 0;
  i32 stride = 4;
  i32 scale = 0;
  u32 limit = 0;
  Bounds bounds = Bounds::trap;
};

struct Transfer {
  Kind kind = Kind::copy;
  u32 element = 8;  ///< bytes
  u32 source = 0;
  u32 destination = 0;
  std::vector<u16> sizes;
  std::vector<i32> source_strides{};
  std::vector<i32> destination_strides{};
  Use own{0, 1};
  Use acquire{};
  Use receivers{};
  std::optional<Rectangle> multicast{};
  u32 next = 0;               ///< local offset of the next descriptor, 0: none
  std::vector<u16> before{};  ///< padding, elements
  std::vector<u16> after{};
  u64 fill = 0;
  std::optional<Index> index{};
};

/// The descriptor's 64 or 128 bytes.
std::vector<u8> descriptor(const Transfer& transfer);

/// A copy of `bytes` contiguous bytes in elements of 8 that releases own semaphore 0 by one.
inline Transfer line(u32 source, u32 destination, u32 bytes) {
  return {.source = source,
          .destination = destination,
          .sizes = {static_cast<u16>(bytes / 8)},
          .source_strides = {8},
          .destination_strides = {8}};
}

}  // namespace simfarm::timelines
