// A program's instructions, decoded once and then shared, read-only, by all PEs that run the image.
// Nothing writes instruction memory, so an entry never goes stale.
#pragma once
#include <vector>

#include "base/types.h"
#include "isa/operation.h"
#include "memory/program.h"

namespace simfarm {

/// The op of an entry whose word is no instruction. It has no row.
inline constexpr Op illegal_op = Op::count;

/// Every halfword of an image's executable segments, decoded as if an instruction began there:
/// jumps may go to any of them.
class DecodedImage {
 public:
  DecodedImage() = default;
  explicit DecodedImage(const Image& image);

  /// `bytes` as one executable piece at `base`.
  DecodedImage(u32 base, std::vector<u8> bytes);

  /// The operation at `pc`; null when nothing can be fetched there: an odd pc, no executable byte,
  /// or a 32-bit instruction that is cut off by the end of its segment.
  const Operation* at(u32 pc) const {
    for (const Piece& piece : pieces_) {
      const u32 offset = pc - piece.base;
      if (offset / 2 < piece.operations.size())
        return (offset & 1) == 0 ? &piece.operations[offset / 2] : nullptr;
    }
    return nullptr;
  }

  /// The word at `pc`, for reports: 16 bits or 32, as it begins; 0 where at() is null.
  u32 word_at(u32 pc) const;

  /// An address range without gaps; nearly every image has one.
  struct Piece {
    u32 base = 0;
    std::vector<Operation> operations;  ///< one a halfword
    std::vector<u16> halves;            ///< as fetched; may be one longer than operations
  };
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  void add(u32 base, const std::vector<u8>& bytes);

  std::vector<Piece> pieces_;  ///< by address
};

/// All images of a program.
std::vector<DecodedImage> decoded_images(const Program& program);

}  // namespace simfarm
