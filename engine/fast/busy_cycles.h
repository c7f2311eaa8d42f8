// The cycles in which a resource grants a beat to a transfer that has been placed.
#pragma once
#include <array>
#include <bit>
#include <span>
#include <vector>

#include "base/types.h"

namespace simfarm::fast {

/// Where the beats of a stage are: runs of cycles that follow one another.
struct Grants {
  struct Run {
    Cycle first = 0;
    u32 beats = 0;
  };
  static constexpr u32 most = 128;  ///< beats: 64 bytes, one each, read and written

  std::array<Run, most> runs;
  u32 count = 0;

  Cycle last() const { return runs[count - 1].first + runs[count - 1].beats - 1; }
};

class BusyCycles {
 public:
  /// `floor`: beats before it will not be asked for again. It may grow, and outlives this.
  explicit BusyCycles(const Cycle& floor) : floor_(&floor) {}

  /// Takes the first `beats` (1..Grants::most) free cycles from `ready` on. Returns the last of
  /// them.
  Cycle take(Cycle ready, u32 beats, Grants& grants);
  /// The same for one beat.
  Cycle take_one(Cycle ready);
  /// Takes the `beats` cycles from `ready` on if all are free and that is quickly seen; else none.
  bool take_at_once(Cycle ready, u32 beats) {
    const u64 number = ready / word_cycles;
    const u32 first = static_cast<u32>(ready % word_cycles);
    if (number - begin_ > mask_ || first + beats > word_cycles) return false;
    u64& bits = words_[number & mask_];
    const u64 taken = (~u64{0} >> (word_cycles - beats)) << first;
    if ((bits & taken) != 0) return false;
    bits |= taken;
    if (bits == ~u64{0}) note_full(number);
    taken_until(ready + beats);
    return true;
  }
  /// Takes the cycles from `from` on that `words` has bits for, 64 a word, the last of them not
  /// zero; all of them are free.
  void take_all(Cycle from, std::span<const u64> words);
  /// Appends what is taken from `from` on, a bit a cycle, 64 to a word, up to the last that is.
  void copy_from(Cycle from, std::vector<u64>& words) const;
  /// Cycles that were taken are free again.
  void give_back(const Grants::Run& run);

 private:
  static constexpr u32 word_cycles = 64;

  u64& word(u64 number) {
    if (number - begin_ > mask_) [[unlikely]]
      make_room(number);
    return words_[number & mask_];
  }
  /// The first word that may have a free cycle, `number` or after it.
  u64 skip_full(u64 number) const {
    return number - full_begin_ < full_end_ - full_begin_ ? full_end_ : number;
  }
  void note_full(u64 number);
  void taken_until(Cycle end) { end_ = end > end_ ? end : end_; }
  void make_room(u64 number);
  /// `free`: of the word `number`, what may be taken.
  Cycle take_in_parts(u64 number, u64 free, u32 beats, Grants& grants);
  /// The word after `number` that has a free cycle.
  u64 next_free_word(u64 number);

  const Cycle* floor_;
  // A bit a cycle, 64 to a word, in a ring of a power of two of words; words that nothing was
  // reserved in are zero.
  std::vector<u64> words_ = std::vector<u64>(8);
  u64 mask_ = 7;   ///< words_.size() - 1
  u64 begin_ = 0;  ///< the first word that the ring holds
  Cycle end_ = 0;  ///< nothing is taken from it on
  // Words of a stretch without a free cycle: a queue of many transfers is searched once, not again
  // by each one.
  u64 full_begin_ = 0;
  u64 full_end_ = 0;
};

/// What was taken on trial, to be given back.
class Journal {
 public:
  void add(BusyCycles& resource, const Grants& grants) {
    for (u32 k = 0; k < grants.count; ++k) taken_.push_back({&resource, grants.runs[k]});
  }
  void add_one(BusyCycles& resource, Cycle granted) { taken_.push_back({&resource, {granted, 1}}); }
  void keep() { taken_.clear(); }
  void undo() {
    for (const Taken& one : taken_) one.resource->give_back(one.run);
    taken_.clear();
  }

 private:
  struct Taken {
    BusyCycles* resource = nullptr;
    Grants::Run run;
  };
  std::vector<Taken> taken_;
};

inline Cycle BusyCycles::take_one(Cycle ready) {
  u64 number = ready / word_cycles;
  u64 from = ~u64{0} << ready % word_cycles;
  if (const u64 skipped = skip_full(number); skipped != number) {
    number = skipped;
    from = ~u64{0};
  }
  u64* bits = &word(number);
  u64 free = ~*bits & from;
  if (free == 0) {
    number = next_free_word(number);
    bits = &word(number);
    free = ~*bits;
  }
  *bits |= free & -free;
  if (*bits == ~u64{0}) note_full(number);
  const Cycle cycle = number * word_cycles + static_cast<u32>(std::countr_zero(free));
  taken_until(cycle + 1);
  return cycle;
}

inline Cycle BusyCycles::take(Cycle ready, u32 beats, Grants& grants) {
  u64 number = ready / word_cycles;
  u64 from = ~u64{0} << ready % word_cycles;
  if (const u64 skipped = skip_full(number); skipped != number) {
    number = skipped;
    from = ~u64{0};
  }
  u64& bits = word(number);
  const u64 free = ~bits & from;
  // Mostly they follow one another.
  const u32 first = static_cast<u32>(std::countr_zero(free));
  if (first + beats <= word_cycles) {
    const u64 taken = (~u64{0} >> (word_cycles - beats)) << first;
    if ((free & taken) == taken) {
      bits |= taken;
      if (bits == ~u64{0}) note_full(number);
      const Cycle cycle = number * word_cycles + first;
      grants.runs[0] = {cycle, beats};
      grants.count = 1;
      taken_until(cycle + beats);
      return cycle + beats - 1;
    }
  }
  return take_in_parts(number, free, beats, grants);
}

}  // namespace simfarm::fast
