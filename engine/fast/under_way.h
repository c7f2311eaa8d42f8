// Which memory transfers under way read and write, to find those that meet: two that touch the same
// bytes in overlapping intervals, one of them writing (docs/machine.md, section 6).
#pragma once
#include <vector>

#include "dma/descriptor.h"
#include "engine/fast/footprint.h"
#include "engine/machine.h"
#include "memory/address_map.h"

namespace simfarm::fast {

class UnderWay {
 public:
  explicit UnderWay(const Machine& machine) : local_(machine.pes()) {}

  /// One side of a transfer that starts. `pe`: whose memory, where it is a local one.
  struct Side {
    AddressMap::Space space{};
    PeId pe = 0;
    PlacedRanges bytes;
    /// Of a copy-add that writes: its operation. Two of the same kind do not conflict.
    dma::Operation operation = dma::Operation::copy;
    Cycle completion = 0;
  };
  /// In cycle `now`, no earlier than before: whether a transfer under way is in its way.
  bool in_the_way_of_read(const Side& side, Cycle now);
  bool in_the_way_of_write(const Side& side, Cycle now);
  /// From now on it is under way, up to its completion.
  void reads(const Side& side, Cycle now) { memory(side).reading.add(side, now); }
  void writes(const Side& side, Cycle now) { memory(side).writing.add(side, now); }

 private:
  /// Transfers that have not been seen complete yet.
  class List {
   public:
    void add(const Side& side, Cycle now);
    bool meets(const PlacedRanges& bytes, Cycle now, dma::Operation allowed);

   private:
    void drop(u64 number);
    /// What is looked at first, close together.
    struct Hull {
      i64 low = 0;
      i64 high = 0;
      Cycle completion = 0;
    };
    struct Detail {
      PlacedRanges bytes;
      dma::Operation operation{};
    };
    std::vector<Hull> hulls_;
    std::vector<Detail> details_;
    u64 tidy_at_ = 64;
  };
  struct Memory {
    List reading;
    List writing;
  };
  Memory& memory(const Side& side);

  Memory ocm_, dram_;
  std::vector<Memory> local_;  ///< by PE
};

}  // namespace simfarm::fast
