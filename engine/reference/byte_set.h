// A set of addresses, for what a transfer reads or writes.
#pragma once
#include <optional>
#include <vector>

#include "base/types.h"
#include "engine/reference/request.h"

namespace simfarm::reference {

class ByteSet {
 public:
  /// [begin, end)
  struct Range {
    u32 begin = 0;
    u64 end = 0;
  };

  /// Adds `bytes` bytes; call finish() after the last.
  void add(u32 address, u32 bytes);
  void finish();

  bool empty() const { return ranges_.empty(); }
  /// Disjoint, ascending.
  const std::vector<Range>& ranges() const { return ranges_; }
  /// The lowest address that is in both.
  std::optional<u32> first_common(const ByteSet& other) const;
  std::optional<u32> first_common(u32 address, u64 bytes) const;

 private:
  std::vector<Range> ranges_;
};

/// What a transfer touches; of a multicast, as each receiver sees it.
struct Footprint {
  ByteSet read;
  ByteSet written;
};
Footprint footprint_of(const Request& request);

}  // namespace simfarm::reference
