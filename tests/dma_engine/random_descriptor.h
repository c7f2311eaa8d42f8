// Legal descriptors, at random, in every form that there is.
#pragma once
#include <array>
#include <optional>
#include <random>
#include <vector>

#include "dma/descriptor.h"
#include "engine/machine.h"

namespace simfarm::test {

/// Where a random transfer may read and write.
struct Places {
  u32 local_source = 0, local_source_bytes = 0;
  u32 local_destination = 0, local_destination_bytes = 0;
  u32 shared_source = 0, shared_source_bytes = 0;
  u32 shared_destination = 0, shared_destination_bytes = 0;
  u32 indices = 0;  ///< of 64 signed words, -2..9
};

class RandomDescriptors {
 public:
  RandomDescriptors(const Machine& machine, u64 seed) : machine_(machine), random_(seed) {}

  u32 below(u32 n) { return static_cast<u32>(random_() % n); }
  bool one_in(u32 n) { return below(n) == 0; }

  /// Releases own semaphore 0, and receivers' semaphore 8 half of the time that there are some.
  dma::Descriptor next(PeId pe, const Places& places) {
    while (true)
      if (auto descriptor = attempt(pe, places)) return *descriptor;
  }

 private:
  using Strides = std::array<i32, 4>;

  i32 stride(u32 element) {
    switch (below(6)) {
      case 0:
        return 0;
      case 1:
      case 2:
        return static_cast<i32>(element);
      case 3:
        return -static_cast<i32>(element);
      default:
        return (static_cast<i32>(below(81)) - 40) * static_cast<i32>(element);
    }
  }

  /// An address for element 0, so that offsets [low, high) around it lie in the place.
  std::optional<u32> put(i64 low, i64 high, u32 place, u32 bytes, u32 element) {
    const i64 slack = i64{bytes} - (high - low);
    if (slack < 0) return std::nullopt;
    const i64 at = i64{place} - low + below(static_cast<u32>(slack) + 1);
    return static_cast<u32>(at - at % element +
                            (at % element && at - at % element + low < place ? element : 0));
  }

  std::optional<dma::Descriptor> attempt(PeId pe, const Places& places) {
    using dma::Operation;
    dma::Descriptor d;
    d.operation = static_cast<Operation>(below(6));
    const bool gather = d.operation == Operation::gather;
    const bool scatter = d.operation == Operation::scatter;
    d.element_bytes = static_cast<u8>(1u << below(4));
    if (d.operation == Operation::add_i32) d.element_bytes = 4;
    if (d.operation == Operation::add_i8) d.element_bytes = 1;
    const u32 element = d.element_bytes;
    d.dims = static_cast<u8>(1 + below(4));
    d.extended = gather || scatter || one_in(3);
    for (u32 k = 0; k < d.dims; ++k) {
      d.sizes[k] = static_cast<u16>(one_in(40) ? 0 : 1 + below(k + 1u == d.dims ? 40 : 4));
      d.source_strides[k] = d.operation == Operation::fill ? 0 : stride(element);
      d.destination_strides[k] = stride(element);
      if (d.extended && d.operation == Operation::copy && one_in(2)) {
        d.pad_before[k] = static_cast<u16>(below(4));
        d.pad_after[k] = static_cast<u16>(below(4));
      }
    }
    if (d.extended)
      for (u32 k = 0; k < element; ++k) d.fill[k] = static_cast<u8>(random_());

    i64 index_low = 0, index_high = 0;
    if (gather || scatter) {
      (gather ? d.source_strides : d.destination_strides)[0] = 0;
      d.out_of_bounds = gather && one_in(2) ? dma::OutOfBounds::fill : dma::OutOfBounds::skip;
      d.index_base = places.indices + 4 * below(8) + 64;
      d.index_count = d.sizes[0];
      d.index_stride = 4 * (static_cast<i32>(below(5)) - 2);
      d.index_scale = (static_cast<i32>(below(41)) - 20) * static_cast<i32>(element);
      d.index_limit = below(9);
      index_low = std::min<i64>(0, i64{d.index_scale} * 9);
      index_high = std::max<i64>(0, i64{d.index_scale} * 9);
    }

    d.multicast = one_in(3);
    if (d.multicast) {
      for (u32 side = 0; side < 2; ++side) {
        const u32 length = side == 0 ? machine_.columns : machine_.rows;
        const u32 a = below(length), b = below(length);
        d.rectangle[side] = static_cast<u8>(std::min(a, b));
        d.rectangle[side + 2] = static_cast<u8>(std::max(a, b));
      }
      const u32 x = machine_.column_of(pe), y = machine_.row_of(pe);
      const bool inside =
          x >= d.rectangle[0] && x <= d.rectangle[2] && y >= d.rectangle[1] && y <= d.rectangle[3];
      d.include_self = inside && one_in(2);
      if (one_in(2)) d.release_receivers = {8, static_cast<u16>(1 + below(3))};
    }
    d.release_own = {0, 1};

    i64 low[2] = {0, 0}, high[2] = {element, element};
    for (u32 k = 0; k < d.dims; ++k) {
      if (d.sizes[k] == 0) continue;
      const i64 source = i64{d.source_strides[k]} * (d.sizes[k] - 1);
      const i64 destination =
          i64{d.destination_strides[k]} * (d.pad_before[k] + d.sizes[k] + d.pad_after[k] - 1);
      (source < 0 ? low : high)[0] += source;
      (destination < 0 ? low : high)[1] += destination;
    }
    if (gather || scatter) low[scatter] += index_low, high[scatter] += index_high;

    const bool from_shared = one_in(2), to_shared = !d.multicast && one_in(2);
    const auto source =
        from_shared
            ? put(low[0], high[0], places.shared_source, places.shared_source_bytes, element)
            : put(low[0], high[0], places.local_source, places.local_source_bytes, element);
    const auto destination = to_shared ? put(low[1], high[1], places.shared_destination,
                                             places.shared_destination_bytes, element)
                                       : put(low[1], high[1], places.local_destination,
                                             places.local_destination_bytes, element);
    if (!source || !destination) return std::nullopt;
    d.source = d.operation == Operation::fill ? 0 : *source;
    d.destination = d.multicast ? *destination - machine_.map.local.base : *destination;
    return d;
  }

  const Machine& machine_;
  std::mt19937_64 random_;
};

}  // namespace simfarm::test
