#include "engine/reference/local_memory.h"

#include <algorithm>

namespace simfarm::reference {

std::vector<u8> LocalMemory::dma_view(u32 address, u64 bytes) const {
  const auto first = view_.begin() + (address - region_.base);
  std::vector<u8> image(first, first + static_cast<i64>(bytes));
  for (const Completed& one : unacquired_) one.payload->apply(address, image);
  return image;
}

void LocalMemory::complete(TransferId id, std::shared_ptr<const Payload> payload, u32 releases) {
  unacquired_.push_back({id, std::move(payload), releases});
}

void LocalMemory::release(TransferId id, u32 semaphore) {
  for (Completed& one : unacquired_)
    if (one.id == id) one.releases |= 1u << semaphore;
}

std::vector<TransferId> LocalMemory::acquire(u32 semaphore, Cycle now) {
  const auto shown = [&](const Completed& one) { return (one.releases >> semaphore & 1) != 0; };
  if (std::ranges::any_of(unacquired_, shown)) before_ = {now, view_, unacquired_};
  std::vector<TransferId> acquired;
  std::erase_if(unacquired_, [&](const Completed& one) {
    if (!shown(one)) return false;
    one.payload->apply(region_.base, view_);
    acquired.push_back(one.id);
    return true;
  });
  return acquired;
}

void LocalMemory::take_back_acquire(Cycle now) {
  if (before_.acquired_in != now) return;
  view_ = before_.view;
  unacquired_ = before_.unacquired;
}

}  // namespace simfarm::reference
