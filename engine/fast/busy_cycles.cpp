#include "engine/fast/busy_cycles.h"

#include <algorithm>

#include "base/check.h"

namespace simfarm::fast {

void BusyCycles::note_full(u64 number) {
  if (number == full_end_) {
    ++full_end_;
  } else if (number + 1 == full_begin_) {
    --full_begin_;
  } else if (number > full_end_ || number < full_begin_) {
    // One stretch is remembered: the youngest, which is where the next search ends.
    if (number < full_begin_) return;
    full_begin_ = number;
    full_end_ = number + 1;
  }
}

u64 BusyCycles::next_free_word(u64 number) {
  do number = skip_full(number + 1);
  while (word(number) == ~u64{0});
  return number;
}

Cycle BusyCycles::take_in_parts(u64 number, u64 free, u32 beats, Grants& grants) {
  grants.count = 0;
  Cycle after = never;  // the cycle after the last one taken
  for (;;) {
    u64 taken_here = 0;
    while (free != 0) {
      const u32 first = static_cast<u32>(std::countr_zero(free));
      const u32 stretch = static_cast<u32>(std::countr_one(free >> first));
      const u32 count = std::min(stretch, beats);
      const u64 taken = (~u64{0} >> (word_cycles - count)) << first;
      taken_here |= taken;
      free &= ~taken;
      const Cycle cycle = number * word_cycles + first;
      if (cycle == after)
        grants.runs[grants.count - 1].beats += count;
      else
        grants.runs[grants.count++] = {cycle, count};
      after = cycle + count;
      beats -= count;
      if (beats == 0) break;
    }
    u64& bits = word(number);
    bits |= taken_here;
    if (bits == ~u64{0}) note_full(number);
    if (beats == 0) {
      taken_until(after);
      return after - 1;
    }
    number = next_free_word(number);
    free = ~word(number);
  }
}

void BusyCycles::give_back(const Grants::Run& run) {
  for (Cycle cycle = run.first; cycle < run.first + run.beats; ++cycle) {
    const u64 number = cycle / word_cycles;
    word(number) &= ~(u64{1} << cycle % word_cycles);
    if (number >= full_begin_) full_end_ = std::clamp(number, full_begin_, full_end_);
  }
}

void BusyCycles::take_all(Cycle from, std::span<const u64> words) {
  const u64 first = from / word_cycles;
  const u32 shift = static_cast<u32>(from % word_cycles);
  word(first + words.size());  // makes room
  u64 rest = 0, both = 0;
  const auto take = [&](u64 number, u64 cycles) {
    u64& bits = words_[number & mask_];
    both |= bits & cycles;
    bits |= cycles;
    if (bits == ~u64{0}) [[unlikely]]
      note_full(number);
  };
  u64 number = first;
  for (const u64 now : words) {
    take(number++, now << shift | rest);
    rest = now >> 1 >> (word_cycles - 1 - shift);
  }
  if (rest != 0) take(number, rest);
  check(both == 0, "cycles that are taken already");
  taken_until(from + word_cycles * (words.size() - 1) + std::bit_width(words.back()));
}

void BusyCycles::copy_from(Cycle from, std::vector<u64>& words) const {
  if (end_ <= from) return;
  const u64 first = from / word_cycles, last = (end_ - 1) / word_cycles;
  const u32 shift = static_cast<u32>(from % word_cycles);
  const std::size_t before = words.size();
  words.resize(before + (last - first) + 1);
  u64* to = words.data() + before;
  u64 now = words_[first & mask_];
  for (u64 number = first; number < last; ++number) {
    const u64 next = words_[(number + 1) & mask_];
    *to++ = now >> shift | next << 1 << (word_cycles - 1 - shift);
    now = next;
  }
  *to = now >> shift;
  while (words.size() > before && words.back() == 0) words.pop_back();
}

void BusyCycles::make_room(u64 number) {
  // What lies before the floor is forgotten first.
  const u64 begin = *floor_ / word_cycles;
  check(number >= begin_ && number >= begin, "a beat before the floor of the reservations");
  const u64 size = words_.size();
  if (begin > begin_) {
    const u64 end = std::min(begin, begin_ + size);
    for (u64 k = begin_; k < end; ++k) words_[k & (size - 1)] = 0;
    begin_ = begin;
  }
  if (number - begin_ < size) return;
  std::vector<u64> larger(std::bit_ceil(number - begin_ + 1));
  for (u64 k = begin_; k < begin_ + size; ++k)
    larger[k & (larger.size() - 1)] = words_[k & (size - 1)];
  words_ = std::move(larger);
  mask_ = words_.size() - 1;
}

}  // namespace simfarm::fast
