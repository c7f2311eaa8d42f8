#include "memory/sparse_memory.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "memory/poison.h"

namespace simfarm {

SparseMemory::SparseMemory(Region region, std::optional<u64> poison_seed)
    : region_(region),
      poison_seed_(poison_seed),
      pages_((region.bytes + page_bytes - 1) / page_bytes) {}

template <class Part>
void SparseMemory::split(u32 address, u64 length, Part part) const {
  check(region_.contains(address, length), "access outside a shared memory");
  const u64 begin = address - region_.base;
  for (u64 done = 0; done < length;) {
    const u64 offset = (begin + done) % page_bytes;
    const u64 count = std::min(length - done, page_bytes - offset);
    part((begin + done) / page_bytes, offset, done, count);
    done += count;
  }
}

SparseMemory::Page& SparseMemory::backed(u64 number) {
  auto& page = pages_[number];
  if (page) return *page;
  page = std::make_unique<Page>();  // zeroed
  if (poison_seed_) poison(*poison_seed_, region_.base + number * page_bytes, *page);
  ++backed_;
  return *page;
}

void SparseMemory::read(u32 address, std::span<u8> bytes) const {
  split(address, bytes.size(), [&](u64 number, u64 offset, u64 done, u64 count) {
    const auto part = bytes.subspan(done, count);
    if (const Page* page = pages_[number].get())
      std::copy_n(page->begin() + static_cast<std::ptrdiff_t>(offset), count, part.begin());
    else if (poison_seed_)
      poison(*poison_seed_, u64{address} + done, part);
    else
      std::memset(part.data(), 0, count);
  });
}

bool SparseMemory::untouched(u32 address, u64 length) const {
  bool none = true;
  split(address, length, [&](u64 number, u64, u64, u64) { none = none && !pages_[number]; });
  return none;
}

void SparseMemory::write(u32 address, std::span<const u8> bytes) {
  split(address, bytes.size(), [&](u64 number, u64 offset, u64 done, u64 count) {
    const auto part = bytes.subspan(done, count);
    std::copy_n(part.begin(), count, backed(number).begin() + static_cast<std::ptrdiff_t>(offset));
  });
}

void SparseMemory::zero(u32 address, u64 length) {
  split(address, length, [&](u64 number, u64 offset, u64, u64 count) {
    if (!pages_[number] && !poison_seed_) return;
    std::fill_n(backed(number).begin() + static_cast<std::ptrdiff_t>(offset), count, u8{0});
  });
}

}  // namespace simfarm
