// OCM and DRAM: a region of up to 4 GiB of which only the pages that something wrote take space.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/types.h"
#include "memory/address_map.h"

namespace simfarm {

class SparseMemory {
 public:
  static constexpr u32 page_bytes = 64u << 10;

  /// Untouched bytes read as zero, or as the poison of `poison_seed`.
  explicit SparseMemory(Region region, std::optional<u64> poison_seed = std::nullopt);

  const Region& region() const { return region_; }

  /// All of [address, address + size) must lie in the region: DMA descriptors and loaders have
  /// checked it, anything else is a bug of ours and stops. Reading never takes space.
  void read(u32 address, std::span<u8> bytes) const;
  void write(u32 address, std::span<const u8> bytes);
  void zero(u32 address, u64 length);

  /// True when nothing has written to a page of the range: it reads as it did at the start.
  bool untouched(u32 address, u64 length) const;

  /// Pages that take space.
  u64 backed_pages() const { return backed_; }

 private:
  using Page = std::array<u8, page_bytes>;

  /// Calls part(page number, offset in page, offset in the range, bytes) for each page touched.
  template <class Part>
  void split(u32 address, u64 length, Part part) const;
  Page& backed(u64 page);

  Region region_;
  std::optional<u64> poison_seed_;
  std::vector<std::unique_ptr<Page>> pages_;
  u64 backed_ = 0;
};

}  // namespace simfarm
