// An engine with a fault: the reference, and an Outcome that is changed behind it. What finds
// differences is tested on it.
#pragma once
#include <functional>
#include <utility>

#include "profile/differences.h"

namespace simfarm::test {

using Perturb = std::function<void(Outcome&)>;

class PerturbedSimulation final : public Simulation {
 public:
  PerturbedSimulation(std::unique_ptr<Simulation> inner, Perturb perturb)
      : inner_(std::move(inner)), perturb_(std::move(perturb)) {}

  Outcome run() override {
    Outcome outcome = inner_->run();
    perturb_(outcome);
    return outcome;
  }
  bool read(u32 address, std::span<u8> bytes) const override {
    return inner_->read(address, bytes);
  }
  bool untouched(u32 address, u64 length) const override {
    return inner_->untouched(address, length);
  }
  bool read_local(PeId pe, u32 address, std::span<u8> bytes) const override {
    return inner_->read_local(pe, address, bytes);
  }
  HostReport host() const override { return inner_->host(); }

 private:
  std::unique_ptr<Simulation> inner_;
  Perturb perturb_;
};

inline profile::Side perturbed_side(Perturb perturb) {
  return {"perturbed",
          [perturb = std::move(perturb)](
              RunInput input, const RunOptions& options) -> Result<std::unique_ptr<Simulation>> {
            auto inner = make_simulation(EngineKind::reference, std::move(input), options);
            if (!inner) return inner.error();
            return std::unique_ptr<Simulation>(
                std::make_unique<PerturbedSimulation>(std::move(*inner), perturb));
          }};
}

}  // namespace simfarm::test
