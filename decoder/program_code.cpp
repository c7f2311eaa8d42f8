#include "decoder/program_code.h"

#include <algorithm>

#include "isa/decode.h"

namespace simfarm {
namespace {

/// Where executable segments touch or share a halfword, they are one range to a PE.
struct Range {
  u64 begin = 0;  ///< even
  u64 end = 0;    ///< even
};

std::vector<Range> executable_ranges(const Image& image) {
  std::vector<Range> ranges;
  for (const Segment& segment : image.segments) {
    if (!segment.executable || segment.memory_bytes == 0) continue;
    const u64 end = u64{segment.address} + segment.memory_bytes;
    ranges.push_back({segment.address & ~u64{1}, (end + 1) & ~u64{1}});
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> merged;
  for (const Range& range : ranges) {
    if (!merged.empty() && range.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, range.end);
    else
      merged.push_back(range);
  }
  return merged;
}

}  // namespace

DecodedImage::DecodedImage(const Image& image) {
  for (const Range& range : executable_ranges(image)) {
    std::vector<u8> bytes(range.end - range.begin);
    for (const Segment& segment : image.segments) {
      if (!segment.executable || segment.address < range.begin || segment.address >= range.end)
        continue;
      std::copy(segment.bytes.begin(), segment.bytes.end(),
                bytes.begin() + static_cast<i64>(segment.address - range.begin));
    }
    add(static_cast<u32>(range.begin), bytes);
  }
}

DecodedImage::DecodedImage(u32 base, std::vector<u8> bytes) {
  bytes.resize((bytes.size() + 1) & ~u64{1});
  add(base, bytes);
}

void DecodedImage::add(u32 base, const std::vector<u8>& bytes) {
  Piece piece;
  piece.base = base;
  piece.halves.reserve(bytes.size() / 2);
  for (u64 k = 0; k < bytes.size(); k += 2)
    piece.halves.push_back(static_cast<u16>(bytes[k] | bytes[k + 1] << 8));
  u64 count = piece.halves.size();
  // Only the last halfword can begin an instruction that the end cuts off.
  if (count != 0 && !is_compressed(piece.halves.back())) --count;
  piece.operations.reserve(count);
  for (u64 k = 0; k < count; ++k) {
    const u32 low = piece.halves[k];
    const u32 word = is_compressed(low) ? low : low | u32{piece.halves[k + 1]} << 16;
    Operation illegal;
    illegal.op = illegal_op;
    illegal.length = is_compressed(low) ? 2 : 4;
    piece.operations.push_back(decode_any(word).value_or(illegal));
  }
  if (count != 0) pieces_.push_back(std::move(piece));
}

u32 DecodedImage::word_at(u32 pc) const {
  if (at(pc) == nullptr) return 0;
  for (const Piece& piece : pieces_) {
    const u32 index = (pc - piece.base) / 2;
    if (index >= piece.operations.size()) continue;
    const u32 low = piece.halves[index];
    return is_compressed(low) ? low : low | u32{piece.halves[index + 1]} << 16;
  }
  return 0;
}

std::vector<DecodedImage> decoded_images(const Program& program) {
  std::vector<DecodedImage> images;
  for (const auto& image : program.images) images.emplace_back(*image);
  return images;
}

}  // namespace simfarm
