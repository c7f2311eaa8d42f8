// Descriptors for tests, and kernels that run them one after the other.
#pragma once
#include <vector>

#include "dma/descriptor.h"
#include "engine/machine.h"
#include "tests/support/kernel.h"

namespace simfarm::test {

/// `elements` elements that follow one another on both sides; releases semaphore 0.
inline dma::Descriptor linear_copy(u32 source, u32 destination, u16 elements,
                                   u8 element_bytes = 1) {
  dma::Descriptor d;
  d.element_bytes = element_bytes;
  d.source = source;
  d.destination = destination;
  d.sizes[0] = elements;
  d.source_strides[0] = d.destination_strides[0] = element_bytes;
  d.release_own = {0, 1};
  return d;
}

/// A fill of the same form.
inline dma::Descriptor linear_fill(u32 destination, u16 elements, u8 element_bytes = 1) {
  dma::Descriptor d = linear_copy(0, destination, elements, element_bytes);
  d.operation = dma::Operation::fill;
  d.source_strides[0] = 0;
  return d;
}

/// Puts descriptors into local memory, 128 bytes apart, from `address` on.
inline Kernel& put_descriptors(Kernel& kernel, u32 address,
                               const std::vector<dma::Descriptor>& descriptors,
                               const AddressMap& map = {}) {
  for (const dma::Descriptor& descriptor : descriptors) {
    kernel.data(address, dma::encode(descriptor, map));
    address += 128;
  }
  return kernel;
}

}  // namespace simfarm::test
