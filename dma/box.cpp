#include "dma/box.h"

namespace simfarm::dma {
namespace {

/// From the lowest corner to the highest: each dimension pulls one end by stride * (size - 1).
Extent extent(u32 base, const std::array<u32, 4>& sizes, const std::array<i32, 4>& strides,
              u32 dims, u32 element_bytes) {
  Extent box{base, base};
  for (u32 k = 0; k < dims; ++k) {
    const i64 reach = i64{strides[k]} * (i64{sizes[k]} - 1);
    (reach < 0 ? box.low : box.high) += reach;
  }
  box.high += element_bytes;
  return box;
}

}  // namespace

Extent source_extent(const Descriptor& descriptor) {
  if (descriptor.source_elements() == 0) return {};
  std::array<u32, 4> sizes{};
  for (u32 k = 0; k < 4; ++k) sizes[k] = descriptor.sizes[k];
  return extent(descriptor.source, sizes, descriptor.source_strides, descriptor.dims,
                descriptor.element_bytes);
}

Extent destination_extent(const Descriptor& descriptor) {
  if (descriptor.source_elements() == 0) return {};
  std::array<u32, 4> sizes{};
  for (u32 k = 0; k < 4; ++k) sizes[k] = descriptor.destination_size(k);
  return extent(descriptor.destination, sizes, descriptor.destination_strides, descriptor.dims,
                descriptor.element_bytes);
}

AddressMap::Space find(const AddressMap& map, const Extent& extent) {
  using enum AddressMap::Space;
  if (extent.low < 0 || extent.high > i64{1} << 32) return none;
  const auto space =
      map.find(static_cast<u32>(extent.low), static_cast<u64>(extent.high - extent.low));
  return space == instructions ? none : space;
}

}  // namespace simfarm::dma
