// The DMA descriptor: its fields, stated once. Kernel authors write descriptors by hand into local
// memory, so parsing treats them as hostile and every refusal names the field. The byte layout is
// docs/machine.md, "Descriptors".
#pragma once
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "memory/address_map.h"

namespace simfarm::dma {

inline constexpr u32 descriptor_bytes = 64;            ///< the first half
inline constexpr u32 extended_descriptor_bytes = 128;  ///< with the second half
inline constexpr u32 max_chain = 16;
/// Of a destination box: 4 million, the OCM byte by byte. The product of four sizes with
/// their padding would not fit 64 bits.
inline constexpr u64 max_elements = u64{1} << 22;
inline constexpr u32 burst_bytes = 64;  ///< the largest burst, and its alignment

enum class Operation : u8 { copy = 0, fill = 1, gather = 2, scatter = 3, add_i32 = 4, add_i8 = 5 };
/// "copy", "copy-add int32", ...
std::string_view name(Operation operation);
/// What gather and scatter do with an index outside [0, limit).
enum class OutOfBounds : u8 { trap = 0, skip = 1, fill = 2 };

/// A semaphore operation; amount 0: absent.
struct SemaphoreUse {
  u8 semaphore = 0;
  u16 amount = 0;
  friend bool operator==(const SemaphoreUse&, const SemaphoreUse&) = default;
};

/// One descriptor, as parsed. Dimension 0 is the outermost; entries at and beyond `dims` are zero.
struct Descriptor {
  u32 address = 0;  ///< where it lies, an address in the owner's local memory
  Operation operation{};
  u8 dims = 1;                 ///< 1..4
  u8 element_bytes = 1;        ///< 1, 2, 4, 8
  u32 source = 0;              ///< address of element 0
  u32 destination = 0;         ///< address of element 0, or the local offset when multicast
  u32 next = 0;                ///< address of the next descriptor of the chain; 0: none
  std::array<u16, 4> sizes{};  ///< elements, of the source box
  std::array<i32, 4> source_strides{};  ///< bytes
  std::array<i32, 4> destination_strides{};
  bool multicast = false;
  bool include_self = false;
  std::array<u8, 4> rectangle{};   ///< x0, y0, x1, y1: columns and rows, both ends inside
  SemaphoreUse acquire;            ///< 0..15
  SemaphoreUse release_own;        ///< 0..7
  SemaphoreUse release_receivers;  ///< 8..15, multicast only
  // Second half; as if zero when absent.
  bool extended = false;
  std::array<u16, 4> pad_before{};  ///< elements, copy only
  std::array<u16, 4> pad_after{};
  std::array<u8, 8> fill{};  ///< the element that fill, padding and OutOfBounds::fill write
  OutOfBounds out_of_bounds{};
  u32 index_base = 0;   ///< local address of index 0; indices are i32
  u32 index_count = 0;  ///< equals sizes[0]
  i32 index_stride = 0;
  i32 index_scale = 0;  ///< bytes of the indexed side per unit of index; replaces its stride 0
  u32 index_limit = 0;

  /// Elements of the source box: the product of sizes.
  u64 source_elements() const;
  /// Elements of the destination box: padding included, 0 where the source box has none. The
  /// largest u64 where the product does not fit (parse refuses more than max_elements).
  u64 destination_elements() const;
  /// Elements of the destination box in dimension k < dims: size and padding.
  u32 destination_size(u32 k) const { return u32{sizes[k]} + pad_before[k] + pad_after[k]; }

  friend bool operator==(const Descriptor&, const Descriptor&) = default;
};

/// What parsing needs to know of the machine and of the initiator.
struct Context {
  const AddressMap& map;
  u32 rows = 1;
  u32 columns = 1;
  PeId pe = 0;
};

/// Parses the descriptor at `address` out of `local` (the whole local memory, offset 0 first).
/// Checks everything that does not need index values: reserved bits, alignment, ranges of both
/// boxes, rectangle, semaphores. `local` has context.map.local.bytes. The error says "descriptor
/// 0x10000440: field: reason".
Result<Descriptor> parse(u32 address, std::span<const u8> local, const Context& context);

/// The descriptor at `address` and all that `next` leads to: at most max_chain, no revisit.
Result<std::vector<Descriptor>> parse_chain(u32 address, std::span<const u8> local,
                                            const Context& context);

/// The bytes of a descriptor: the inverse of parse for what parse accepts (64 or 128 bytes).
std::vector<u8> encode(const Descriptor& descriptor, const AddressMap& map);

/// Every field on a line of its own, for people.
std::string print(const Descriptor& descriptor);

}  // namespace simfarm::dma
