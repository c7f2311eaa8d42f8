// A descriptor as the gp.dma froze it: nothing that the PE does afterwards changes it.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "dma/descriptor.h"
#include "dma/local_bytes.h"
#include "engine/machine.h"
#include "memory/address_map.h"

namespace simfarm::fast {

/// Bytes of a piece of local memory, apart from that memory.
struct LocalImage {
  u32 base = 0;  ///< address of the first
  std::vector<u8> bytes;
};

struct Plan;

struct Request {
  dma::Descriptor descriptor;
  std::vector<i32> indices;  ///< of a gather or scatter
  u32 destination = 0;       ///< address of element 0, of a multicast as each receiver sees it
  /// Where the elements that are read lie; none: none is.
  AddressMap::Space source_space = AddressMap::Space::none;
  /// Where those that are written lie; none: none is.
  AddressMap::Space destination_space = AddressMap::Space::none;
  std::vector<PeId> receivers;  ///< of a multicast, by id

  PeId pe = 0;       ///< the initiator
  u64 sequence = 0;  ///< among its engine's transfers
  u32 pc = 0;        ///< of the gp.dma
  Cycle queued = 0;  ///< its cycle
  u32 epoch = 0;     ///< of the PE, after the gp.dma, where races are looked for

  /// A local source: what it will read, to be kept up to date until the start.
  LocalImage source;
  /// How it is cut, when that is known; null: it is found out while it is placed.
  std::shared_ptr<const Plan> plan;

  bool adds() const {
    return descriptor.operation == dma::Operation::add_i32 ||
           descriptor.operation == dma::Operation::add_i8;
  }
  /// At least one element is written.
  bool moves() const { return destination_space != AddressMap::Space::none; }
};

/// Freezes the chain of descriptors at `address` of `pe`'s local memory, as a gp.dma does. Errors
/// name descriptor and field. Local sources are as in `view`, what the PE sees: what DMA has
/// completed and the PE has not acquired is for the caller to put on top (Payload::apply). pc,
/// queued and sequence are the caller's too.
Result<std::vector<Request>> freeze_chain(u32 address, const dma::LocalBytes& view,
                                          const Machine& machine, PeId pe);

}  // namespace simfarm::fast
