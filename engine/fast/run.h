// One attempt at a run, up to a given cycle.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/crew.h"
#include "engine/fast/array_state.h"
#include "engine/fast/exit_profile.h"
#include "engine/fast/fabric.h"
#include "engine/fast/worker.h"
#include "engine/simulation.h"
#include "engine/start.h"

namespace simfarm::fast {

class Run {
 public:
  /// `end`: no cycle from it on takes place. `granule`: of the marks that show races
  /// (engine/fast/marks.h). `input` and `options` outlive the run.
  Run(const RunInput& input, const RunOptions& options, Cycle end, u32 granule = no_marks);

  /// Until nothing happens any more. When a trap has been found, what is left behind is not the
  /// state in its cycle: another run, up to it, has that.
  void go();

  const std::optional<Trap>& trap() const { return state_.traps.first(); }
  /// All of it but the trap: finished, deadlock, or the limit.
  Outcome outcome();

  /// A race may have happened. Known for certain after go().
  bool suspects_race() const { return fabric_.suspects_race(); }

  /// Some of it went by a wait that did not end as it was trusted to: nothing of it counts.
  bool misjudged() const { return fabric_.misjudged(); }

  /// What kept it from being as fast as it can; empty: nothing.
  std::string trouble() const;

  bool read(u32 address, std::span<u8> bytes) const { return shared_.read(address, bytes); }
  bool untouched(u32 address, u64 length) const { return shared_.untouched(address, length); }
  bool read_local(PeId pe, u32 address, std::span<u8> bytes) const;

 private:
  std::vector<std::unique_ptr<Worker>> make_workers(const RunOptions& options, u32 granule);
  Worker& worker_of(PeId pe) const;
  bool run_pes();
  bool run_in_turn();
  bool run_together();
  u64 worked() const;

  bool all_ended() const;
  Cycle first_standstill() const;
  PeReport report(Pe& pe, Cycle end, const ExitProfile* exits);
  Deadlock explain(Cycle cycle) const;

  const RunInput& input_;
  SharedMemories shared_;
  ArrayState state_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Fabric fabric_;
  std::optional<Crew> crew_;  ///< none: one worker, on the caller's thread
  /// Instructions of all workers in a phase, on average so far. At first, many: a run that never
  /// meets the fabric has one phase.
  u64 phase_ = u64{1} << 20;
  /// The workers wait for each other too often: instructions that are done in turn at least.
  bool coupled_ = false;
  u64 in_turn_ = 0, next_in_turn_ = u64{1} << 24;
  bool shuffles_ = false;
};

}  // namespace simfarm::fast
