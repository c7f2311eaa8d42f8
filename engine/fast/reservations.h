// When every beat of a DMA transfer takes place, found at once when it starts. What
// docs/machine.md, D2, grants cycle by cycle to the smallest (age, burst, stage) is here reserved
// in that order: a younger transfer, and inside a transfer a burst of a larger number, never delays
// an older one and only fills the gaps that are left. So a transfer is placed burst by burst, stage
// by stage, each beat in the first free cycle of its resource. Nor does a burst's issue depend on
// one of a larger number: a slot that waits for a write behind a read is not the one that the read
// is given, because the writes' limit of in_flight reads leaves another.
#pragma once
#include <memory>
#include <vector>

#include "base/types.h"
#include "engine/fast/busy_cycles.h"
#include "engine/fast/engine_track.h"
#include "engine/fast/request.h"
#include "engine/machine.h"

namespace simfarm::fast {

/// What becomes of a transfer.
struct Placement {
  struct AtReceiver {
    Cycle at = 0;
    PeId pe = 0;
    friend bool operator==(const AtReceiver&, const AtReceiver&) = default;
  };
  /// Its completion; never: at the limit of the run or after it (some receivers' may be before).
  Cycle completion = never;
  /// A multicast's receivers, by (cycle, PE): when their bytes are all there, and their semaphore
  /// raised.
  std::vector<AtReceiver> receivers;
};

class Repeats;

class Reservations {
 public:
  /// Of a run in which no cycle >= `limit` takes place.
  explicit Reservations(const Machine& machine, Cycle limit = never);
  ~Reservations();
  Reservations(const Reservations&) = delete;
  Reservations& operator=(const Reservations&) = delete;

  /// The transfer `request` starts in cycle `start`, in which its engine may start it (not before
  /// engine.next_start(), not before request.queued + 1). Call in order of age: (start, PE,
  /// sequence).
  Placement place(const Request& request, Cycle start, EngineTrack& engine);

  /// No transfer will start before `floor`, and no report be of an end before it. The more often it
  /// is told, the less is kept.
  void trim(Cycle floor) { floor_ = floor > floor_ ? floor : floor_; }

  /// Transfers that were placed as one before them (engine/fast/repeats.h).
  u64 placed_as_before() const;

 private:
  friend class Placing;
  friend class Repeats;
  struct Scratch;

  const Machine& machine_;
  Cycle limit_;
  Cycle floor_ = 0;
  std::vector<BusyCycles> banks_;
  BusyCycles channel_;
  std::vector<BusyCycles> buses_;        ///< by row
  std::vector<BusyCycles> read_ports_;   ///< by PE
  std::vector<BusyCycles> write_ports_;  ///< by PE
  std::unique_ptr<Scratch> scratch_;
  std::unique_ptr<Repeats> repeats_;
};

}  // namespace simfarm::fast
