#include "tests/support/equal_engines.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/differential/variants.h"

namespace simfarm::test {
namespace {

using namespace profile;

/// What is compared of DRAM: no test's program gets further, and a whole one takes half a second.
constexpr u64 dram_bytes = 8u << 20;

void expect_equal(const Ran& reference, const RunCase& run_case) {
  static const std::vector<Side> sides = {variants()[0], slow_variants()[0]};
  Machine machine = run_case.input.machine;
  machine.map.dram.bytes = std::min(machine.map.dram.bytes, dram_bytes);
  for (const Side& side : sides)
    for (const Difference& difference : differences(machine, reference, run(side, run_case)))
      ADD_FAILURE() << "the reference engine and " << side.name << ": " << difference.text;
}

}  // namespace

Ran run_on_all(const RunInput& input, const RunOptions& options) {
  RunCase run_case{input, options, ""};
  Ran reference = run(reference_side(), run_case);
  run_case.options.observer = nullptr;
  expect_equal(reference, run_case);
  if (options.check_races) {
    run_case.options.check_races = false;
    expect_equal(run(reference_side(), run_case), run_case);
  }
  return reference;
}

}  // namespace simfarm::test
