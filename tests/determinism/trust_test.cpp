// Waits whose end is taken for what it is known to be (HostOptions::trust): where that turns out to
// be wrong, the run is made once more, and nothing of it is seen but the time that it takes.
#include <gtest/gtest.h>

#include "tests/support/run.h"
#include "tests/support/transfers.h"

namespace simfarm::test {
namespace {

constexpr u32 descriptors = local_base;
constexpr u32 buffer = local_base + 0x1000;
constexpr i32 awaited = 8;
constexpr u32 mcycle = 0xb00;

/// PE 2 posts to PE 0 after a long loop; it is ahead of PE 1, which posts far earlier, when its
/// transfer is complete.
std::vector<Kernel> two_posters(const Kernel& waits) {
  Kernel early, late;
  put_descriptors(early, descriptors, {linear_copy(ocm_base, buffer, 4096)});
  early.li(t0, descriptors).li(t1, 1).dma(t0).wait(0, t1).post(zero, awaited).exit();
  late.li(t0, 20'000);
  const u32 top = late.here();
  late.addi(t0, t0, -1).branch(Op::BNE, t0, zero, top).post(zero, awaited).exit();
  return {waits, early, late};
}

RunInput input_of(const std::vector<Kernel>& kernels) {
  RunInput input;
  input.machine = machine_of(1, 3);
  input.program = program_of(kernels, 3);
  return input;
}

struct Trusted {
  Outcome outcome;
  bool made_twice = false;
};

Trusted run_trusting(const RunInput& input, std::optional<u64> trust, u32 threads = 1) {
  RunOptions options;
  options.host.trust = trust;
  options.host.threads = threads;
  auto simulation = make_simulation(EngineKind::fast, input, options);
  if (!simulation) {
    ADD_FAILURE() << simulation.error().message;
    return {};
  }
  Outcome outcome = (*simulation)->run();
  return {std::move(outcome), !(*simulation)->host().trouble.empty()};
}

TEST(Trust, AWaitThatEndsEarlierThanWasSaidIsFoundOut) {
  const RunInput input = input_of(two_posters(Kernel().li(t1, 1).wait(awaited, t1).exit(7)));
  const Finished right = run_input(input);
  ASSERT_EQ(right.outcome.kind, Outcome::Kind::finished);
  const Trusted trusted = run_trusting(input, 0);
  EXPECT_TRUE(trusted.made_twice);
  EXPECT_EQ(trusted.outcome.cycles, right.outcome.cycles);
  EXPECT_EQ(trusted.outcome.pes[0].total.stalls, right.outcome.pes[0].total.stalls);
  EXPECT_LT(right.stalls(0, Stall::sem_wait_post), 5'000u) << "the earlier post ends it";
}

TEST(Trust, IsNotGivenFromTheBeginning) {
  const RunInput input = input_of(two_posters(Kernel().li(t1, 1).wait(awaited, t1).exit(7)));
  EXPECT_FALSE(run_trusting(input, RunOptions{}.host.trust).made_twice);
  EXPECT_FALSE(run_trusting(input, std::nullopt).made_twice);
}

TEST(Trust, WhoComesWhereItNeverWouldHaveEndsAllTheSame) {
  // PE 0 goes round for ever if the wait ends as late as PE 2's post says.
  Kernel waits;
  waits.li(t1, 1).wait(awaited, t1).op(Op::CSRRS, {.rd = t0, .imm = mcycle}).li(t1, 10'000);
  const u32 exit = waits.here() + 8;
  waits.branch(Op::BLTU, t0, t1, exit);
  waits.jump(waits.here()).exit(7);
  const RunInput input = input_of(two_posters(waits));
  for (const u32 threads : {1u, 3u}) {
    const Trusted trusted = run_trusting(input, 0, threads);
    EXPECT_TRUE(trusted.made_twice);
    EXPECT_EQ(trusted.outcome.kind, Outcome::Kind::finished);
    EXPECT_EQ(trusted.outcome.pes[0].exit_code, 7u);
  }
}

TEST(Trust, AWaitThatEndsAsWasSaidIsNotRunTwice) {
  // Each PE posts to the next one in turn, round and round.
  std::vector<Kernel> kernels;
  for (u32 pe = 0; pe < 3; ++pe) {
    Kernel kernel;
    kernel.li(s0, 1'000).li(t1, 1).li(t2, (pe + 1) % 3);
    const u32 top = kernel.here();
    if (pe == 0) kernel.post(t2, awaited);
    kernel.wait(awaited, t1);
    if (pe != 0) kernel.post(t2, awaited);
    kernel.addi(s0, s0, -1).branch(Op::BNE, s0, zero, top);
    kernels.push_back(kernel.exit(pe));
  }
  const RunInput input = input_of(kernels);
  const Finished right = run_input(input);
  for (const std::optional<u64> trust : {std::optional<u64>(0), RunOptions{}.host.trust}) {
    const Trusted trusted = run_trusting(input, trust);
    EXPECT_FALSE(trusted.made_twice);
    EXPECT_EQ(trusted.outcome.cycles, right.outcome.cycles);
  }
}

}  // namespace
}  // namespace simfarm::test
