// How soon anything that is not known yet could change a semaphore of a PE. Whatever a PE or its
// engine does in some cycle reaches no other PE before it has crossed the columns and rows between
// them: a post, a multicast's release, a word on links and a barrier take a cycle for each at least
// (docs/machine.md, "Links", "Semaphores", D4). Around a torus words take the short way.
#pragma once
#include <algorithm>
#include <vector>

#include "engine/machine.h"

namespace simfarm::fast {

class Reach {
 public:
  explicit Reach(const Machine& machine)
      : rows_(machine.rows),
        columns_(machine.columns),
        step_(machine.bus.hop_latency > 0 ? 1 : 0),
        delay_(std::min(machine.post.latency, machine.dma.setup)),
        torus_rows_(machine.torus_rows),
        torus_columns_(machine.torus_columns),
        first_(machine.pes()) {}

  void begin() { std::fill(first_.begin(), first_.end(), never); }
  /// Something may happen at `pe` in cycle `at`, and nothing before, unless it comes from others.
  void add(PeId pe, Cycle at) { first_[pe] = std::min(first_[pe], at); }
  void add_everywhere(Cycle at) {
    for (Cycle& first : first_) first = std::min(first, at);
  }
  /// After all of them.
  void spread() {
    for (u32 row = 0; row < rows_; ++row)
      sweep(&first_[row * columns_], columns_, 1, torus_columns_);
    for (u32 column = 0; column < columns_; ++column)
      sweep(&first_[column], rows_, columns_, torus_rows_);
  }
  /// The semaphores of `pe` are changed before it by nothing that is not known.
  Cycle known_until(PeId pe) const { return first_[pe] == never ? never : first_[pe] + delay_; }

 private:
  void sweep(Cycle* first, u32 count, u32 stride, bool torus) const {
    const auto near = [&](u32 to, u32 from) {
      const Cycle cycle = first[from * stride];
      if (cycle != never) first[to * stride] = std::min(first[to * stride], cycle + step_);
    };
    // Around a torus, what comes over its edge goes on beyond it.
    for (u32 round = 0; round < (torus ? 2u : 1u); ++round) {
      if (torus) near(0, count - 1);
      for (u32 k = 1; k < count; ++k) near(k, k - 1);
      if (torus) near(count - 1, 0);
      for (u32 k = count; --k > 0;) near(k - 1, k);
    }
  }

  u32 rows_, columns_;
  u32 step_;   ///< cycles for each column or row
  u32 delay_;  ///< of anything that changes a semaphore: from the cycle that it is done in
  bool torus_rows_, torus_columns_;
  std::vector<Cycle> first_;  ///< by PE
};

}  // namespace simfarm::fast
