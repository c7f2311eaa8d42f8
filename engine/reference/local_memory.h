// One PE's local memory, seen from two sides (docs/machine.md, V3, V5, V6). The PE sees what it
// stored, and of DMA what it has acquired; DMA sees in addition every transfer that has completed.
// The second view is not stored: it is the PE's view with the completed but not acquired transfers
// applied to it, in order of completion.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "base/types.h"
#include "engine/reference/payload.h"
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

  /// DMA's view of [address, address + bytes), which lies in the region.
  std::vector<u8> dma_view(u32 address, u64 bytes) const;

  /// A transfer has completed here. A gp.wait on one of the semaphores `releases` (bit n: n) will
  /// show it to the PE.
  void complete(TransferId id, std::shared_ptr<const Payload> payload, u32 releases);
  /// The same transfer releases one more semaphore.
  void release(TransferId id, u32 semaphore);
  /// A gp.wait on `semaphore` issues in cycle `now`: what it releases becomes visible to the PE.
  /// Returns those transfers.
  std::vector<TransferId> acquire(u32 semaphore, Cycle now);
  /// A trap ends the run in cycle `now`, which does not count: nor does a wait that issued in it.
  void take_back_acquire(Cycle now);

 private:
  struct Completed {
    TransferId id;
    std::shared_ptr<const Payload> payload;
    u32 releases = 0;
  };

  Region region_;
  std::vector<u8> view_;
  std::vector<Completed> unacquired_;  ///< in order of (completion, initiator, sequence)
  struct Before {
    Cycle acquired_in = never;
    std::vector<u8> view;
    std::vector<Completed> unacquired;
  };
  Before before_;  ///< the last acquire that showed something
};

}  // namespace simfarm::reference
