// Readers of hostile bytes on changed valid inputs: a fixed number of cases, the same in every run.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/fuzz/mutate.h"
#include "tests/fuzz/targets.h"

namespace simfarm::fuzz {
namespace {

struct Mutations : ::testing::TestWithParam<Target> {};

/// SIMFARM_FUZZ_CASES, or the default: some seconds under the sanitizers.
u64 case_count() {
  const char* wanted = std::getenv("SIMFARM_FUZZ_CASES");
  return wanted ? std::strtoull(wanted, nullptr, 10) : 30'000;
}

TEST_P(Mutations, BreakNoPromise) {
  const Target& target = GetParam();
  const auto seeds = target.seeds();
  for (const auto& seed : seeds) EXPECT_TRUE(target.run(seed)) << "a seed is not valid";
  u64 accepted = 0;
  const u64 cases = case_count();
  for (u64 i = 0; i < cases; ++i) {
    test::Random random(i);  // case i is the same whatever came before it
    accepted += target.run(mutate(random, seeds[random.below(seeds.size())], seeds));
  }
  // Cases that are all refused, or never, test little.
  EXPECT_GT(accepted, cases / 200);
  EXPECT_LT(accepted, cases - cases / 200);
}

INSTANTIATE_TEST_SUITE_P(Of, Mutations, ::testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace simfarm::fuzz
