// Runs of small arrays, for the tests of this folder.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/equal_engines.h"
#include "tests/support/kernel.h"

namespace simfarm::test {

inline Machine machine_of(u32 rows, u32 columns) {
  Machine machine;
  machine.name = "test";
  machine.rows = rows;
  machine.columns = columns;
  return machine;
}

/// A run and what is left of it.
struct Finished {
  std::unique_ptr<Simulation> simulation;
  Outcome outcome;

  u64 stalls(PeId pe, Stall bin) const {
    return outcome.pes[pe].total.stalls[static_cast<u32>(bin)];
  }
  u64 issued(PeId pe) const { return outcome.pes[pe].total.instructions(); }
  u64 dma(PeId pe, DmaBin bin) const { return outcome.dma[pe].cycles[static_cast<u32>(bin)]; }
  u32 exit_code(PeId pe) const { return outcome.pes[pe].exit_code.value_or(0xdead); }
  std::vector<u8> local(PeId pe, u32 address, u64 bytes) const {
    std::vector<u8> data(bytes);
    EXPECT_TRUE(simulation->read_local(pe, address, data));
    return data;
  }
  std::vector<u8> shared(u32 address, u64 bytes) const {
    std::vector<u8> data(bytes);
    EXPECT_TRUE(simulation->read(address, data));
    return data;
  }
};

/// On the reference engine; the others are held against it.
inline Finished run_input(const RunInput& input, RunOptions options = {}) {
  if (options.cycle_limit == RunOptions{}.cycle_limit) options.cycle_limit = 2'000'000;
  profile::Ran ran = run_on_all(input, options);
  if (ran.refused) {
    ADD_FAILURE() << ran.refused->message;
    return {};
  }
  return {std::move(ran.simulation), std::move(ran.outcome)};
}

/// One kernel a PE.
inline Finished run_kernels(const Machine& machine, const std::vector<Kernel>& kernels,
                            const RunOptions& options = {}) {
  RunInput input;
  input.machine = machine;
  input.program = program_of(kernels, machine.columns);
  return run_input(std::move(input), options);
}

/// The same kernel on every PE.
inline Finished run_kernel(const Machine& machine, const Kernel& kernel,
                           const RunOptions& options = {}) {
  RunInput input;
  input.machine = machine;
  input.program = program_of(kernel);
  return run_input(std::move(input), options);
}

}  // namespace simfarm::test
