// The trap that ends a run: the smallest (cycle, PE); of one PE in one cycle, the first in the
// order of what happens in a cycle.
#pragma once
#include <atomic>
#include <mutex>
#include <optional>
#include <tuple>

#include "engine/fast/planted.h"
#include "pe/trap.h"

namespace simfarm::fast {

/// What happens in a cycle, in order (docs/machine.md, V9).
enum class Phase : u8 { completion, post, barrier, start, pe };

class FirstTrap {
 public:
  void raise(Phase phase, Trap trap) {
    const std::scoped_lock lock(mutex_);
    const bool tie = first_ && trap.cycle == first_->cycle && trap.pe != first_->pe;
    if (planted(Planted::trap_tie) && tie ? trap.pe < first_->pe
                                          : first_ && key(phase, trap) >= key(phase_, *first_))
      return;
    phase_ = phase;
    first_ = std::move(trap);
    cycle_.store(first_->cycle, std::memory_order_relaxed);
  }
  /// Of the first one so far; never: none.
  Cycle cycle() const { return cycle_.load(std::memory_order_relaxed); }
  /// Asked when nobody runs.
  const std::optional<Trap>& first() const { return first_; }

 private:
  static std::tuple<Cycle, PeId, Phase> key(Phase phase, const Trap& trap) {
    return {trap.cycle, trap.pe, phase};
  }
  std::mutex mutex_;
  Phase phase_{};
  std::optional<Trap> first_;
  std::atomic<Cycle> cycle_ = never;
};

}  // namespace simfarm::fast
