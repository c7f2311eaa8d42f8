#include "farm/chunk.h"

#include <zlib.h>

#include <algorithm>

namespace simfarm::farm {
namespace {

constexpr size_t checksum_bytes = 4;

/// Takes the checksum off the end, when it is right.
bool check_fletcher32(std::vector<u8>& bytes) {
  if (bytes.size() < checksum_bytes) return false;
  const size_t length = bytes.size() - checksum_bytes;
  u32 stored = 0;
  for (size_t k = 0; k < checksum_bytes; ++k) stored |= u32{bytes[length + k]} << (8 * k);
  bytes.resize(length);
  return stored == fletcher32(bytes);
}

/// Inflates to at most `largest` bytes.
bool inflate_all(std::vector<u8>& bytes, size_t largest) {
  std::vector<u8> plain(largest);
  uLongf length = plain.size();
  uLong used = bytes.size();
  if (::uncompress2(plain.data(), &length, bytes.data(), &used) != Z_OK) return false;
  plain.resize(length);
  bytes = std::move(plain);
  return true;
}

/// Byte k of every element was stored together; what does not fill an element follows as it is.
void unshuffle(std::vector<u8>& bytes, u32 element_bytes) {
  const size_t elements = bytes.size() / element_bytes;
  std::vector<u8> plain = bytes;
  for (u32 k = 0; k < element_bytes; ++k)
    for (size_t e = 0; e < elements; ++e) plain[e * element_bytes + k] = bytes[k * elements + e];
  bytes = std::move(plain);
}

}  // namespace

u32 fletcher32(std::span<const u8> bytes) {
  // Both sums modulo 65535, in the form in which 0 and 65535 stay apart as HDF5's folding leaves
  // them: folded every 360 words, before 32 bits overflow.
  constexpr size_t block_words = 360;
  u32 sum1 = 0, sum2 = 0;
  const auto fold = [](u32& sum) { sum = (sum & 0xffff) + (sum >> 16); };
  const size_t words = bytes.size() / 2;
  for (size_t k = 0; k < words;) {
    for (const size_t end = std::min(words, k + block_words); k < end; ++k) {
      sum1 += u32{bytes[2 * k]} << 8 | bytes[2 * k + 1];
      sum2 += sum1;
    }
    fold(sum1);
    fold(sum2);
  }
  if (bytes.size() % 2 != 0) {
    sum1 += u32{bytes.back()} << 8;
    sum2 += sum1;
    fold(sum1);
    fold(sum2);
  }
  fold(sum1);
  fold(sum2);
  return sum2 << 16 | sum1;
}

std::optional<std::vector<u8>> decode_chunk(std::span<const u8> stored,
                                            std::span<const ChunkFilter> filters, u32 skipped,
                                            u64 chunk_bytes, u32 element_bytes) {
  std::vector<u8> bytes(stored.begin(), stored.end());
  // A checksum that was taken before compression is compressed with the data.
  const size_t largest = chunk_bytes + checksum_bytes * filters.size();
  for (size_t k = filters.size(); k-- > 0;) {
    if ((skipped >> k & 1) != 0) continue;
    if (filters[k] == ChunkFilter::fletcher32 && !check_fletcher32(bytes)) return std::nullopt;
    if (filters[k] == ChunkFilter::deflate && !inflate_all(bytes, largest)) return std::nullopt;
    if (filters[k] == ChunkFilter::shuffle) unshuffle(bytes, element_bytes);
  }
  if (bytes.size() != chunk_bytes) return std::nullopt;
  return bytes;
}

}  // namespace simfarm::farm
