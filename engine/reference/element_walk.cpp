#include "engine/reference/element_walk.h"

#include "dma/indices.h"

namespace simfarm::reference {

ElementWalk::ElementWalk(const dma::Descriptor& descriptor, const std::vector<i32>& indices,
                         u32 destination)
    : descriptor_(descriptor),
      indices_(indices),
      destination_(destination),
      done_(descriptor.destination_elements() == 0) {}

bool ElementWalk::next(Element& element) {
  while (!done_ && skipped()) advance(0);
  if (done_) return false;
  element = here();
  advance(descriptor_.dims - 1u);
  return true;
}

bool ElementWalk::skipped() const {
  return descriptor_.out_of_bounds == dma::OutOfBounds::skip &&
         !dma::in_bounds(descriptor_, indices_[at_[0]]);
}

Element ElementWalk::here() const {
  const dma::Descriptor& d = descriptor_;
  const bool gather = d.operation == dma::Operation::gather;
  const bool scatter = d.operation == dma::Operation::scatter;
  Element element{d.operation != dma::Operation::fill, d.source, destination_};
  for (u32 k = 0; k < d.dims; ++k) {
    const u32 in_source = at_[k] - d.pad_before[k];  // wraps before the source box
    if (in_source >= d.sizes[k]) element.read = false;
    element.source += in_source * static_cast<u32>(d.source_strides[k]);
    element.destination += at_[k] * static_cast<u32>(d.destination_strides[k]);
  }
  if (gather || scatter) {
    const u32 offset = static_cast<u32>(indices_[at_[0]]) * static_cast<u32>(d.index_scale);
    (gather ? element.source : element.destination) += offset;
    if (!dma::in_bounds(d, indices_[at_[0]])) element.read = false;
  }
  return element;
}

void ElementWalk::advance(u32 k) {
  for (u32 inner = k + 1; inner < descriptor_.dims; ++inner) at_[inner] = 0;
  while (++at_[k] == descriptor_.destination_size(k)) {
    at_[k] = 0;
    if (k == 0) {
      done_ = true;
      return;
    }
    --k;
  }
}

}  // namespace simfarm::reference
