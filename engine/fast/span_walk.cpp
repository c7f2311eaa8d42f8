#include "engine/fast/span_walk.h"

#include <algorithm>

#include "dma/indices.h"

namespace simfarm::fast {

SpanWalk::SpanWalk(const dma::Descriptor& descriptor, const std::vector<i32>& indices,
                   u32 destination)
    : descriptor_(descriptor),
      indices_(indices),
      destination_(destination),
      log2_element_(static_cast<u32>(std::countr_zero(descriptor.element_bytes))),
      reads_(descriptor.operation != dma::Operation::fill),
      indexed_(!indices.empty()),
      rows_left_(descriptor.destination_elements() > 0) {
  if (rows_left_) add_dimensions();
}

/// Dimensions that make one longer row are walked as one: a dense box is a single span.
void SpanWalk::add_dimensions() {
  const auto dimension = [&](u32 k) {
    return Dimension{descriptor_.sizes[k], descriptor_.pad_before[k],
                     descriptor_.destination_size(k),
                     static_cast<u32>(descriptor_.source_strides[k]),
                     static_cast<u32>(descriptor_.destination_strides[k])};
  };
  const u32 first = indexed_ ? 1 : 0;  // of the dimensions without indices
  u32 k = descriptor_.dims;
  if (k > first) inner_ = dimension(--k);
  while (k > first && fuse(dimension(k - 1), inner_, reads_)) --k;
  for (u32 outer = 0; outer < k; ++outer) outer_[outer_dims_++] = dimension(outer);
}

bool SpanWalk::fuse(const Dimension& outer, Dimension& inner, bool reads) {
  if (inner.padded() || outer.padded()) return false;
  if (inner.size == 1) {
    inner = outer;
    return true;
  }
  const bool follows = outer.destination_stride == inner.size * inner.destination_stride &&
                       (!reads || outer.source_stride == inner.size * inner.source_stride);
  if (outer.size != 1 && !follows) return false;
  inner.size *= outer.size;
  inner.total = inner.size;
  return true;
}

bool SpanWalk::next_part() {
  if (column_ == columns_ && !next_row()) return false;
  const u32 source_begin = row_.read ? inner_.pad_before : columns_;
  const u32 source_end = row_.read ? source_begin + inner_.size : columns_;
  const bool inside = column_ >= source_begin && column_ < source_end;
  const u32 end = column_ < source_begin ? source_begin : inside ? source_end : columns_;
  const u32 element_bytes = 1u << log2_element_;
  part_.read = inside;
  part_.source = row_.source + (column_ - source_begin) * inner_.source_stride;
  part_.destination = row_.destination + column_ * inner_.destination_stride;
  part_.elements = end - column_;
  part_source_stride_ = inner_.source_stride;
  part_contiguous_ = part_.elements == 1 || (inner_.destination_stride == element_bytes &&
                                             (!inside || inner_.source_stride == element_bytes));
  column_ = end;
  return true;
}

bool SpanWalk::next_row() {
  column_ = columns_ = 0;
  while (rows_left_ && columns_ == 0) {
    const bool skipped = indexed_ && descriptor_.out_of_bounds == dma::OutOfBounds::skip &&
                         !dma::in_bounds(descriptor_, indices_[at_[0]]);
    if (!skipped) {
      locate_row();
      columns_ = inner_.total;
    }
    u32 k = outer_dims_;
    while (k > 0 && ++at_[k - 1] == outer_[k - 1].total) at_[--k] = 0;
    rows_left_ = k > 0;
  }
  return columns_ > 0;
}

void SpanWalk::locate_row() {
  row_ = {reads_, descriptor_.source, destination_, 0};
  for (u32 k = 0; k < outer_dims_; ++k) {
    const Dimension& dimension = outer_[k];
    const u32 in_source = at_[k] - dimension.pad_before;  // wraps before the source box
    if (in_source >= dimension.size) row_.read = false;
    row_.source += in_source * dimension.source_stride;
    row_.destination += at_[k] * dimension.destination_stride;
  }
  if (!indexed_) return;
  // The index takes the place of the stride, which is zero.
  const i32 index = indices_[at_[0]];
  const u32 offset = static_cast<u32>(index) * static_cast<u32>(descriptor_.index_scale);
  (descriptor_.operation == dma::Operation::gather ? row_.source : row_.destination) += offset;
  if (!dma::in_bounds(descriptor_, index)) row_.read = false;
}

}  // namespace simfarm::fast
