// How a transfer is cut into bursts (docs/machine.md, D3): reads by its source addresses, writes by
// its destination addresses, and the order in which they are numbered.
#pragma once
#include <optional>
#include <vector>

#include "base/types.h"
#include "engine/reference/element_walk.h"
#include "engine/reference/request.h"

namespace simfarm::reference {

enum class BurstKind : u8 { index_read, read, write };

/// One burst: bytes that follow one another, inside one 64-byte block.
struct Burst {
  BurstKind kind{};
  u32 address = 0;
  u32 bytes = 0;
  /// A write: the reads [first_read, end_read) hold its bytes, counted from the transfer's first;
  /// none: it is sourceless. A read: itself.
  u32 first_read = 0;
  u32 end_read = 0;
  /// A write: no write after it depends on a read below this one.
  u32 reads_done = 0;

  /// A write of bytes that are not read.
  bool sourceless() const { return kind == BurstKind::write && first_read == end_read; }
};

/// The index reads of a gather or scatter: the runs of its index list.
std::vector<Burst> index_reads(const Request& request);

/// Reads and writes, in the order of their numbers.
class BurstCutter {
 public:
  /// `in_flight`: a write depends on no more reads than that. The request outlives the cutter.
  BurstCutter(const Request& request, u32 in_flight);

  /// Appends the next write, and before it the reads that it needs and no write before it needed.
  /// False: there is none left.
  bool next(std::vector<Burst>& bursts);

 private:
  /// The runs of the elements that are read. A read is only known when the first element beyond it
  /// is, far beyond the write that needs it first: so it has a walk of its own.
  class Reads {
   public:
    explicit Reads(const Request& request);
    /// There has to be one.
    Burst next();
    /// How many of the elements that are read are in the runs so far.
    u64 elements() const { return elements_; }
    u32 count() const { return count_; }

   private:
    void look();
    ElementWalk walk_;
    u32 element_bytes_;
    std::optional<Element> ahead_;
    u64 elements_ = 0;
    u32 count_ = 0;
  };

  void look();

  u32 element_bytes_;
  u32 in_flight_;
  ElementWalk walk_;
  std::optional<Element> ahead_;  ///< the first element that is in no write yet
  u64 elements_read_ = 0;         ///< elements before it that are read
  Reads reads_;
};

}  // namespace simfarm::reference
