// The fast engine's front: runs, and when a trap ends the run, runs once more up to its cycle.
#pragma once
#include <memory>

#include "engine/fast/run.h"
#include "engine/simulation.h"

namespace simfarm::fast {

class Array final : public Simulation {
 public:
  static Result<std::unique_ptr<Array>> make(RunInput input, const RunOptions& options);

  Outcome run() override;
  bool read(u32 address, std::span<u8> bytes) const override;
  bool untouched(u32 address, u64 length) const override;
  bool read_local(PeId pe, u32 address, std::span<u8> bytes) const override;
  HostReport host() const override;

  /// The run has stopped because a race may have happened, and its outcome is none: asked for with
  /// RunOptions::check_races.
  bool suspects_race() const { return suspects_race_; }
  /// Afterwards, for who can tell.
  RunInput take_input() { return std::move(input_); }

 private:
  /// A run up to `end`; once more without trust where that was wrong.
  void go(Cycle end, u32 granule);
  Array(RunInput input, const RunOptions& options) : input_(std::move(input)), options_(options) {}

  RunInput input_;
  RunOptions options_;
  std::unique_ptr<Run> run_;
  bool shares_granules_ = false;
  bool suspects_race_ = false;
  bool misjudged_ = false;  ///< Run::misjudged(), of a run that was made once more
};

}  // namespace simfarm::fast
