// Random descriptors that parse, over everything that a descriptor can say: for property tests of
// parsing and of the engines.
#pragma once
#include <span>
#include <vector>

#include "dma/descriptor.h"
#include "tests/support/random.h"

namespace simfarm::test {

struct RandomTransfer {
  dma::Descriptor descriptor;  ///< `next` is 0
  std::vector<i32> indices;    ///< of a gather or scatter
};

/// A legal descriptor at local `offset` (a multiple of 64) for the machine and initiator of
/// `context`. Destinations have at most some 200 elements. Of local memory, descriptors get [0, 4
/// KiB), index lists [4 KiB, 6 KiB), data the rest: it must have 16 KiB at least.
RandomTransfer random_transfer(Random& random, const dma::Context& context, u32 offset);

/// Writes descriptor and index list into `local`, the whole local memory.
void place(const RandomTransfer& transfer, const AddressMap& map, std::span<u8> local);

}  // namespace simfarm::test
