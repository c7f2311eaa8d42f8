#include "memory/poison.h"

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
  u64 word = poison_word(seed, address / 8);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const u64 at = address + i;
    if (i > 0 && at % 8 == 0) word = poison_word(seed, at / 8);
    bytes[i] = static_cast<u8>(word >> 8 * (at % 8));
  }
}

}  // namespace simfarm
