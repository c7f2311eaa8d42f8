#include "engine/fast/under_way.h"

#include <algorithm>

namespace simfarm::fast {

using Space = AddressMap::Space;

UnderWay::Memory& UnderWay::memory(const Side& side) {
  if (side.space == Space::ocm) return ocm_;
  return side.space == Space::dram ? dram_ : local_[side.pe];
}

bool UnderWay::in_the_way_of_read(const Side& side, Cycle now) {
  return memory(side).writing.meets(side.bytes, now, dma::Operation::copy);
}

bool UnderWay::in_the_way_of_write(const Side& side, Cycle now) {
  Memory& at = memory(side);
  return at.writing.meets(side.bytes, now, side.operation) ||
         at.reading.meets(side.bytes, now, dma::Operation::copy);
}

void UnderWay::List::drop(u64 number) {
  hulls_[number] = hulls_.back();
  hulls_.pop_back();
  if (number + 1 < details_.size()) details_[number] = std::move(details_.back());
  details_.pop_back();
}

void UnderWay::List::add(const Side& side, Cycle now) {
  if (hulls_.size() >= tidy_at_) {
    for (u64 k = hulls_.size(); k-- > 0;)
      if (hulls_[k].completion <= now) drop(k);
    tidy_at_ = std::max<u64>(64, 2 * hulls_.size());
  }
  hulls_.push_back({side.bytes.low(), side.bytes.high(), side.completion});
  details_.push_back({side.bytes, side.operation});
}

bool UnderWay::List::meets(const PlacedRanges& bytes, Cycle now, dma::Operation allowed) {
  const i64 low = bytes.low(), high = bytes.high();
  for (u64 k = 0; k < hulls_.size();) {
    const Hull& hull = hulls_[k];
    if (hull.completion <= now) {
      drop(k);
      continue;
    }
    if (hull.low < high && low < hull.high) {
      const Detail& detail = details_[k];
      const bool both_add = allowed != dma::Operation::copy && detail.operation == allowed;
      if (!both_add && bytes.meet(detail.bytes)) return true;
    }
    ++k;
  }
  return false;
}

}  // namespace simfarm::fast
