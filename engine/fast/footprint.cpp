#include "engine/fast/footprint.h"

#include <algorithm>

#include "engine/fast/plan.h"

namespace simfarm::fast {

void ByteRanges::add(i64 begin, i64 bytes) {
  const i64 end = begin + bytes;
  if (!ranges_.empty() && ranges_.back().end == begin)
    ranges_.back().end = end;
  else if (ranges_.empty() || ranges_.back().begin > begin || ranges_.back().end < end)
    ranges_.push_back({begin, end});
}

void ByteRanges::finish() {
  const auto before = [](const Range& a, const Range& b) { return a.begin < b.begin; };
  if (!std::is_sorted(ranges_.begin(), ranges_.end(), before))
    std::sort(ranges_.begin(), ranges_.end(), before);
  std::vector<Range> merged;
  for (const Range& range : ranges_) {
    if (!merged.empty() && range.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, range.end);
    else
      merged.push_back(range);
  }
  merged.shrink_to_fit();
  ranges_ = std::move(merged);

  if (ranges_.size() < 2) return;
  period_ = ranges_[1].begin - ranges_[0].begin;
  for (u64 k = 1; k < ranges_.size(); ++k) {
    const Range &one = ranges_[k - 1], &next = ranges_[k];
    const bool alike = next.end - next.begin == one.end - one.begin;
    if (!alike || next.begin - one.begin != period_) period_ = 0;
  }
}

/// Both have rows at the same distance, and those of one lie in the gaps of the other.
bool ByteRanges::apart_in_period(const ByteRanges& other, i64 shift) const {
  if (period_ == 0 || period_ != other.period_) return false;
  const i64 own = ranges_[0].end - ranges_[0].begin;
  const i64 its = other.ranges_[0].end - other.ranges_[0].begin;
  i64 behind = (other.low() + shift - low()) % period_;
  if (behind < 0) behind += period_;
  return behind >= own && period_ - behind >= its;
}

bool ByteRanges::meet(const ByteRanges& other, i64 shift) const {
  if (empty() || other.empty()) return false;
  if (low() >= other.high() + shift || other.low() + shift >= high()) return false;
  if (apart_in_period(other, shift)) return false;
  auto own = std::partition_point(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return range.end <= other.low() + shift;
  });
  auto its = std::partition_point(other.ranges_.begin(), other.ranges_.end(),
                                  [&](const Range& range) { return range.end + shift <= low(); });
  while (own != ranges_.end() && its != other.ranges_.end()) {
    if (own->end <= its->begin + shift)
      ++own;
    else if (its->end + shift <= own->begin)
      ++its;
    else
      return true;
  }
  return false;
}

Footprint footprint_of(const Request& request) {
  if (!request.moves()) return {};
  if (request.plan != nullptr && request.plan->written != nullptr)
    return {{request.plan->read, Plan::base(request.descriptor.source)},
            {request.plan->written, Plan::base(request.destination)}};
  auto read = std::make_shared<ByteRanges>(), written = std::make_shared<ByteRanges>();
  SpanWalk walk(request.descriptor, request.indices, request.destination);
  Span span;
  while (walk.next(span)) {
    const i64 bytes = i64{span.elements} << walk.log2_element();
    if (span.read) read->add(span.source, bytes);
    written->add(span.destination, bytes);
  }
  read->finish();
  written->finish();
  return {{std::move(read), 0}, {std::move(written), 0}};
}

}  // namespace simfarm::fast
