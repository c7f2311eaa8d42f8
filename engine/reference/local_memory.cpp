#include "engine/reference/local_memory.h"

#include <algorithm>

namespace simfarm::reference {

std::vector<u8> LocalMemory::dma_view(u32 address, u64 bytes) const {
  const auto first = view_.begin() + (address - region_.base);
  std::vector<u8> image(first, first + static_cast<i64>(bytes));
  for (const Completed& one : unacquired_) one.payload->apply(address, image);
  return image;
}

void LocalMemory::complete(PeId initiator, u64 sequence, std::shared_ptr<const Payload> payload,
                           u32 releases) {
  unacquired_.push_back({initiator, sequence, std::move(payload), releases});
}

void LocalMemory::release(PeId initiator, u64 sequence, u32 semaphore) {
  for (Completed& one : unacquired_)
    if (one.initiator == initiator && one.sequence == sequence) one.releases |= 1u << semaphore;
}

void LocalMemory::acquire(u32 semaphore) {
  const auto released = [&](const Completed& one) { return (one.releases >> semaphore & 1) != 0; };
  for (const Completed& one : unacquired_)
    if (released(one)) one.payload->apply(region_.base, view_);
  std::erase_if(unacquired_, released);
}

}  // namespace simfarm::reference
