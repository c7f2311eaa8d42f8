// The semaphores: sixteen a PE, all zero at the start. 0-7 are raised only by the PE's own DMA
// engine, 8-15 by posts and pushes.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "base/types.h"
#include "engine/grid.h"
#include "pe/stall.h"

namespace simfarm::reference {

/// Who raised a semaphore: a bin for the wait that it ends, and the culprit to name.
struct Raiser {
  Stall bin = Stall::sem_wait_none;  ///< sem_wait_dma, _post or _push
  u32 culprit = 0;                   ///< the descriptor's address, or the PE
};

class Semaphores {
 public:
  explicit Semaphores(u32 pes) : values_(pes), posters_(pes), waiters_(pes) {}

  u32 value(PeId pe, u32 semaphore) const { return values_[pe][semaphore]; }

  /// Adds `amount`; false, and nothing changes, when the value would pass the limit.
  bool raise(PeId pe, u32 semaphore, u32 amount, const Raiser& by) {
    u32& value = values_[pe][semaphore];
    if (amount > semaphore_limit - value) return false;
    Waiter& waiter = waiters_[pe];
    if (waiter.waits && waiter.semaphore == semaphore && value < waiter.amount &&
        value + amount >= waiter.amount)
      waiter.by = by;
    value += amount;
    return true;
  }

  /// Subtracts `amount` if so much is there.
  bool take(PeId pe, u32 semaphore, u32 amount) {
    u32& value = values_[pe][semaphore];
    if (value < amount) return false;
    value -= amount;
    return true;
  }

  /// Who raised a semaphore last, for reports.
  void note_poster(PeId pe, u32 semaphore, PeId by) { posters_[pe][semaphore] = by; }
  std::optional<PeId> last_poster(PeId pe, u32 semaphore) const { return posters_[pe][semaphore]; }

  /// `pe` waits in a gp.wait: from now on the raise that reaches the amount is remembered.
  void wait(PeId pe, u32 semaphore, u32 amount) { waiters_[pe] = {true, semaphore, amount, {}}; }
  /// The wait is over; who raised the semaphore to the amount.
  Raiser end_wait(PeId pe) {
    waiters_[pe].waits = false;
    return waiters_[pe].by;
  }

 private:
  struct Waiter {
    bool waits = false;
    u32 semaphore = 0;
    u32 amount = 0;
    Raiser by;
  };
  std::vector<std::array<u32, semaphore_count>> values_;
  std::vector<std::array<std::optional<PeId>, semaphore_count>> posters_;
  std::vector<Waiter> waiters_;
};

}  // namespace simfarm::reference
