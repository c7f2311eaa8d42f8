// The reference engine: all PEs, cycle by cycle. Written to be read; docs/machine.md is what it
// does.
#pragma once
#include <memory>
#include <vector>

#include "engine/reference/pe.h"
#include "engine/reference/world.h"
#include "engine/simulation.h"

namespace simfarm::reference {

class Array final : public Simulation {
 public:
  static Result<std::unique_ptr<Simulation>> make(RunInput input, const RunOptions& options);

  Outcome run() override;
  bool read(u32 address, std::span<u8> bytes) const override;
  bool untouched(u32 address, u64 length) const override;
  bool read_local(PeId pe, u32 address, std::span<u8> bytes) const override;
  HostReport host() const override { return {EngineKind::reference, {}}; }

 private:
  Array(const RunInput& input, const RunOptions& options);

  void deliver_posts();
  /// Lives one cycle of every PE; false when none issued, and each has ended or waits.
  bool step_pes();
  bool finished() const;
  bool stuck() const;
  Outcome outcome(Outcome::Kind kind);
  Deadlock explain() const;

  World world_;
  std::vector<Pe> pes_;
  std::vector<Cycle> due_;  ///< by PE: before that cycle it has nothing to do
};

}  // namespace simfarm::reference
