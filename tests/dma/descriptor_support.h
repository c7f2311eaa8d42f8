// A PE's local memory with descriptors in it, for tests of parsing.
#pragma once
#include <string>
#include <vector>

#include "base/bytes.h"
#include "dma/descriptor.h"

namespace simfarm::test {

/// PE 5 (row 1, column 1) of a 4 x 4 array with the default address map.
struct Board {
  AddressMap map;
  std::vector<u8> local = std::vector<u8>(map.local.bytes);
  dma::Context context{.map = map, .rows = 4, .columns = 4, .pe = 5};

  u32 address(u32 offset) const { return map.local.base + offset; }
  /// Puts the descriptor where its `address` says.
  void place(const dma::Descriptor& descriptor) {
    const auto bytes = dma::encode(descriptor, map);
    std::copy(bytes.begin(), bytes.end(), local.begin() + (descriptor.address - map.local.base));
  }
  void place_i32(u32 at, i32 value) {
    store_bytes(local, at - map.local.base, 4, static_cast<u32>(value));
  }
  /// Places, parses, and says what was wrong; "accepted" when nothing was.
  std::string refusal(const dma::Descriptor& descriptor) {
    place(descriptor);
    const auto parsed = dma::parse(descriptor.address, local, context);
    return parsed ? "accepted" : parsed.error().message;
  }
};

/// 4 x 8 int8 elements from OCM, rows of 32 bytes there, into local memory without gaps.
inline dma::Descriptor small_copy() {
  dma::Descriptor d;
  d.address = 0x1000'0440;
  d.operation = dma::Operation::copy;
  d.dims = 2;
  d.element_bytes = 1;
  d.source = 0x4000'0000;
  d.destination = 0x1000'1000;
  d.sizes = {4, 8, 0, 0};
  d.source_strides = {32, 1, 0, 0};
  d.destination_strides = {8, 1, 0, 0};
  return d;
}

/// 4 rows of 8 bytes from OCM, the rows chosen by four indices at 0x10000800.
inline dma::Descriptor small_gather() {
  dma::Descriptor d = small_copy();
  d.operation = dma::Operation::gather;
  d.extended = true;
  d.source_strides[0] = 0;
  d.index_base = 0x1000'0800;
  d.index_count = 4;
  d.index_stride = 4;
  d.index_scale = 32;
  d.index_limit = 100;
  return d;
}

/// The same 32 bytes to the same offset of the whole array but PE 5.
inline dma::Descriptor small_multicast() {
  dma::Descriptor d = small_copy();
  d.multicast = true;
  d.destination = 0x1000;
  d.rectangle = {0, 0, 3, 3};
  d.release_receivers = {9, 1};
  return d;
}

}  // namespace simfarm::test
