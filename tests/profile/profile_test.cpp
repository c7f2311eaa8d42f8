// Profiles of kernels whose answers are known. Every run here is one of all engines, whose profiles
// must be the same (tests/support/equal_engines.h).
#include <gmock/gmock.h>

#include "profile/hot_spots.h"
#include "tests/support/run.h"

namespace simfarm::test {
namespace {

using namespace profile;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr u8 bin(Stall stall) { return static_cast<u8>(stall); }

/// In region 0 up to the write of the csr, which belongs to it; then in region 3.
Kernel every_place() {
  Kernel kernel;
  kernel.li(t0, local_base).lw(t1, t0).add(t2, t1, t1).region(3);
  kernel.op(Op::MULH, {.rd = t1, .rs1 = t2, .rs2 = t2});
  kernel.nop();  // directly after the mulh the jump's refill would be hidden (docs/timing.md)
  kernel.jump(kernel.here() + 4);
  return kernel.exit(0);
}

TEST(Profile, SaysInstructionRegionAndBin) {
  const Finished run = run_kernel(machine_of(1, 1), every_place());
  constexpr u32 pc = code_base;
  EXPECT_THAT(
      run.outcome.pes[0].profile,
      ElementsAre(
          ProfileEntry{0, pc, profile_issued, 1}, ProfileEntry{0, pc + 4, profile_issued, 1},
          ProfileEntry{0, pc + 8, bin(Stall::load_use), 1},
          ProfileEntry{0, pc + 8, profile_issued, 1}, ProfileEntry{0, pc + 12, profile_issued, 1},
          ProfileEntry{3, pc + 16, bin(Stall::exec_busy), 4},
          ProfileEntry{3, pc + 16, profile_issued, 1}, ProfileEntry{3, pc + 20, profile_issued, 1},
          ProfileEntry{3, pc + 24, bin(Stall::branch), 1},
          ProfileEntry{3, pc + 24, profile_issued, 1}, ProfileEntry{3, pc + 28, profile_issued, 1},
          ProfileEntry{3, pc + 32, profile_issued, 1},
          ProfileEntry{3, pc + 36, profile_issued, 1}));
  EXPECT_EQ(run.outcome.cycles, 16u);
}

/// PE 0 receives what PE 1 sends after `late` cycles, `rounds` times, then waits for its end.
std::vector<Kernel> receiver_and_sender(u32 rounds, u32 late) {
  std::vector<Kernel> kernels(2);
  for (u32 k = 0; k < rounds; ++k) {
    kernels[0].recv(t0, east);
    kernels[1].nop(late).send(west, t0);
  }
  for (Kernel& kernel : kernels) kernel.exit(0);
  return kernels;
}

TEST(Profile, WaitsBelongToTheInstructionThatWaits) {
  const Finished run = run_kernels(machine_of(1, 2), receiver_and_sender(3, 10));
  u64 waited = 0;
  for (const ProfileEntry& entry : run.outcome.pes[0].profile) {
    if (entry.bin != bin(Stall::link_empty)) continue;
    EXPECT_LT(entry.pc, code_base + 12);
    waited += entry.cycles;
  }
  EXPECT_GT(waited, 30u);
  EXPECT_EQ(waited, run.stalls(0, Stall::link_empty));
  for (const PeReport& pe : run.outcome.pes) EXPECT_EQ(cycles_of(pe.profile), run.outcome.cycles);
}

TEST(Profile, ALoopIsCountedAsOftenAsItIsRun) {
  Kernel kernel;
  kernel.li(t0, 1000);
  const u32 top = kernel.here();
  kernel.addi(t0, t0, -1).branch(Op::BNE, t0, zero, top).exit(0);
  const Finished run = run_kernel(machine_of(1, 1), kernel);
  EXPECT_THAT(run.outcome.pes[0].profile,
              testing::IsSupersetOf({ProfileEntry{0, top, profile_issued, 1000},
                                     ProfileEntry{0, top + 4, profile_issued, 1000},
                                     ProfileEntry{0, top + 4, bin(Stall::branch), 2 * 999}}));
}

TEST(Profile, OfARunThatIsCutOffSumsToItsCycles) {
  for (Cycle limit = 1; limit < 17; ++limit) {
    RunOptions options;
    options.cycle_limit = limit;
    const Finished run = run_kernel(machine_of(1, 1), every_place(), options);
    EXPECT_EQ(cycles_of(run.outcome.pes[0].profile), run.outcome.cycles);
  }
}

struct Profiled {
  std::vector<HotSpot> spots;
  Json document;
};

Profiled profiled(const std::vector<Kernel>& kernels) {
  const Machine machine = machine_of(1, static_cast<u32>(kernels.size()));
  const Program program = program_of(kernels, machine.columns);
  const Finished run = run_kernels(machine, kernels);
  Profiled made{hot_spots(machine, program, run.outcome), {}};
  made.document = profile_document(machine, run.outcome, made.spots, "simfarm profile kernel");
  return made;
}

TEST(HotSpots, AddUpToAllCyclesOfAllPes) {
  const Profiled made = profiled(receiver_and_sender(3, 10));
  u64 cycles = 0, folded = 0;
  for (const HotSpot& spot : made.spots) cycles += cycles_of(spot.bins);
  EXPECT_EQ(cycles, 2 * made.document["cycles"].get<u64>());
  std::istringstream lines(folded_stacks(made.spots));
  for (std::string line; std::getline(lines, line);)
    folded += std::stoull(line.substr(line.rfind(' ')));
  EXPECT_EQ(folded, cycles);
  EXPECT_EQ(made.spots[0].instruction.substr(0, 7), "gp.recv");
  EXPECT_THAT(profile_tables(made.spots, 10), HasSubstr("link_empty at 0x00400000"));
}

TEST(HotSpots, DifferencesSayWhichBinMoved) {
  const Json before = profiled(receiver_and_sender(3, 10)).document;
  const Json after = profiled(receiver_and_sender(3, 15)).document;
  const auto moved = profile_differences(before, after, "a, b");
  ASSERT_TRUE(moved);
  EXPECT_EQ((*moved)["cycles"]["after"].get<u64>() - (*moved)["cycles"]["before"].get<u64>(), 15u);
  u64 waits = 0;
  for (const Json& entry : (*moved)["bins"])
    if (entry["bin"] == "link_empty")
      waits = entry["after"].get<u64>() - entry["before"].get<u64>();
  EXPECT_EQ(waits, 15u);
  EXPECT_THAT(print_differences(*moved, 10), HasSubstr("+15"));
  const auto none = profile_differences(before, before, "a, a");
  ASSERT_TRUE(none);
  EXPECT_TRUE((*none)["bins"].empty());
}

TEST(HotSpots, DifferencesRefuseWhatIsNoProfile) {
  const Json good = profiled(receiver_and_sender(1, 1)).document;
  for (const char* text :
       {"1", "[]", "{}", R"({"schema": "simfarm.profile"})",
        R"({"schema": "simfarm.profile", "version": 2})",
        R"({"schema": "simfarm.profile", "version": 1, "cycles": 1, "spots": 1})",
        R"({"schema": "simfarm.profile", "version": 1, "cycles": 1,
                               "spots": [{"line": 1, "bins": {"branch": -1}}]})"}) {
    const auto refused = profile_differences(good, Json::parse(text), "file");
    ASSERT_FALSE(refused) << text;
    EXPECT_THAT(refused.error().message, HasSubstr("file: "));
  }
}

}  // namespace
}  // namespace simfarm::test
