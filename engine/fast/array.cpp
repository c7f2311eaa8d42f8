#include "engine/fast/array.h"

namespace simfarm::fast {

Result<std::unique_ptr<Array>> Array::make(RunInput input, const RunOptions& options) {
  if (auto result = check_input(input); !result) return result.error();
  return std::unique_ptr<Array>(new Array(std::move(input), options));
}

void Array::go(Cycle end, u32 granule) {
  const auto once = [&] {
    run_.reset();
    run_ = std::make_unique<Run>(input_, options_, end, granule);
    run_->go();
  };
  once();
  if (!run_->misjudged()) return;
  misjudged_ = true;
  options_.host.trust.reset();
  once();
}

Outcome Array::run() {
  go(options_.cycle_limit, options_.check_races ? coarse_granule : no_marks);
  shares_granules_ = run_->suspects_race();
  if (shares_granules_) go(options_.cycle_limit, fine_granule);
  suspects_race_ = run_->suspects_race();
  if (suspects_race_) return {};
  const std::optional<Trap> trap = run_->trap();
  if (!trap) return run_->outcome();
  // PEs have run ahead of the trap. Up to its cycle the run is the same once more, and without a
  // race.
  go(trap->cycle, no_marks);
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
  if (report.trouble.empty() && misjudged_)
    report.trouble = "a gp.wait that had ended as was foreseen many times did not: run twice";
  return report;
}

}  // namespace simfarm::fast
