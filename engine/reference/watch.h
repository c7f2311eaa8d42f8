// What an observer is told, and when. Calls about a cycle are kept until the cycle is over: a cycle
// that ends in a trap does not count, and nothing is told of it.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "engine/simulation.h"

namespace simfarm::reference {

class Watch {
 public:
  explicit Watch(Observer* observer) : observer_(observer) {}

  /// False: nobody looks, and calls cost nothing.
  bool on() const { return observer_ != nullptr; }

  void issued(Cycle cycle, PeId pe, u32 pc, const Operation& op, const std::array<u32, 32>& x) {
    if (on()) calls_.push_back({Kind::issued, cycle, pe, 0, pc, 0, 0, "", "", op, x});
  }
  /// Stalls are told when they are over: all of their cycles are.
  void stalled(Cycle cycle, PeId pe, u32 pc, Stall bin, u64 cycles, u32 culprit) {
    if (on()) observer_->stalled(cycle, pe, pc, bin, cycles, culprit);
  }
  void transfer(Cycle cycle, PeId pe, u32 descriptor, u64 sequence, std::string_view event) {
    if (on()) calls_.push_back({Kind::transfer, cycle, pe, 0, descriptor, sequence, 0, event});
  }
  void released(Cycle cycle, PeId initiator, u64 sequence, PeId at, u32 semaphore, u32 amount) {
    if (on()) calls_.push_back({Kind::released, cycle, initiator, at, semaphore, sequence, amount});
  }
  void beat(Cycle cycle, PeId pe, u64 sequence, u32 burst, std::string resource) {
    if (on())
      calls_.push_back({Kind::beat, cycle, pe, 0, burst, sequence, 0, "", std::move(resource)});
  }
  void link(Cycle cycle, PeId from, PeId to, u32 word, std::string_view event) {
    if (on()) calls_.push_back({Kind::link, cycle, from, to, word, 0, 0, event});
  }

  /// The cycle is over and counts.
  void flush();

 private:
  enum class Kind : u8 { issued, transfer, released, beat, link };
  struct Call {
    Kind kind{};
    Cycle cycle = 0;
    PeId pe = 0;
    PeId other = 0;
    u32 value = 0;  ///< pc, descriptor, semaphore, burst or word
    u64 sequence = 0;
    u32 amount = 0;
    std::string_view event;
    std::string resource;
    Operation op;
    std::array<u32, 32> x{};
  };

  Observer* observer_;
  std::vector<Call> calls_;
};

}  // namespace simfarm::reference
