#include "engine/reference/shared_memory.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "engine/poison.h"

namespace simfarm::reference {
namespace {

/// Calls visit(page, offset in it, bytes of it) for the pages that [offset, offset + bytes)
/// touches.
template <class Visit>
void for_each_page(u64 offset, u64 bytes, Visit visit) {
  while (bytes > 0) {
    const u64 page = offset / SharedMemory::page_bytes;
    const u32 start = static_cast<u32>(offset % SharedMemory::page_bytes);
    const u32 here = static_cast<u32>(std::min<u64>(bytes, SharedMemory::page_bytes - start));
    visit(page, start, here);
    offset += here;
    bytes -= here;
  }
}

}  // namespace

SharedMemory::SharedMemory(const Region& region, std::optional<u64> poison_seed, u64 stream)
    : region_(region), poison_seed_(poison_seed), stream_(stream) {}

void SharedMemory::read_page(const Page* page, u64 index, u32 offset, std::span<u8> bytes) const {
  if (page != nullptr)
    std::memcpy(bytes.data(), page->data() + offset, bytes.size());
  else if (poison_seed_)
    poison_fill(*poison_seed_, stream_, index * page_bytes + offset, bytes);
  else
    std::fill(bytes.begin(), bytes.end(), u8{0});
}

void SharedMemory::read(u32 address, std::span<u8> bytes) const {
  check(region_.contains(address, bytes.size()), "a read outside its memory");
  for_each_page(address - region_.base, bytes.size(), [&](u64 page, u32 offset, u32 here) {
    read_page(find(page).get(), page, offset, bytes.first(here));
    bytes = bytes.subspan(here);
  });
}

void SharedMemory::write(u32 address, std::span<const u8> bytes) {
  check(region_.contains(address, bytes.size()), "a write outside its memory");
  for_each_page(address - region_.base, bytes.size(), [&](u64 index, u32 offset, u32 here) {
    std::shared_ptr<Page>& page = pages_[index];
    if (page == nullptr || page.use_count() > 1) {
      auto copy = std::make_shared<Page>();
      read_page(page.get(), index, 0, *copy);
      page = std::move(copy);
    }
    std::memcpy(page->data() + offset, bytes.data(), here);
    bytes = bytes.subspan(here);
  });
}

SharedMemory::Snapshot SharedMemory::snapshot(u32 address, u64 bytes) const {
  check(region_.contains(address, bytes), "a snapshot of what is outside its memory");
  Snapshot taken;
  taken.memory_ = this;
  taken.first_page_ = (address - region_.base) / page_bytes;
  for_each_page(address - region_.base, bytes,
                [&](u64 page, u32, u32) { taken.pages_.push_back(find(page)); });
  return taken;
}

void SharedMemory::Snapshot::read(u32 address, std::span<u8> bytes) const {
  for_each_page(address - memory_->region_.base, bytes.size(), [&](u64 page, u32 offset, u32 here) {
    const u64 index = page - first_page_;
    check(index < pages_.size(), "a read outside its snapshot");
    memory_->read_page(pages_[index].get(), page, offset, bytes.first(here));
    bytes = bytes.subspan(here);
  });
}

}  // namespace simfarm::reference
