// Every kernel compiles, runs on arrays of any shape, and computes what the host computes.
#include <gmock/gmock.h>

#include <algorithm>

#include "bench/expected.h"
#include "bench/kernels.h"
#include "bench/measure.h"
#include "bench/native.h"
#include "bench/prepare.h"
#include "tests/support/compiled.h"

namespace simfarm::bench {
namespace {

using testing::HasSubstr;

std::shared_ptr<const Image> compiled(const Case& which) {
  const auto tools = farm::find_toolchain({SIMFARM_SOURCE_DIR, "/usr/bin:/bin", "", ""});
  if (!tools) {
    ADD_FAILURE() << tools.error().message;
    return nullptr;
  }
  Result<std::vector<u8>> elf = compile_kernel(which, SIMFARM_SOURCE_DIR "/bench/kernels", *tools);
  if (!elf) {
    ADD_FAILURE() << elf.error().message;
    return nullptr;
  }
  Result<Image> image = parse_elf(std::move(*elf), which.source);
  if (!image) ADD_FAILURE() << image.error().message;
  return image ? std::make_shared<const Image>(std::move(*image)) : nullptr;
}

Machine array(u32 rows, u32 columns) {
  Machine machine;
  machine.name = "test";
  machine.rows = rows;
  machine.columns = columns;
  return machine;
}

Plan tiny(const Case& which, const Machine& machine) {
  Plan plan{&which, machine};
  plan.engine = EngineKind::reference;
  plan.repeats = 1;
  return plan;
}

/// Cases by name, so that tests are told apart by it.
std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const Case& each : cases()) names.emplace_back(each.name);
  return names;
}

class EveryKernel : public testing::TestWithParam<std::string> {};

TEST_P(EveryKernel, ComputesWhatTheHostComputes) {
  const Case& which = *find_case(GetParam());
  const auto image = compiled(which);
  ASSERT_NE(image, nullptr);
  const Machine nano = *load_machine("nano"), single = *load_machine("single");
  for (const Machine& machine : {nano, single, array(3, 5), array(2, 1)}) {
    const auto row = measure(tiny(which, machine), image);
    ASSERT_TRUE(row) << row.error().message;
    EXPECT_EQ(row->failure, "") << machine.rows << " x " << machine.columns;
    for (const EngineKind engine : engine_kinds) {
      if (engine == EngineKind::reference) continue;
      Plan plan = tiny(which, machine);
      plan.engine = engine;
      const auto other = measure(plan, image);
      ASSERT_TRUE(other) << other.error().message;
      EXPECT_EQ(other->failure, "") << name(engine);
      EXPECT_TRUE(other->answer == row->answer)
          << name(engine) << ": " << other->answer.cycles << " cycles, not " << row->answer.cycles;
    }
    EXPECT_GT(row->answer.instructions, 100u);
    EXPECT_GT(row->answer.cycles, 1000u);
    EXPECT_EQ(row->macs, which.macs * which.rounds[0] * machine.pes());
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, EveryKernel, testing::ValuesIn(case_names()), [](const auto& one) {
  std::string name = one.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Memory that a kernel forgot to fill would make its answer depend on what was there.
TEST(Kernels, RaceNothingAndReadNothingUndefined) {
  for (const char* name : {"broadcast-rows", "broadcast-wide", "copy-tiles", "systolic-gemm"}) {
    const Case& which = *find_case(name);
    const auto image = compiled(which);
    ASSERT_NE(image, nullptr);
    Result<Prepared> ready = prepare(which, array(2, 3), 2, image);
    ASSERT_TRUE(ready) << ready.error().message;
    ready->input.poison = 1;
    RunOptions options;
    options.check_races = true;
    auto simulation = make_simulation(EngineKind::reference, ready->input, options);
    ASSERT_TRUE(simulation) << simulation.error().message;
    const Outcome outcome = (*simulation)->run();
    EXPECT_EQ(wrong_answer(*ready, outcome, ready->output), "") << name;
  }
}

TEST(Measure, TellsAWrongAnswer) {
  Case wrong = *find_case("single-crc");
  wrong.answer = [](const Seat&, std::span<const u8>) { return 7u; };
  const auto image = compiled(wrong);
  ASSERT_NE(image, nullptr);
  const auto row = measure(tiny(wrong, array(1, 1)), image);
  ASSERT_TRUE(row) << row.error().message;
  EXPECT_THAT(row->failure, HasSubstr("right is 0x00000007"));
}

TEST(Measure, WorksAsMuchAltogetherOnAnyArray) {
  const Case& which = *find_case("gemm-wide");
  EXPECT_EQ(rounds_for(which, Size::full, 64), which.rounds[2]);
  EXPECT_EQ(rounds_for(which, Size::full, 16), 4 * which.rounds[2]);
  EXPECT_EQ(rounds_for(which, Size::full, 1u << 20), 1u);
  EXPECT_EQ(rounds_for(which, Size::tiny, 1), 1u);
}

TEST(Native, EveryLevelComputesTheSame) {
  std::vector<Seat> seats;
  for (u32 column = 0; column < 3; ++column) seats.push_back({1, 3, 0, column, column + 2});
  for (const Case& which : cases()) {
    if (which.native == Native::none) continue;
    NativeWork work(which, seats);
    for (const NativeLoops* level : native_levels()) {
      work.run(*level);
      for (const Seat& seat : seats)
        EXPECT_EQ(work.answers()[seat.column], which.answer(seat, {}))
            << which.name << " " << level->isa;
    }
  }
}

TEST(Expectations, AreKeptAndCompared) {
  const test::Folder folder;
  const std::string path = folder.path() + "/expected.json";
  const Case& which = *find_case("gemm-mul");
  Row row;
  row.plan = tiny(which, *load_machine("perform"));
  row.answer = {1000, 500, {0x0123456789abcdef, 0xfedcba9876543210}};

  Result<Expectations> expected = Expectations::load(path);
  ASSERT_TRUE(expected) << expected.error().message;
  expected->check(row);
  EXPECT_FALSE(row.recorded);
  expected->record(row);
  ASSERT_TRUE(expected->save(path));
  expected = Expectations::load(path);
  ASSERT_TRUE(expected) << expected.error().message;
  expected->check(row);
  EXPECT_TRUE(row.recorded);
  EXPECT_EQ(row.failure, "");
  row.answer.cycles = 1001;
  expected->check(row);
  EXPECT_THAT(row.failure, HasSubstr("1001 cycles"));

  folder.write("expected.json", "{\"schema\": \"other\"}");
  EXPECT_FALSE(Expectations::load(path));
}

}  // namespace
}  // namespace simfarm::bench
