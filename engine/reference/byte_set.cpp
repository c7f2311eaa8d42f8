#include "engine/reference/byte_set.h"

#include <algorithm>

#include "engine/reference/element_walk.h"

namespace simfarm::reference {

void ByteSet::add(u32 address, u32 bytes) {
  const Range range{address, u64{address} + bytes};
  if (!ranges_.empty() && ranges_.back().end == range.begin)
    ranges_.back().end = range.end;
  else if (ranges_.empty() || ranges_.back().begin > range.begin || ranges_.back().end < range.end)
    ranges_.push_back(range);
}

void ByteSet::finish() {
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> merged;
  for (const Range& range : ranges_) {
    if (!merged.empty() && range.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, range.end);
    else
      merged.push_back(range);
  }
  ranges_ = std::move(merged);
}

std::optional<u32> ByteSet::first_common(const ByteSet& other) const {
  if (empty() || other.empty() || ranges_.front().begin >= other.ranges_.back().end ||
      other.ranges_.front().begin >= ranges_.back().end)
    return std::nullopt;
  auto a = ranges_.begin(), b = other.ranges_.begin();
  while (a != ranges_.end() && b != other.ranges_.end()) {
    const u32 begin = std::max(a->begin, b->begin);
    if (begin < std::min(a->end, b->end)) return begin;
    if (a->end < b->end)
      ++a;
    else
      ++b;
  }
  return std::nullopt;
}

std::optional<u32> ByteSet::first_common(u32 address, u64 bytes) const {
  const auto after = std::partition_point(ranges_.begin(), ranges_.end(),
                                          [&](const Range& range) { return range.end <= address; });
  if (after == ranges_.end() || after->begin >= address + bytes) return std::nullopt;
  return std::max(after->begin, address);
}

Footprint footprint_of(const Request& request) {
  const u32 bytes = request.descriptor.element_bytes;
  Footprint footprint;
  ElementWalk walk(request.descriptor, request.indices, request.destination);
  Element element;
  while (walk.next(element)) {
    if (element.read) footprint.read.add(element.source, bytes);
    footprint.written.add(element.destination, bytes);
  }
  footprint.read.finish();
  footprint.written.finish();
  return footprint;
}

}  // namespace simfarm::reference
