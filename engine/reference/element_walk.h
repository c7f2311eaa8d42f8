// The elements of a transfer, one after the other, as docs/machine.md, "Descriptors", orders them:
// the destination box in row-major order, straight from the definition. Data, bursts and races all
// come from this walk.
#pragma once
#include <array>
#include <vector>

#include "base/types.h"
#include "dma/descriptor.h"

namespace simfarm::reference {

struct Element {
  bool read = false;    ///< false: the fill value is written
  u32 source = 0;       ///< address, when read
  u32 destination = 0;  ///< address
};

class ElementWalk {
 public:
  /// `destination`: address of element 0. The descriptor and its index values outlive the walk.
  ElementWalk(const dma::Descriptor& descriptor, const std::vector<i32>& indices, u32 destination);

  /// The next element that is written; false: there is none left.
  bool next(Element& element) {
    if (column_ == columns_ && !next_row()) return false;
    const u32 in_source = column_ - pad_before_;  // wraps before the source box
    element.read = row_.read && in_source < size_;
    element.source = row_.source + in_source * source_stride_;
    element.destination = row_.destination + column_ * destination_stride_;
    ++column_;
    return true;
  }

 private:
  bool next_row();
  bool skipped() const;
  /// Adds dimension k's part to an element.
  void add_dimension(u32 k, Element& element) const;

  const dma::Descriptor& descriptor_;
  const std::vector<i32>& indices_;
  u32 destination_;

  // A row is the innermost dimension; where that is the indexed one, a single element.
  u32 outer_dims_;
  std::array<u32, 4> at_{};  ///< of the next row: indices of the dimensions outside of it
  bool rows_left_;
  Element row_;  ///< of its column 0
  u32 column_ = 0;
  u32 columns_ = 0;
  u32 pad_before_ = 0;
  u32 size_ = 1;
  u32 source_stride_ = 0;
  u32 destination_stride_ = 0;
};

}  // namespace simfarm::reference
