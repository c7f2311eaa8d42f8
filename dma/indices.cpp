#include "dma/indices.h"

#include <fmt/format.h>

#include <array>

#include "base/bytes.h"
#include "dma/box.h"
#include "dma/local_bytes.h"

namespace simfarm::dma {
namespace {

/// The elements of an index of 0: the box of a dimension 0 of size 1. Those of others are moved by
/// index * scale.
Extent extent_of_index_zero(const Descriptor& descriptor) {
  Descriptor slice = descriptor;
  slice.sizes[0] = 1;
  return descriptor.operation == Operation::gather ? source_extent(slice)
                                                   : destination_extent(slice);
}

}  // namespace

Result<std::vector<i32>> read_indices(const Descriptor& d, std::span<const u8> local,
                                      const Context& context) {
  return read_indices(d, LinearBytes(local, context.map), context);
}

Result<std::vector<i32>> read_indices(const Descriptor& d, const LocalBytes& local,
                                      const Context& context) {
  using Space = AddressMap::Space;
  std::vector<i32> indices;
  if (d.index_count == 0 || d.source_elements() == 0) return indices;
  const bool offsets = d.operation == Operation::scatter && d.multicast;
  const Extent zero = extent_of_index_zero(d);
  const char* side = d.operation == Operation::gather ? "source" : "destination";
  Space memory = Space::none;
  for (u32 i = 0; i < d.index_count; ++i) {
    const u32 address = d.index_base + i * static_cast<u32>(d.index_stride);
    std::array<u8, 4> bytes;
    local.read(address, bytes);
    const i32 index = static_cast<i32>(load_bytes(bytes, 0, 4));
    indices.push_back(index);
    const auto bad = [&](const std::string& reason) {
      return input_error(fmt::format("descriptor {:#010x}: index {}: {} at {:#010x}, {}", d.address,
                                     i, index, address, reason));
    };
    if (!in_bounds(d, index)) {
      if (d.out_of_bounds == OutOfBounds::trap)
        return bad(fmt::format("below {} are in bounds", d.index_limit));
      continue;
    }
    const i64 offset = i64{index} * d.index_scale;
    const Extent box{zero.low + offset, zero.high + offset};
    const auto range = [&] {
      return fmt::format("the {} box {:#x}..{:#x}", side, box.low, box.high - 1);
    };
    if (offsets) {
      if (box.low < 0 || box.high > static_cast<i64>(context.map.local.bytes))
        return bad(
            fmt::format("{} leaves local memory of {} bytes", range(), context.map.local.bytes));
      continue;
    }
    const Space space = find(context.map, box);
    if (space == Space::none)
      return bad(fmt::format("{} is not inside local memory, OCM or DRAM", range()));
    if (memory != Space::none && space != memory)
      return bad(fmt::format("{} is in another memory than that of the indices before", range()));
    memory = space;
  }
  return indices;
}

}  // namespace simfarm::dma
