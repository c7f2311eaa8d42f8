// What is where before cycle 0, and input that cannot run.
#include <gmock/gmock.h>

#include "base/bytes.h"
#include "tests/support/run.h"

namespace simfarm::test {
namespace {

using testing::HasSubstr;

RunInput input_of(const Machine& machine, Program program) {
  RunInput input;
  input.machine = machine;
  input.program = std::move(program);
  return input;
}

std::string refusal(RunInput input) {
  const auto made = make_simulation(EngineKind::reference, std::move(input), {});
  EXPECT_FALSE(made);
  return made ? "" : made.error().message;
}

TEST(Loader, ImagesOverRectangles) {
  Program program;
  program.images = {Kernel().exit(1).image(), Kernel().exit(2).image()};
  program.placements = {{0, 0, 0, 1, 0}, {1, 0, 1, 1, 2}};
  const Finished run = run_input(input_of(machine_of(2, 3), program));
  const u32 expected[6] = {1, 2, 2, 1, 2, 2};
  for (PeId pe = 0; pe < 6; ++pe) EXPECT_EQ(run.exit_code(pe), expected[pe]);

  program.placements[1].column1 = 1;
  EXPECT_THAT(refusal(input_of(machine_of(2, 3), program)),
              HasSubstr("no image is placed on the PE at row 0, column 2"));
  program.placements[1] = {1, 0, 0, 1, 2};
  EXPECT_THAT(refusal(input_of(machine_of(2, 3), program)), HasSubstr("two images"));
  program.placements[1] = {1, 0, 1, 1, 3};
  EXPECT_THAT(refusal(input_of(machine_of(2, 3), program)), HasSubstr("columns 1..3"));
  program.placements[1].image = 7;
  EXPECT_THAT(refusal(input_of(machine_of(2, 3), program)), HasSubstr("image 7"));
  EXPECT_THAT(refusal(input_of(machine_of(1, 1), {})), HasSubstr("no image"));
}

TEST(Loader, ArgumentsLieAtTheTopOfLocalMemory) {
  // 100 bytes take 128; the last word of the block is returned.
  RunInput input =
      input_of(machine_of(1, 2), program_of(Kernel().lw(t0, a0, 96).add(a0, a0, t0).exit()));
  input.arguments.resize(100);
  store_bytes(input.arguments, 96, 4, 5);
  EXPECT_EQ(run_input(input).exit_code(1), local_base + 0x8000 - 128 + 5);
  input.program = program_of(Kernel().add(a0, sp, zero).exit());
  EXPECT_EQ(run_input(input).exit_code(0), local_base + 0x8000 - 128);
  input.arguments.clear();
  EXPECT_EQ(run_input(input).exit_code(0), local_base + 0x8000);
  input.program = program_of(Kernel().exit());
  EXPECT_EQ(run_input(input).exit_code(0), 0u) << "a0 without arguments";

  input.arguments.resize(100);
  input.program = program_of(Kernel().data(local_base + 0x8000 - 130, {1, 2, 3}).exit());
  EXPECT_THAT(refusal(input), HasSubstr("argument block"));
  input.arguments.resize(1 << 20);
  EXPECT_THAT(refusal(input), HasSubstr("does not fit"));
}

TEST(Loader, SegmentsAndInitialBytesOfSharedMemory) {
  RunInput input =
      input_of(machine_of(1, 1),
               program_of(Kernel().data(ocm_base + 5, {1, 2, 3}).data(dram_base, {4}).exit()));
  input.memory = {{ocm_base + 6, {9}}, {dram_base + (1u << 30) - 1, {7}}};
  const Finished run = run_input(input);
  EXPECT_EQ(run.shared(ocm_base + 4, 5), (std::vector<u8>{0, 1, 9, 3, 0}));
  EXPECT_EQ(run.shared(dram_base, 2), (std::vector<u8>{4, 0}));
  EXPECT_EQ(run.shared(dram_base + (1u << 30) - 1, 1), (std::vector<u8>{7}));
  std::vector<u8> byte(1);
  EXPECT_FALSE(run.simulation->read(local_base, byte));
  EXPECT_FALSE(run.simulation->read_local(1, local_base, byte));
  input.memory = {{ocm_base + (4u << 20) - 1, {7, 8}}};
  EXPECT_THAT(refusal(input), HasSubstr("2 initial bytes at 0x403fffff"));
}

TEST(Loader, SegmentsThatLieNowhere) {
  const auto with = [](u32 address) {
    return input_of(machine_of(1, 1), program_of(Kernel().data(address, {1, 2}).exit()));
  };
  EXPECT_THAT(refusal(with(0x2000'0000)), HasSubstr("kernel: segment 0x20000000..0x20000001"));
  EXPECT_THAT(refusal(with(local_base + 0x7fff)), HasSubstr("one memory"));
  RunInput small = input_of(machine_of(1, 1), program_of(Kernel().nop(100).exit()));
  small.machine.map.instructions.bytes = 64;
  EXPECT_THAT(refusal(small), HasSubstr("instruction memory"));
  RunInput machine = input_of(machine_of(1, 1), program_of(Kernel().exit()));
  machine.machine.link.latency = 0;
  EXPECT_THAT(refusal(machine), HasSubstr("link.latency"));
}

TEST(Loader, PoisonFillsWhatNothingInitialised) {
  // Registers: t0 + t1; memory: a word of local memory; OCM.
  Kernel kernel;
  kernel.data(local_base, std::vector<u8>(8)).add(s1, t0, t1).li(t2, local_base);
  kernel.lw(t3, t2, 8).add(a0, s1, t3).exit();
  const auto run = [&](std::optional<u64> seed) {
    RunInput input = input_of(machine_of(1, 2), program_of(kernel));
    input.poison = seed;
    return run_input(std::move(input));
  };
  EXPECT_EQ(run(std::nullopt).exit_code(0), 0u);
  const Finished one = run(1), again = run(1), two = run(2);
  EXPECT_EQ(one.exit_code(0), again.exit_code(0));
  EXPECT_NE(one.exit_code(0), two.exit_code(0));
  EXPECT_NE(one.exit_code(0), one.exit_code(1)) << "each PE has its own";
  EXPECT_EQ(one.local(0, local_base, 8), std::vector<u8>(8));
  EXPECT_EQ(one.shared(ocm_base + 1000, 64), again.shared(ocm_base + 1000, 64));
  EXPECT_NE(one.shared(ocm_base + 1000, 64), two.shared(ocm_base + 1000, 64));
  EXPECT_NE(one.shared(dram_base, 64), std::vector<u8>(64));
}

TEST(Loader, AUnifiedMachineLoadsItsCode) {
  // Code and data in one space from 0 on: a load sees the code, a store into its page traps.
  Machine machine = machine_of(1, 1);
  machine.map.unified = true;
  machine.map.instructions = {0, 1u << 20};
  machine.map.local = {0, 1u << 20};
  machine.map.ocm = {0x4000'0000, 4u << 20};
  const auto at_zero = [](const Kernel& kernel) {
    auto image = std::make_shared<Image>(*kernel.image());
    for (Segment& segment : image->segments) segment.address -= code_base;
    image->entry = 0;
    return Program{{image}, {}};
  };
  const Finished loads = run_input(input_of(machine, at_zero(Kernel().lw(a0, zero, 4).exit())));
  EXPECT_EQ(loads.exit_code(0), 0x05d0'0893u) << "li a7, 93";
  const Finished stores =
      run_input(input_of(machine, at_zero(Kernel().li(t0, 4092).sw(t0, t0, 1).exit())));
  ASSERT_EQ(stores.outcome.kind, Outcome::Kind::trap);
  EXPECT_EQ(stores.outcome.trap->kind, TrapKind::store_to_instructions);
  EXPECT_EQ(
      run_input(input_of(machine, at_zero(Kernel().li(t0, 4096).sw(t0, t0).lw(a0, t0).exit())))
          .exit_code(0),
      4096u);
}

}  // namespace
}  // namespace simfarm::test
