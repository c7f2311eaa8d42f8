// OCM or DRAM: pages that exist from their first write on, and are shared with the snapshots that
// transfers took of them. A write to a page that some snapshot still holds goes to a copy of it.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "memory/address_map.h"

namespace simfarm::reference {

class SharedMemory {
 public:
  static constexpr u32 page_bytes = 4096;

  /// A piece of memory as it was when the snapshot was taken.
  class Snapshot;

  /// `poison_seed`: fills what is never written; zeros without one. `stream` tells memories apart.
  SharedMemory(const Region& region, std::optional<u64> poison_seed, u64 stream);

  const Region& region() const { return region_; }

  /// [address, address + bytes.size()) lies in the region.
  void read(u32 address, std::span<u8> bytes) const;
  void write(u32 address, std::span<const u8> bytes);

  Snapshot snapshot(u32 address, u64 bytes) const;

 private:
  using Page = std::array<u8, page_bytes>;

  std::shared_ptr<Page> find(u64 index) const {
    const auto found = pages_.find(index);
    return found == pages_.end() ? nullptr : found->second;
  }
  /// Copies a part of page `index`, which may not exist yet.
  void read_page(const Page* page, u64 index, u32 offset, std::span<u8> bytes) const;

  Region region_;
  std::optional<u64> poison_seed_;
  u64 stream_;
  std::unordered_map<u64, std::shared_ptr<Page>> pages_;  ///< by number; looked up only
};

class SharedMemory::Snapshot {
 public:
  Snapshot() = default;
  /// Inside the range that the snapshot was asked for.
  void read(u32 address, std::span<u8> bytes) const;

 private:
  friend class SharedMemory;
  const SharedMemory* memory_ = nullptr;
  u64 first_page_ = 0;
  std::vector<std::shared_ptr<const Page>> pages_;
};

}  // namespace simfarm::reference
