// What simulations cost the host in memory. Figures: the process's own pages (/proc/self/statm).
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "tests/support/run.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SIMFARM_SANITIZED 1
#else
#define SIMFARM_SANITIZED 0
#endif

namespace simfarm::test {
namespace {

constexpr double mib = 1 << 20;

double own_memory() {
  u64 all = 0, resident = 0, shared = 0;
  std::ifstream("/proc/self/statm") >> all >> resident >> shared;
  return static_cast<double>(resident - shared) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

/// Every PE writes all of its local memory but the last few words, reads it back, and ends with the
/// sum.
RunInput filled(const Machine& machine) {
  constexpr u32 bytes = 32'000;
  Kernel kernel;
  kernel.li(t0, machine.map.local.base).li(t1, machine.map.local.base + bytes).li(a0, 0);
  const u32 top = kernel.here();
  kernel.sw(t0, t0).lw(t2, t0).add(a0, a0, t2).addi(t0, t0, 4);
  kernel.branch(Op::BNE, t0, t1, top).exit();
  RunInput input;
  input.machine = machine;
  input.program = program_of(kernel);
  return input;
}

std::unique_ptr<Simulation> run_fast(const RunInput& input, Outcome& outcome) {
  auto simulation = make_simulation(EngineKind::fast, input, {});
  EXPECT_TRUE(simulation);
  outcome = (*simulation)->run();
  EXPECT_EQ(outcome.kind, Outcome::Kind::finished);
  return std::move(*simulation);
}

TEST(Memory, AnArrayOf1024PesWithAllOfTheirLocalMemoryInUse) {
  const double before = own_memory();
  Outcome outcome;
  const auto simulation = run_fast(filled(machine_of(32, 32)), outcome);
  const double used = own_memory() - before;
  std::printf("1024 PEs: %.1f MiB\n", used / mib);
  if (!SIMFARM_SANITIZED) {
    EXPECT_LT(used, 200e6);
  }
}

TEST(Memory, AThousandMachinesInOneProcess) {
  const RunInput input = filled(machine_of(1, 1));
  Outcome first;
  const auto one = run_fast(input, first);
  const double before = own_memory();
  std::vector<std::unique_ptr<Simulation>> all;
  for (u32 k = 0; k < 1000; ++k) {
    Outcome outcome;
    all.push_back(run_fast(input, outcome));
    ASSERT_EQ(outcome.cycles, first.cycles);
    ASSERT_EQ(outcome.pes[0].exit_code, first.pes[0].exit_code);
  }
  const double each = (own_memory() - before) / static_cast<double>(all.size());
  std::printf("each of 1000 machines: %.3f MiB\n", each / mib);
  if (!SIMFARM_SANITIZED) {
    EXPECT_LT(each, 1e6);
  }
}

}  // namespace
}  // namespace simfarm::test
