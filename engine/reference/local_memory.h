// One PE's local memory, as the PE sees it.
#pragma once
#include <span>
#include <vector>

#include "base/types.h"
#include "memory/address_map.h"

namespace simfarm::reference {

class LocalMemory {
 public:
  explicit LocalMemory(const Region& region) : region_(region), view_(region.bytes) {}

  const Region& region() const { return region_; }

  /// The PE's view, from the region's first byte on.
  std::span<u8> view() { return view_; }
  std::span<const u8> view() const { return view_; }
  /// A part of it; the range lies in the region.
  std::span<u8> view(u32 address, u64 bytes) {
    return std::span(view_).subspan(address - region_.base, bytes);
  }

 private:
  Region region_;
  std::vector<u8> view_;
};

}  // namespace simfarm::reference
