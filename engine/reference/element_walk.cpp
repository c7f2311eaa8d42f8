#include "engine/reference/element_walk.h"

#include "dma/indices.h"

namespace simfarm::reference {

ElementWalk::ElementWalk(const dma::Descriptor& descriptor, const std::vector<i32>& indices,
                         u32 destination)
    : descriptor_(descriptor),
      indices_(indices),
      destination_(destination),
      outer_dims_(descriptor.dims - 1u),
      rows_left_(descriptor.destination_elements() > 0) {
  if (outer_dims_ == 0 && !indices.empty()) {
    outer_dims_ = 1;
    return;
  }
  const u32 inner = outer_dims_;
  pad_before_ = descriptor.pad_before[inner];
  size_ = descriptor.sizes[inner];
  source_stride_ = static_cast<u32>(descriptor.source_strides[inner]);
  destination_stride_ = static_cast<u32>(descriptor.destination_strides[inner]);
}

bool ElementWalk::next_row() {
  const bool single = outer_dims_ == descriptor_.dims;
  column_ = 0;
  columns_ = 0;  // until a row is found
  while (rows_left_ && columns_ == 0) {
    if (!skipped()) {
      row_ = {descriptor_.operation != dma::Operation::fill, descriptor_.source, destination_};
      for (u32 k = 0; k < outer_dims_; ++k) add_dimension(k, row_);
      columns_ = single ? 1 : descriptor_.destination_size(outer_dims_);
    }
    u32 k = outer_dims_;
    while (k > 0 && ++at_[k - 1] == descriptor_.destination_size(k - 1)) at_[--k] = 0;
    rows_left_ = k > 0;
  }
  return columns_ > 0;
}

bool ElementWalk::skipped() const {
  return descriptor_.out_of_bounds == dma::OutOfBounds::skip &&
         !dma::in_bounds(descriptor_, indices_[at_[0]]);
}

void ElementWalk::add_dimension(u32 k, Element& element) const {
  const dma::Descriptor& d = descriptor_;
  const u32 in_source = at_[k] - d.pad_before[k];
  if (in_source >= d.sizes[k]) element.read = false;
  element.source += in_source * static_cast<u32>(d.source_strides[k]);
  element.destination += at_[k] * static_cast<u32>(d.destination_strides[k]);
  if (k != 0 || indices_.empty()) return;
  // The index takes the place of the stride, which is zero.
  const u32 offset = static_cast<u32>(indices_[at_[0]]) * static_cast<u32>(d.index_scale);
  (d.operation == dma::Operation::gather ? element.source : element.destination) += offset;
  if (!dma::in_bounds(d, indices_[at_[0]])) element.read = false;
}

}  // namespace simfarm::reference
