#include "memory/poison.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace simfarm {
namespace {

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit.
u64 mix(u64 x) {
  x = (x ^ x >> 30) * 0xbf58'476d'1ce4'e5b9;
  x = (x ^ x >> 27) * 0x94d0'49bb'1331'11eb;
  return x ^ x >> 31;
}
constexpr u64 golden = 0x9e37'79b9'7f4a'7c15;

}  // namespace

u64 poison_seed(u64 run_seed, u64 storage) { return mix(mix(run_seed) + golden * (storage + 1)); }

u64 poison_word(u64 seed, u64 index) { return mix(seed + golden * (index + 1)); }

void poison(u64 seed, u64 address, std::span<u8> bytes) {
  static_assert(std::endian::native == std::endian::little,
                "a word's bytes lie as they are stored");
  size_t at = 0;
  while (at < bytes.size()) {
    const u64 word = poison_word(seed, (address + at) / 8);
    const size_t within = (address + at) % 8;
    const size_t count = std::min(8 - within, bytes.size() - at);
    if (count == 8) {
      std::memcpy(&bytes[at], &word, 8);
    } else {
      const u64 shifted = word >> 8 * within;
      std::memcpy(&bytes[at], &shifted, count);
    }
    at += count;
  }
}

}  // namespace simfarm
