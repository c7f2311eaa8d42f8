#include "engine/fast/array.h"

namespace simfarm::fast {

Result<std::unique_ptr<Array>> Array::make(RunInput input, const RunOptions& options) {
  if (auto result = check_input(input); !result) return result.error();
  return std::unique_ptr<Array>(new Array(std::move(input), options));
}

void Array::go(u32 granule) {
  run_.reset();
  run_ = std::make_unique<Run>(input_, options_, options_.cycle_limit, granule);
  run_->go();
}

Outcome Array::run() {
  go(options_.check_races ? coarse_granule : no_marks);
  shares_granules_ = run_->suspects_race();
  if (shares_granules_) go(fine_granule);
  suspects_race_ = run_->suspects_race();
  if (suspects_race_) return {};
  const std::optional<Trap> trap = run_->trap();
  if (!trap) return run_->outcome();
  // PEs have run ahead of the trap. Up to its cycle the run is the same once more, and without a
  // race.
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

bool Array::untouched(u32 address, u64 length) const {
  return run_ != nullptr && run_->untouched(address, length);
}

bool Array::read_local(PeId pe, u32 address, std::span<u8> bytes) const {
  return run_ != nullptr && run_->read_local(pe, address, bytes);
}

HostReport Array::host() const {
  HostReport report{EngineKind::fast, run_ == nullptr ? std::string() : run_->trouble()};
  if (report.trouble.empty() && shares_granules_)
    report.trouble = "the program works next to bytes that its DMA moves";
  return report;
}

}  // namespace simfarm::fast
