// The bytes that a strided box of elements can touch: its lowest and highest.
#pragma once
#include <array>

#include "base/types.h"
#include "dma/descriptor.h"
#include "memory/address_map.h"

namespace simfarm::dma {

/// Addresses [low, high) around all elements; low == high: no element. 64 bits, because strides
/// reach below 0 and beyond 4 GiB: at most 4 dimensions x 2^18 elements x 2^31 bytes, which is
/// 2^51.
struct Extent {
  i64 low = 0;
  i64 high = 0;
  bool empty() const { return low == high; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

/// Of the source box, strides as they are (an indexed dimension has stride 0).
Extent source_extent(const Descriptor& descriptor);

/// Of the destination box, padding included. Multicast: local offsets.
Extent destination_extent(const Descriptor& descriptor);

/// The one memory (local, OCM or DRAM) that holds all of a non-empty extent, or none.
AddressMap::Space find(const AddressMap& map, const Extent& extent);

}  // namespace simfarm::dma
