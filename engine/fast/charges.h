// What the cycles of a burst are charged to of which several stages may be under way at once.
#pragma once
#include <algorithm>
#include <bit>
#include <vector>

#include "base/types.h"
#include "engine/fast/busy_cycles.h"
#include "engine/outcome.h"

namespace simfarm::fast {

class Charges {
 public:
  void clear() {
    pieces_.clear();
    granted_first_ = granted_end_ = 0;
    waited_ = false;
  }
  /// A stage that was ready in `ready` and had its only beat in `granted`, or these.
  void add_one(Cycle ready, Cycle granted, DmaBin wait) {
    wait_until(ready, granted, wait);
    grant(granted, granted + 1);
  }
  /// A stage that had its beats as soon as it was ready, in [first, end).
  void add_at_once(Cycle first, Cycle end) { grant(first, end); }
  void add(Cycle ready, const Grants& grants, DmaBin wait) {
    for (u32 k = 0; k < grants.count; ++k) {
      const Grants::Run& run = grants.runs[k];
      wait_until(ready, run.first, wait);
      ready = run.first + run.beats;
      grant(run.first, ready);
    }
  }

  /// Calls charge(bin, until) for the cycles [from, end), piece by piece: `transfer` where some
  /// stage had a beat, else the wait of the first stage that was ready, else (a latency)
  /// `transfer`.
  template <class Charge>
  void settle(Cycle from, Cycle end, Charge charge) {
    if (from >= end) return;
    if (!waited_) return charge(DmaBin::transfer, end);
    mark(from, end);
    const u64 cycles = end - from;
    for (u64 at = 0; at < cycles;) {
      const u64 word = at / 64;
      const u32 bit = static_cast<u32>(at % 64);
      const u64 bus = bus_[word] & ~granted_[word];
      const u64 port = port_[word] & ~granted_[word] & ~bus;
      const DmaBin bin = bus >> bit & 1    ? DmaBin::bus_wait
                         : port >> bit & 1 ? DmaBin::destination_wait
                                           : DmaBin::transfer;
      const u64 same = bin == DmaBin::bus_wait   ? bus
                       : bin == DmaBin::transfer ? ~(bus | port)
                                                 : port;
      at += std::min(64 - bit, static_cast<u32>(std::countr_one(same >> bit)));
      charge(bin, from + std::min(at, cycles));
    }
  }

 private:
  /// Cycles [first, end) of one stage: granted, or ready and not granted.
  struct Piece {
    Cycle first = 0;
    Cycle end = 0;
    DmaBin bin{};
  };
  void wait_until(Cycle ready, Cycle granted, DmaBin wait) {
    if (granted == ready) return;
    pieces_.push_back({ready, granted, wait});
    waited_ = true;
  }
  /// Stages side by side have beats in much the same cycles: one piece for as long as they touch.
  void grant(Cycle first, Cycle end) {
    if (first > granted_end_ || end < granted_first_) return begin_piece(first, end);
    if (first < granted_first_) granted_first_ = first;
    if (end > granted_end_) granted_end_ = end;
  }
  void begin_piece(Cycle first, Cycle end);
  void mark(Cycle from, Cycle end);

  std::vector<Piece> pieces_;
  Cycle granted_first_ = 0;  ///< the piece that may grow; empty: none
  Cycle granted_end_ = 0;
  bool waited_ = false;
  std::vector<u64> granted_, bus_, port_;  ///< of the window that is settled, a bit a cycle
};

}  // namespace simfarm::fast
