// The first cycle of a run that does not take place. A trap makes it earlier, while workers run.
#pragma once
#include <atomic>

#include "base/types.h"

namespace simfarm::fast {

class RunEnd {
 public:
  explicit RunEnd(Cycle end) : end_(end) {}
  Cycle get() const { return end_.load(std::memory_order_relaxed); }
  void lower(Cycle end) {
    Cycle now = get();
    while (end < now && !end_.compare_exchange_weak(now, end, std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<Cycle> end_;
};

}  // namespace simfarm::fast
