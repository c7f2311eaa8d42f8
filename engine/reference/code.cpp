#include "engine/reference/code.h"

#include <algorithm>

#include "isa/decode.h"

namespace simfarm::reference {
namespace {

u32 byte_at(const Segment& segment, u32 offset) {
  return offset < segment.bytes.size() ? segment.bytes[offset] : 0;
}

}  // namespace

Code::Code(const Image& image) {
  u64 low = ~u64{0}, high = 0;
  for (const Segment& segment : image.segments) {
    if (!segment.executable) continue;
    low = std::min<u64>(low, segment.address & ~1u);
    high = std::max<u64>(high, u64{segment.address} + segment.memory_bytes);
  }
  if (low >= high) return;
  base_ = static_cast<u32>(low);

  std::vector<u8> bytes(high - low + 4);
  words_.resize((high - low + 1) / 2);
  for (const Segment& segment : image.segments) {
    if (!segment.executable) continue;
    for (u32 k = 0; k < segment.memory_bytes; ++k) {
      const u64 offset = segment.address - low + k;
      bytes[offset] = static_cast<u8>(byte_at(segment, k));
      words_[offset / 2].executable = true;
    }
  }
  for (u64 k = 0; k < words_.size(); ++k) {
    const u8* here = &bytes[2 * k];
    const u32 word = here[0] | here[1] << 8 | here[2] << 16 | u32{here[3]} << 24;
    words_[k].word = is_compressed(word) ? word & 0xffff : word;
    words_[k].operation = decode_any(word);
    // The upper half of a 32-bit instruction has to be executable too.
    const bool whole = is_compressed(word) || (k + 1 < words_.size() && words_[k + 1].executable);
    words_[k].executable = words_[k].executable && whole;
  }
}

}  // namespace simfarm::reference
