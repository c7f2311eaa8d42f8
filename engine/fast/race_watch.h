// Finds out whether a race may have happened (docs/machine.md, section 6), without ever missing
// one: then the reference engine has to say which. A PE's time is divided into epochs: what it does
// between two meets with the fabric. Loads and stores leave the number of their epoch where they
// have been (engine/fast/marks.h). Bytes are guarded from the beginning of an epoch on, up to a
// gp.wait; at that, a mark of that epoch or a later one is a race. So nothing is looked at while
// the PE runs, and once for each transfer.
//
// A push is guarded from its start on, which is found in the machine's time, when its receivers may
// be ahead: from the epoch that the start was in. What was done in that epoch, and before the
// start, is taken for a race as well.
#pragma once
#include <array>
#include <deque>
#include <set>
#include <utility>
#include <vector>

#include "engine/fast/dma_view.h"
#include "engine/fast/footprint.h"
#include "engine/fast/pe.h"
#include "engine/fast/under_way.h"
#include "engine/grid.h"

namespace simfarm::fast {

class RaceWatch {
 public:
  RaceWatch(const Machine& machine, std::vector<Pe>& pes, u32 granule);

  // In a PE's own time; for several PEs at once.

  /// A PE's instruction issues in cycle `at` that meets the rest of the machine: another epoch
  /// begins.
  void meets(Pe& pe, Cycle at);
  /// It is a gp.dma of these descriptors.
  void queues(Pe& pe, std::vector<Request>& chain, Cycle at);

  // In the machine's time, when no PE runs.

  void starts(Flight& flight, Cycle now);
  /// A gp.wait makes its bytes visible.
  void acquires(PeId pe, Flight& flight);
  /// A gp.wait on `semaphore` has issued, or will, in cycle `at`.
  void waits(PeId pe, u32 semaphore, Cycle at);
  /// Before PEs run again. `now`: no transfer will start before it.
  void look(Cycle now);

  // When the run is over, for all that is guarded still.

  void is_left(PeId pe, const Request& request);
  void is_left(Flight& flight);
  void finish();

  bool suspects() const { return suspects_; }

 private:
  struct Epochs {
    u32 first = first_epoch;
    std::deque<Cycle> ends;  ///< of the epochs from `first` on: the last cycle in each
    u64 prune_at = 1024;
    bool all_used = false;
  };
  /// A transfer's source, from its start on.
  struct Source {
    PlacedRanges bytes;
    u32 from = 0;
    Cycle completion = never;
  };
  /// Whether marks of epoch `from` or later are in `bytes`.
  struct Look {
    PeId pe = 0;
    bool loads = false;  ///< as well as stores
    u32 from = 0;
    PlacedRanges bytes;
  };
  u32 epoch_in(PeId pe, Cycle now);
  void guard_source(const Request& request, const PlacedRanges& bytes, Cycle completion);
  void later(PeId pe, bool loads, u32 from, const PlacedRanges& bytes);
  void look_together(std::size_t first, std::size_t last);

  std::vector<Pe>& pes_;
  u32 granule_;
  UnderWay under_way_;
  std::vector<Epochs> epochs_;  ///< by PE
  std::vector<std::array<std::vector<Source>, first_remote_semaphore>> sources_;
  /// Of transfers without an own release, which nothing ends; the same one once.
  std::vector<Look> endless_;
  std::set<std::pair<const ByteRanges*, std::pair<i64, PeId>>> endless_known_;
  std::vector<Look> looks_;  ///< to be made
  Cycle now_ = 0;
  bool suspects_ = false;
};

}  // namespace simfarm::fast
