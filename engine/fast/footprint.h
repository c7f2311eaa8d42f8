// What a transfer reads and writes, as ranges of bytes, for who looks for races.
#pragma once
#include <memory>
#include <vector>

#include "base/types.h"

namespace simfarm::fast {

struct Request;

class ByteRanges {
 public:
  /// [begin, end)
  struct Range {
    i64 begin = 0;
    i64 end = 0;
    friend bool operator==(const Range&, const Range&) = default;
  };

  /// Adds a range; call finish() after the last.
  void add(i64 begin, i64 bytes);
  void finish();

  bool empty() const { return ranges_.empty(); }
  /// Disjoint, ascending, with gaps.
  const std::vector<Range>& ranges() const { return ranges_; }
  i64 low() const { return ranges_.front().begin; }
  i64 high() const { return ranges_.back().end; }

  /// Whether a byte is in both, with `shift` added to the other's addresses.
  bool meet(const ByteRanges& other, i64 shift) const;

 private:
  bool apart_in_period(const ByteRanges& other, i64 shift) const;

  std::vector<Range> ranges_;
  /// All ranges have one length and begin so far from each other, as rows of a matrix do; 0: not
  /// so.
  i64 period_ = 0;
};

/// Ranges that are often the same, but for where they lie.
struct PlacedRanges {
  std::shared_ptr<const ByteRanges> ranges;  ///< null: none
  i64 shift = 0;                             ///< to be added to their addresses
  bool empty() const { return ranges == nullptr || ranges->empty(); }
  i64 low() const { return ranges->low() + shift; }
  i64 high() const { return ranges->high() + shift; }
  bool meet(const PlacedRanges& other) const {
    return ranges->meet(*other.ranges, other.shift - shift);
  }
};

/// Of a multicast, as each receiver sees it.
struct Footprint {
  PlacedRanges read;
  PlacedRanges written;
};
/// Takes the request's plan where there is one and it has the ranges.
Footprint footprint_of(const Request& request);

}  // namespace simfarm::fast
