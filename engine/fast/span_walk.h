// The elements of a transfer in the order of docs/machine.md, "Descriptors", not one by one but in
// spans of elements that follow one another at ascending addresses on both sides.
#pragma once
#include <array>
#include <bit>
#include <vector>

#include "base/types.h"
#include "dma/descriptor.h"

namespace simfarm::fast {

struct Span {
  bool read = false;    ///< false: the fill value is written
  u32 source = 0;       ///< address of the first element, when read
  u32 destination = 0;  ///< address of the first element
  u32 elements = 0;

  /// Leaves out the first `count` elements, of 1 << `log2_element` bytes.
  void drop(u32 count, u32 log2_element) {
    source += count << log2_element;
    destination += count << log2_element;
    elements -= count;
  }
};

/// How many elements fit between `address` and the end of its burst.
inline u32 elements_to_edge(u32 address, u32 log2_element) {
  return (dma::burst_bytes - address % dma::burst_bytes) >> log2_element;
}

class SpanWalk {
 public:
  /// `destination`: address of element 0. The descriptor and its index values outlive the walk.
  SpanWalk(const dma::Descriptor& descriptor, const std::vector<i32>& indices, u32 destination);

  u32 log2_element() const { return log2_element_; }

  /// The next span, of one element at least; false: there is none left.
  bool next(Span& span) {
    if (part_.elements == 0 && !next_part()) return false;
    span = part_;
    if (part_contiguous_) {
      part_.elements = 0;
      return true;
    }
    span.elements = 1;
    part_.source += part_source_stride_;
    part_.destination += inner_.destination_stride;
    --part_.elements;
    return true;
  }

 private:
  struct Dimension {
    u32 size = 1;
    u32 pad_before = 0;
    u32 total = 1;  ///< padding included
    u32 source_stride = 0;
    u32 destination_stride = 0;
    bool padded() const { return total != size; }
  };

  void add_dimensions();
  static bool fuse(const Dimension& outer, Dimension& inner, bool reads);
  bool next_part();
  bool next_row();
  void locate_row();

  const dma::Descriptor& descriptor_;
  const std::vector<i32>& indices_;
  u32 destination_;
  u32 log2_element_;
  bool reads_;    ///< not a fill
  bool indexed_;  ///< outer_[0] is a dimension of indices

  std::array<Dimension, 4> outer_;  ///< from the outermost on
  u32 outer_dims_ = 0;
  std::array<u32, 4> at_{};  ///< of the next row: indices of the outer dimensions
  bool rows_left_;
  Dimension inner_;  ///< the dimension of a row

  Span row_;  ///< its first element, and whether the part inside the source box is read
  u32 column_ = 0;
  u32 columns_ = 0;  ///< of the row
  Span part_;        ///< what is left of a part of the row: padding, or the source box's elements
  bool part_contiguous_ = false;
  u32 part_source_stride_ = 0;
};

}  // namespace simfarm::fast
