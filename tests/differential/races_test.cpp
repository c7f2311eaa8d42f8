// Programs that race, or nearly so: the fast engine only suspects races, and must miss none; nor
// should it suspect many where there are none, since such runs take the reference engine's time.
#include <gtest/gtest.h>

#include "tests/support/differential/check_case.h"
#include "tests/support/differential/generator.h"
#include "tests/support/differential/variants.h"

namespace simfarm::test {
namespace {

constexpr u32 near_race_shards = 4;
constexpr u64 near_races_a_shard = 500;
constexpr u64 near_races_a_slow_one = 4;

class NearRaces : public testing::TestWithParam<u32> {};

TEST_P(NearRaces, AreFoundByAllVariants) {
  static const std::vector<profile::Side> slow = slow_variants(), quick = variants();
  u64 races = 0, none = 0, suspected = 0;
  const u64 first = GetParam() * near_races_a_shard;
  for (u64 seed = first; seed < first + near_races_a_shard; ++seed) {
    const profile::RunCase run_case = near_race_case(seed);
    const u64 turn = seed / near_races_a_slow_one;
    const bool generated = seed % near_races_a_slow_one == 0;
    const profile::Side& side = generated ? slow[turn % slow.size()] : quick[seed % quick.size()];
    if (const auto failure = check_case(reference_side(), side, run_case))
      FAIL() << "seed " << seed << ": " << *failure;
    const profile::Ran ran = run(side, run_case);
    if (ran.outcome.trap && ran.outcome.trap->kind == TrapKind::race) {
      ++races;
      continue;
    }
    ++none;
    suspected += ran.simulation->host().engine != EngineKind::fast;
  }
  std::printf("%llu race, %llu do not, of which %llu are suspected\n",
              static_cast<unsigned long long>(races), static_cast<unsigned long long>(none),
              static_cast<unsigned long long>(suspected));
  EXPECT_GT(races, near_races_a_shard / 5);
  EXPECT_GT(none, near_races_a_shard / 5);
  EXPECT_LT(suspected, none / 10);
}
INSTANTIATE_TEST_SUITE_P(Programs, NearRaces, testing::Range(0u, near_race_shards));

}  // namespace
}  // namespace simfarm::test
