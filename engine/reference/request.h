// A descriptor as the gp.dma froze it: nothing that the PE does afterwards changes it.
#pragma once
#include <compare>
#include <deque>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "dma/descriptor.h"
#include "engine/machine.h"
#include "memory/address_map.h"

namespace simfarm::reference {

/// Bytes of a piece of local memory, apart from that memory.
struct LocalImage {
  u32 base = 0;  ///< address of the first
  std::vector<u8> bytes;
};

class LocalMemory;

/// A transfer's name.
struct TransferId {
  PeId initiator = 0;
  u64 sequence = 0;  ///< among the initiator's
  friend auto operator<=>(const TransferId&, const TransferId&) = default;
};

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

  /// A local source: what it will read, kept up to date until the start.
  LocalImage source;

  bool is_add() const {
    return descriptor.operation == dma::Operation::add_i32 ||
           descriptor.operation == dma::Operation::add_i8;
  }
  bool is_indexed() const {
    return descriptor.operation == dma::Operation::gather ||
           descriptor.operation == dma::Operation::scatter;
  }
  TransferId id() const { return {pe, sequence}; }
  /// The initiator is one of the receivers.
  bool to_self() const { return descriptor.include_self; }
};

/// Freezes the chain of descriptors at `address` of `pe`'s local memory, as a gp.dma does. Errors
/// name descriptor and field. pc, queued and sequence are the caller's.
Result<std::deque<Request>> freeze_chain(u32 address, const LocalMemory& memory,
                                         const Machine& machine, PeId pe);

}  // namespace simfarm::reference
