// One PE's local memory as the fast engine keeps it: words of the PEs of a tile side by side, so
// that a PE's own words are `width` words apart.
#pragma once
#include <bit>
#include <cstring>
#include <span>

#include "base/types.h"
#include "memory/address_map.h"

namespace simfarm::fast {

static_assert(std::endian::native == std::endian::little, "words are kept as the host's");

class LocalStore {
 public:
  LocalStore() = default;
  /// `words`: the PE's first.
  LocalStore(const Region& region, u32* words, u32 width)
      : region_(region), words_(words), width_(width) {}

  const Region& region() const { return region_; }
  bool contains(u32 address, u64 bytes) const { return region_.contains(address, bytes); }

  /// A value of 1, 2, 4 or 8 bytes at any address; the range lies in the region.
  u64 load(u32 address, u32 bytes) const {
    u64 value = 0;
    for (u32 k = 0; k < bytes; ++k) value |= u64{*at(address + k)} << (8 * k);
    return value;
  }
  void store(u32 address, u32 bytes, u64 value) {
    for (u32 k = 0; k < bytes; ++k) *at(address + k) = static_cast<u8>(value >> (8 * k));
  }

  /// Where the word at `address`, a multiple of 4, is.
  u32* word(u32 address) const { return words_ + u64{(address - region_.base) / 4} * width_; }

  void read(u32 address, std::span<u8> bytes) const {
    if (whole_words(address, bytes.size())) {
      const u32* words = word(address);
#pragma GCC unroll 8
      for (u64 k = 0; k < bytes.size() / 4; ++k)
        std::memcpy(bytes.data() + 4 * k, words + k * width_, 4);
      return;
    }
    split(address, bytes.size(), [&](u32 at_address, u64 offset, u32 length) {
      std::memcpy(bytes.data() + offset, at(at_address), length);
    });
  }
  void write(u32 address, std::span<const u8> bytes) {
    if (whole_words(address, bytes.size())) {
      u32* words = word(address);
      for (u64 k = 0; k < bytes.size() / 4; ++k)
        std::memcpy(words + k * width_, bytes.data() + 4 * k, 4);
      return;
    }
    split(address, bytes.size(), [&](u32 at_address, u64 offset, u32 length) {
      std::memcpy(at(at_address), bytes.data() + offset, length);
    });
  }

 private:
  static bool whole_words(u32 address, u64 bytes) { return (address | bytes) % 4 == 0; }
  /// Calls part(address, offset in the range, bytes) for pieces that lie in one word.
  template <class Part>
  static void split(u32 address, u64 length, Part part) {
    for (u64 offset = 0; offset < length;) {
      const u32 from = static_cast<u32>(address + offset);
      const u64 piece = std::min<u64>(4 - from % 4, length - offset);
      part(from, offset, static_cast<u32>(piece));
      offset += piece;
    }
  }
  u8* at(u32 address) const {
    const u32 offset = address - region_.base;
    return reinterpret_cast<u8*>(words_ + u64{offset / 4} * width_) + offset % 4;
  }

  Region region_;
  u32* words_ = nullptr;
  u32 width_ = 1;
};

}  // namespace simfarm::fast
