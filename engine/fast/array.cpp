#include "engine/fast/array.h"

namespace simfarm::fast {

Result<std::unique_ptr<Simulation>> Array::make(RunInput input, const RunOptions& options) {
  if (auto result = check_input(input); !result) return result.error();
  return std::unique_ptr<Simulation>(new Array(std::move(input), options));
}

Outcome Array::run() {
  run_ = std::make_unique<Run>(input_, options_, options_.cycle_limit);
  run_->go();
  const std::optional<Trap> trap = run_->trap();
  if (!trap) return run_->outcome();
  // PEs have run ahead of the trap. Up to its cycle the run is the same once more.
  run_ = std::make_unique<Run>(input_, options_, trap->cycle);
  run_->go();
  Outcome outcome = run_->outcome();
  outcome.kind = Outcome::Kind::trap;
  outcome.trap = trap;
  return outcome;
}

bool Array::read(u32 address, std::span<u8> bytes) const {
  return run_ != nullptr && run_->read(address, bytes);
}

bool Array::read_local(PeId pe, u32 address, std::span<u8> bytes) const {
  return run_ != nullptr && run_->read_local(pe, address, bytes);
}

HostReport Array::host() const {
  return {EngineKind::fast, run_ == nullptr ? std::string() : run_->trouble()};
}

}  // namespace simfarm::fast
