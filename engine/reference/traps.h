// The traps of one cycle. The run's outcome is the one of the smallest PE; of one PE's, the first
// in the order of what happens in a cycle.
#pragma once
#include <optional>
#include <utility>

#include "pe/trap.h"

namespace simfarm::reference {

class Traps {
 public:
  void raise(Trap trap) {
    if (!first_ || trap.pe < first_->pe) first_ = std::move(trap);
  }
  bool any() const { return first_.has_value(); }
  const std::optional<Trap>& first() const { return first_; }
  /// True when nothing that `pe` does from here on in this cycle can change the outcome.
  bool decided(PeId pe) const { return first_ && first_->pe <= pe; }

 private:
  std::optional<Trap> first_;
};

}  // namespace simfarm::reference
