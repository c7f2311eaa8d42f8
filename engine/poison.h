// What uninitialised state holds when a run is poisoned: bytes that depend on the seed and on their
// place alone, so that every engine fills in the same ones.
#pragma once
#include <span>

#include "base/types.h"

namespace simfarm {

/// A stream of poison for each thing that can be uninitialised.
constexpr u64 poison_of_ocm = 0;
constexpr u64 poison_of_dram = 1;
constexpr u64 poison_of_local(PeId pe) { return 2 + 2 * u64{pe}; }
constexpr u64 poison_of_registers(PeId pe) { return 3 + 2 * u64{pe}; }

/// Word `index` of a stream (64 bits): the finaliser of MurmurHash3 over seed, stream and index.
constexpr u64 poison_word(u64 seed, u64 stream, u64 index) {
  u64 x = seed + stream * 0x9e37'79b9'7f4a'7c15 + index * 0xd1b5'4a32'd192'ed03;
  x ^= x >> 33;
  x *= 0xff51'afd7'ed55'8ccd;
  x ^= x >> 33;
  x *= 0xc4ce'b9fe'1a85'ec53;
  x ^= x >> 33;
  return x;
}

/// Fills `bytes`, the first of which is byte `offset` of the stream.
constexpr void poison_fill(u64 seed, u64 stream, u64 offset, std::span<u8> bytes) {
  for (u8& byte : bytes) {
    byte = static_cast<u8>(poison_word(seed, stream, offset / 8) >> (offset % 8 * 8));
    ++offset;
  }
}

}  // namespace simfarm
