// The elements of a transfer, one after the other, as docs/machine.md, "Descriptors", orders them:
// the destination box in row-major order. Straight from the definition, and by nobody else used:
// data, bursts and races all come from this walk.
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
  bool next(Element& element);

 private:
  bool skipped() const;
  Element here() const;
  /// To the next place of the destination box, having done all of those inside dimension `k`.
  void advance(u32 k);

  const dma::Descriptor& descriptor_;
  const std::vector<i32>& indices_;
  u32 destination_;
  std::array<u32, 4> at_{};  ///< indices in the destination box
  bool done_;
};

}  // namespace simfarm::reference
