#include "tests/support/equal_engines.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <span>
#include <string>

#include "base/file.h"
#include "tests/support/differential/variants.h"

namespace simfarm::test {
namespace {

using namespace profile;

/// What is compared of DRAM: no test's program gets further, and a whole one takes half a second.
constexpr u64 dram_bytes = 8u << 20;

/// Whether a run goes through generated code as well. Under sanitizers that code and its generator
/// are not instrumented, what is around them is: the first run of every test then, and one in
/// eight.
bool with_generated_code() {
#ifdef __SANITIZE_ADDRESS__
  static u32 runs = 0;
  return runs++ % 8 == 0;
#else
  return true;
#endif
}

void expect_equal(const Ran& reference, const RunCase& run_case, Suspicion suspicion) {
  static const std::vector<Side> sides = {variants()[0], shuffled_variants()[1],
                                          slow_variants()[0]};
  Machine machine = run_case.input.machine;
  machine.map.dram.bytes = std::min(machine.map.dram.bytes, dram_bytes);
  for (const Side& side : std::span(sides).first(with_generated_code() ? 3 : 2)) {
    const Ran ran = run(side, run_case);
    for (const Difference& difference : differences(machine, reference, ran))
      ADD_FAILURE() << "the reference engine and " << side.name << ": " << difference.text;
    if (suspicion == Suspicion::any || ran.refused) continue;
    if (ran.outcome.kind == Outcome::Kind::trap) continue;
    EXPECT_EQ(ran.simulation->host().engine, EngineKind::fast)
        << side.name << " takes a program without races for one that has some";
  }
}

/// As FOLDER/SUITE.TEST.case; -2, -3, ... are the test's further runs.
void save(const RunCase& run_case, const std::string& folder) {
  static std::map<std::string, u32> runs;
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  // Of a table's test, the row.
  const std::string whole = fmt::format("{}.{}", test.test_suite_name(), test.name());
  std::string name = whole.substr(whole.find('/') == std::string::npos ? 0 : whole.rfind('/') + 1);
  if (const u32 run = ++runs[name]; run > 1) name += fmt::format("-{}", run);
  const auto written =
      write_text(fmt::format("{}/{}.case", folder, name), profile::print_case(run_case));
  EXPECT_TRUE(written) << written.error().message;
}

}  // namespace

Ran run_on_all(const RunInput& input, const RunOptions& options, Suspicion suspicion) {
  RunCase run_case{input, options, ""};
  if (options.checkpoints == 0) run_case.options.checkpoints = 4;
  run_case.options.profile = true;
  Ran reference = run(reference_side(), run_case);
  run_case.options.observer = nullptr;
  if (const char* const folder = std::getenv("SIMFARM_SAVE_CASES")) save(run_case, folder);
  expect_equal(reference, run_case, suspicion);
  if (options.check_races) {
    run_case.options.check_races = false;
    expect_equal(run(reference_side(), run_case), run_case, suspicion);
  }
  return reference;
}

}  // namespace simfarm::test
