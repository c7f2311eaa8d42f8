// The fast engine's front: runs, and when a trap ends the run, runs once more up to its cycle.
#pragma once
#include <memory>

#include "engine/fast/run.h"
#include "engine/simulation.h"

namespace simfarm::fast {

class Array final : public Simulation {
 public:
  static Result<std::unique_ptr<Simulation>> make(RunInput input, const RunOptions& options);

  Outcome run() override;
  bool read(u32 address, std::span<u8> bytes) const override;
  bool read_local(PeId pe, u32 address, std::span<u8> bytes) const override;
  HostReport host() const override;

 private:
  Array(RunInput input, const RunOptions& options) : input_(std::move(input)), options_(options) {}

  RunInput input_;
  RunOptions options_;
  std::unique_ptr<Run> run_;
};

}  // namespace simfarm::fast
