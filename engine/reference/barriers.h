// Barriers: one over all PEs, one a row, one a column. A PE that has ended is a member of none.
#pragma once
#include <vector>

#include "base/types.h"
#include "engine/grid.h"
#include "engine/machine.h"

namespace simfarm::reference {

class Barriers {
 public:
  explicit Barriers(const Machine& machine);

  /// `pe` arrives at its barrier of `group` in cycle `now`, and waits there until passed.
  void arrive(PeId pe, BarrierGroup group, Cycle now);
  /// True, and `pe` has left the barrier, once it has completed.
  bool pass(PeId pe, BarrierGroup group, Cycle now);
  /// `pe` ends in cycle `now`: it is no longer waited for.
  void end(PeId pe, Cycle now);
  /// The PE that arrived (or ended) last and so completed the barrier.
  PeId last(PeId pe, BarrierGroup group) const { return barrier(pe, group).last; }

  /// True when no complete barrier is on its way.
  bool quiet(Cycle now) const { return latest_ <= now; }

 private:
  struct Barrier {
    u32 members = 0;
    u32 arrived = 0;
    Cycle completes = never;
    PeId last = 0;
    u32 extent = 0;  ///< rows + columns, or the length of the row or column
  };
  u32 index(PeId pe, BarrierGroup group) const;
  const Barrier& barrier(PeId pe, BarrierGroup group) const { return all_[index(pe, group)]; }
  void complete_if_all_there(Barrier& barrier, PeId pe, Cycle now);

  const Machine& machine_;
  std::vector<Barrier> all_;  ///< of all PEs; then by row; then by column
  Cycle latest_ = 0;          ///< the last completion
};

}  // namespace simfarm::reference
