#include "tests/support/random_descriptor.h"

#include <algorithm>
#include <bit>

#include "base/bytes.h"
#include "dma/box.h"

namespace simfarm::test {
namespace {

using dma::Descriptor;
using dma::Operation;
using dma::OutOfBounds;

constexpr u32 index_area = 4096, data_area = 6144;
constexpr u32 max_elements = 200;

bool indexed(const Descriptor& d) {
  return d.operation == Operation::gather || d.operation == Operation::scatter;
}

/// Mostly dense (the next stride covers the dimension inside it), else anything, zero and negative
/// included; kept short enough for a box to fit the data part of local memory.
void choose_strides(Random& random, const Descriptor& d, std::array<i32, 4>& strides) {
  i32 dense = d.element_bytes;
  for (u32 k = d.dims; k-- > 0;) {
    strides[k] = dense;
    dense *= static_cast<i32>(std::max<u32>(d.destination_size(k), 1));
    if (random.one_in(8)) dense += d.element_bytes * static_cast<i32>(random.below(8));
    if (random.one_in(4)) strides[k] = d.element_bytes * static_cast<i32>(random.between(-12, 12));
    if (random.one_in(10)) strides[k] = 0;
  }
}

/// An address for which the box [extent, when the address is 0) lies in `area`, or none left.
bool choose_base(Random& random, const dma::Extent& at_zero, i64 area_low, i64 area_high,
                 u32 element_bytes, u32& base) {
  const i64 low = area_low - at_zero.low, high = area_high - at_zero.high;
  if (low > high) return false;
  // Often near a burst's edge, where alignment matters.
  const i64 picked = random.between(low, std::min(high, low + 300));
  base = static_cast<u32>(picked - picked % element_bytes);
  return picked - picked % element_bytes >= low;
}

/// The memory of one side: local data, OCM or DRAM.
std::pair<i64, i64> choose_area(Random& random, const AddressMap& map) {
  switch (random.below(3)) {
    case 0:
      return {map.ocm.base, map.ocm.base + static_cast<i64>(map.ocm.bytes)};
    case 1:
      return {map.dram.base, map.dram.base + static_cast<i64>(map.dram.bytes)};
    default:
      return {map.local.base + i64{data_area}, map.local.base + static_cast<i64>(map.local.bytes)};
  }
}

void choose_sizes(Random& random, Descriptor& d) {
  d.dims = static_cast<u8>(1 + random.below(4));
  do {
    for (u32 k = 0; k < d.dims; ++k) {
      d.sizes[k] = static_cast<u16>(random.between(1, d.dims == 1 ? max_elements : 12));
      if (random.one_in(40)) d.sizes[k] = 0;
      if (!d.extended || d.operation != Operation::copy) continue;
      d.pad_before[k] = static_cast<u16>(random.one_in(2) ? 0 : random.below(3));
      d.pad_after[k] = static_cast<u16>(random.one_in(2) ? 0 : random.below(3));
    }
  } while (d.destination_elements() > max_elements);
}

void choose_multicast(Random& random, const dma::Context& context, Descriptor& d) {
  d.multicast = random.one_in(4);
  if (!d.multicast) return;
  const auto span = [&](u32 extent, u8& low, u8& high) {
    low = static_cast<u8>(random.below(extent));
    high = static_cast<u8>(random.between(low, extent - 1));
  };
  span(context.columns, d.rectangle[0], d.rectangle[2]);
  span(context.rows, d.rectangle[1], d.rectangle[3]);
  const u32 row = context.pe / context.columns, column = context.pe % context.columns;
  const bool inside = column >= d.rectangle[0] && column <= d.rectangle[2] &&
                      row >= d.rectangle[1] && row <= d.rectangle[3];
  d.include_self = inside && random.one_in(2);
  if (random.one_in(2))
    d.release_receivers = {static_cast<u8>(random.between(8, 15)),
                           static_cast<u16>(random.between(1, 3))};
}

void choose_indices(Random& random, const AddressMap& map, RandomTransfer& transfer) {
  Descriptor& d = transfer.descriptor;
  d.index_count = d.sizes[0];
  d.index_stride = static_cast<i32>(4 * (random.one_in(3) ? random.between(-2, 2) : 1));
  const i64 reach = i64{d.index_stride} * (std::max<i64>(d.index_count, 1) - 1);
  d.index_base = map.local.base + index_area + static_cast<u32>(std::max<i64>(-reach, 0));
  d.index_scale = static_cast<i32>(d.element_bytes * random.between(0, 8));
  d.index_limit = static_cast<u32>(random.between(1, 20));
  const u64 modes = d.operation == Operation::gather ? 3 : 2;
  d.out_of_bounds = static_cast<OutOfBounds>(random.below(modes));
  for (u32 i = 0; i < d.index_count; ++i) {
    i32 index = static_cast<i32>(random.below(d.index_limit));
    if (d.out_of_bounds != OutOfBounds::trap && random.one_in(4))
      index = static_cast<i32>(random.one_in(2) ? d.index_limit : random.next());
    // A stride of zero reads one index again and again.
    if (d.index_stride == 0 && i > 0) index = transfer.indices[0];
    transfer.indices.push_back(index);
  }
}

/// Room for the elements of the largest index on the indexed side.
dma::Extent with_indices(dma::Extent extent, const Descriptor& d) {
  if (!extent.empty()) extent.high += i64{d.index_scale} * (d.index_limit - 1);
  return extent;
}

bool choose_addresses(Random& random, const dma::Context& context, Descriptor& d) {
  choose_strides(random, d, d.destination_strides);
  if (d.operation != Operation::fill) choose_strides(random, d, d.source_strides);
  if (d.operation == Operation::gather) d.source_strides[0] = 0;
  if (d.operation == Operation::scatter) d.destination_strides[0] = 0;
  d.source = d.destination = 0;
  dma::Extent source = source_extent(d), destination = destination_extent(d);
  if (d.operation == Operation::gather) source = with_indices(source, d);
  if (d.operation == Operation::scatter) destination = with_indices(destination, d);
  if (d.operation != Operation::fill) {
    const auto [low, high] = choose_area(random, context.map);
    if (!choose_base(random, source, low, high, d.element_bytes, d.source)) return false;
  }
  auto [low, high] = choose_area(random, context.map);
  if (d.multicast) low = data_area, high = static_cast<i64>(context.map.local.bytes);
  return choose_base(random, destination, low, high, d.element_bytes, d.destination);
}

}  // namespace

RandomTransfer random_transfer(Random& random, const dma::Context& context, u32 offset) {
  check(context.map.local.bytes >= 16u << 10 && offset % 64 == 0,
        "random_transfer: see its comment");
  for (;;) {
    RandomTransfer transfer;
    Descriptor& d = transfer.descriptor;
    d.address = context.map.local.base + offset;
    d.operation = static_cast<Operation>(random.below(6));
    d.extended = indexed(d) || random.one_in(2);
    d.element_bytes = static_cast<u8>(1u << random.below(4));
    if (d.operation == Operation::add_i32) d.element_bytes = 4;
    if (d.operation == Operation::add_i8) d.element_bytes = 1;
    choose_sizes(random, d);
    if (d.extended)
      for (u32 i = 0; i < d.element_bytes; ++i) d.fill[i] = static_cast<u8>(random.next());
    choose_multicast(random, context, d);
    if (random.one_in(2))
      d.release_own = {static_cast<u8>(random.below(8)), static_cast<u16>(random.between(1, 3))};
    if (random.one_in(8))
      d.acquire = {static_cast<u8>(random.below(16)), static_cast<u16>(random.between(1, 3))};
    if (indexed(d)) choose_indices(random, context.map, transfer);
    if (choose_addresses(random, context, d)) return transfer;
  }
}

void place(const RandomTransfer& transfer, const AddressMap& map, std::span<u8> local) {
  const Descriptor& d = transfer.descriptor;
  const auto bytes = dma::encode(d, map);
  std::ranges::copy(bytes, local.begin() + (d.address - map.local.base));
  for (std::size_t i = 0; i < transfer.indices.size(); ++i) {
    const u32 at = d.index_base + static_cast<u32>(i) * static_cast<u32>(d.index_stride);
    store_bytes(local, at - map.local.base, 4, static_cast<u32>(transfer.indices[i]));
  }
}

}  // namespace simfarm::test
