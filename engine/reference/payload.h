// What a transfer carries: the bytes that it writes, in order, as they were read at its start.
#pragma once
#include <span>
#include <vector>

#include "base/types.h"
#include "engine/reference/element_walk.h"
#include "engine/reference/request.h"
#include "memory/sparse_memory.h"

namespace simfarm::reference {

class Payload {
 public:
  /// Reads every element's value; a local source out of the request's image, a shared one out of
  /// `shared` (null for a local one).
  Payload(const Request& request, const SparseMemory* shared);

  bool empty() const { return runs_.empty(); }

  /// Writes into a piece of local memory whose first byte has the address `base`, or adds to it.
  /// Elements outside of the piece are left out; none is in part.
  void apply(u32 base, std::span<u8> piece) const;
  /// The same for OCM or DRAM.
  void apply(SparseMemory& memory) const;

 private:
  /// Elements that follow one another at ascending addresses.
  struct Run {
    u32 address = 0;
    u32 bytes = 0;
  };
  /// Elements that follow one another on both sides.
  struct Piece {
    Element first;
    u32 bytes = 0;
    bool continued_by(const Element& next) const;
  };
  void append(const Piece& piece, const Request& request, const SparseMemory* shared);
  /// Adds the elements of `value` to those of `memory`.
  void add(std::span<u8> memory, std::span<const u8> value) const;

  dma::Operation operation_;
  u32 element_bytes_;
  std::vector<Run> runs_;
  std::vector<u8> values_;  ///< of all runs, one after the other
};

}  // namespace simfarm::reference
