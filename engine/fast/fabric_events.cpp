// Events in their order: of each cycle of the near ones a list in a ring, those beyond in a heap.
#include <algorithm>
#include <bit>

#include "base/check.h"
#include "engine/fast/fabric.h"
#include "engine/fast/planted.h"

namespace simfarm::fast {

Fabric::Events::Due Fabric::Events::due_of(u32 place) const {
  const Event& event = kept_[place];
  const bool reversed = planted(Planted::start_tie_reversed) && event.phase == Phase::start;
  const u32 source = reversed ? ((1u << pe_bits) - 1) - event.source : event.source;
  return {static_cast<u32>(event.phase) << pe_bits | source, place};
}

void Fabric::Events::push(const Event& event) {
  check(event.at >= from_, "an event before others that have happened");
  u32 place = static_cast<u32>(kept_.size());
  if (free_.empty()) {
    kept_.push_back(event);
    next_.push_back(none);
  } else {
    place = free_.back();
    free_.pop_back();
    kept_[place] = event;
  }
  if (!current_.empty() && event.at == current_at_) {
    const Due due = due_of(place);
    current_.insert(std::lower_bound(current_.begin(), current_.end(), due,
                                     [this](const Due& a, const Due& b) { return later(a, b); }),
                    due);
    return;
  }
  if (event.at < next_at_) {
    for (const Due& due : current_) put(due.place);
    current_.clear();
    next_at_ = event.at;
  }
  put(place);
}

void Fabric::Events::put(u32 place) {
  const Cycle at = kept_[place].at;
  if (at - from_ >= window) {
    far_.push_back(place);
    std::push_heap(far_.begin(), far_.end(),
                   [this](u32 a, u32 b) { return kept_[a].at > kept_[b].at; });
    return;
  }
  const u32 slot = static_cast<u32>(at % window);
  next_[place] = std::exchange(heads_[slot], place);
  there_[slot / 64] |= u64{1} << slot % 64;
  some_there_ |= u64{1} << slot / 64;
}

u32 Fabric::Events::pop_far() {
  std::pop_heap(far_.begin(), far_.end(),
                [this](u32 a, u32 b) { return kept_[a].at > kept_[b].at; });
  const u32 place = far_.back();
  far_.pop_back();
  return place;
}

/// The first cycle from `from` on, itself in the ring or just behind it, that has events there.
Cycle Fabric::Events::next_near(Cycle from) const {
  static_assert(window == 64 * 64);
  const Cycle end = from_ + window;
  if (from >= end) return never;
  const u32 word = static_cast<u32>(from / 64 % 64), bit = static_cast<u32>(from % 64);
  const auto found = [&](u32 words, u64 bits) {
    const Cycle at = (from / 64 + words) * 64 + static_cast<u32>(std::countr_zero(bits));
    return at < end ? at : never;
  };
  if (const u64 bits = there_[word] >> bit << bit; bits != 0) return found(0, bits);
  // The words behind it, around the ring, and last what is before `from` in its own.
  const u64 others = std::rotr(some_there_, static_cast<int>(word)) & ~u64{1};
  if (others != 0) {
    const u32 words = static_cast<u32>(std::countr_zero(others));
    return found(words, there_[(word + words) % 64]);
  }
  const u64 before = there_[word] & ~(~u64{0} << bit);
  return before != 0 ? found(64, before) : never;
}

/// Those of the next cycle are put into order.
void Fabric::Events::take_cycle() {
  if (!current_.empty()) return;
  current_at_ = next_at_;
  if (next_at_ - from_ >= window) {
    while (!far_.empty() && kept_[far_.front()].at == next_at_)
      current_.push_back(due_of(pop_far()));
  } else {
    const u32 slot = static_cast<u32>(next_at_ % window);
    for (u32 k = std::exchange(heads_[slot], none); k != none; k = next_[k])
      current_.push_back(due_of(k));
    u64& word = there_[slot / 64];
    word &= ~(u64{1} << slot % 64);
    if (word == 0) some_there_ &= ~(u64{1} << slot / 64);
  }
  if (current_.size() > 1)
    std::sort(current_.begin(), current_.end(),
              [this](const Due& a, const Due& b) { return later(a, b); });
}

Fabric::Event Fabric::Events::pop() {
  take_cycle();
  const u32 place = current_.back().place;
  current_.pop_back();
  free_.push_back(place);
  if (from_ != current_at_) {
    from_ = current_at_;
    while (!far_.empty() && kept_[far_.front()].at - from_ < window) put(pop_far());
  }
  if (current_.empty()) {
    next_at_ = next_near(from_);
    if (next_at_ == never && !far_.empty()) next_at_ = kept_[far_.front()].at;
  }
  return kept_[place];
}

}  // namespace simfarm::fast
