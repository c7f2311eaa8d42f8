#include "tests/fuzz/mutate.h"

#include <algorithm>

namespace simfarm::fuzz {
namespace {

/// Where a change goes: fields stand at the beginning of most formats, so half of them go there.
u64 position(test::Random& random, u64 size) {
  return random.one_in(2) ? random.below(size) : random.below(std::min<u64>(size, 128));
}

u64 edge_value(test::Random& random, u64 size) {
  const u64 values[] = {0,           1,           2,           size - 1,    size,         size + 1,
                        0x7f,        0x80,        0xff,        0x7fff,      0x8000,       0xffff,
                        0x7fff'ffff, 0x8000'0000, 0xffff'fff0, 0xffff'ffff, random.next()};
  return values[random.below(std::size(values))];
}

void set_field(test::Random& random, std::vector<u8>& bytes) {
  const u64 width = u64{1} << random.below(3);
  if (bytes.size() < width) return;
  u64 at = position(random, bytes.size() - width + 1);
  if (!random.one_in(4)) at -= at % width;
  u64 value = edge_value(random, bytes.size());
  if (random.one_in(3)) value = bytes[at] + static_cast<u64>(random.between(-4, 4));
  for (u64 i = 0; i < width; ++i) bytes[at + i] = static_cast<u8>(value >> 8 * i);
}

void change(test::Random& random, std::vector<u8>& bytes, std::span<const std::vector<u8>> inputs) {
  if (bytes.empty()) return bytes.push_back(static_cast<u8>(random.next()));
  const u64 size = bytes.size();
  const auto place = [&](u64 at) { return bytes.begin() + static_cast<std::ptrdiff_t>(at); };
  switch (random.below(10)) {
    case 0:
    case 1:
      bytes[position(random, size)] ^= static_cast<u8>(1u << random.below(8));
      break;
    case 2:
      bytes[position(random, size)] = static_cast<u8>(random.next());
      break;
    case 3:
    case 4:
    case 5:
      set_field(random, bytes);
      break;
    case 6:
      bytes.resize(random.below(size + 1));
      break;
    case 7: {  // a part again
      const u64 at = random.below(size), count = random.below(std::min<u64>(size - at, 64) + 1);
      const std::vector<u8> part(place(at), place(at + count));
      bytes.insert(place(random.below(size)), part.begin(), part.end());
      break;
    }
    case 8: {  // a part less
      const u64 at = random.below(size);
      bytes.erase(place(at), place(at + random.below(std::min<u64>(size - at, 64) + 1)));
      break;
    }
    default: {  // a part of another input, in place
      const auto& other = inputs[random.below(inputs.size())];
      const u64 at = random.below(size);
      const u64 room = std::min<u64>(size - at, other.size() > at ? other.size() - at : 0);
      if (room == 0) break;
      const u64 count = random.below(std::min<u64>(room, 64) + 1);
      std::copy_n(other.begin() + static_cast<std::ptrdiff_t>(at), count, place(at));
    }
  }
}

}  // namespace

std::vector<u8> mutate(test::Random& random, std::vector<u8> bytes,
                       std::span<const std::vector<u8>> inputs) {
  for (u64 changes = 1 + random.below(6); changes > 0; --changes) change(random, bytes, inputs);
  return bytes;
}

}  // namespace simfarm::fuzz
