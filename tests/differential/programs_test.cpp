// Random programs on every way to run them, held against the reference engine in everything that a
// run reports and leaves in memory. docs/differential.md says how to repeat a failure.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "tests/support/differential/check_case.h"
#include "tests/support/differential/generator.h"
#include "tests/support/differential/variants.h"

namespace simfarm::test {
namespace {

/// Enough of them to fill the host's processors in a parallel test run.
constexpr u32 shards = 20;
constexpr u64 programs_a_shard = 500;

constexpr u64 programs_a_slow_one = 10;
constexpr u64 programs_a_shuffled_one = 4;

/// In one of four, beside those in which chance says so; among them are some for every variant.
constexpr bool races_are_checked(u64 seed) { return seed % 8 == 1 || seed % 8 == 2; }

/// The case of `seed` as users run it, which for programs so short is interpreted, and now and then
/// on several threads, or in generated code.
std::vector<Check> checks_of(u64 seed) {
  static const profile::Side usual = variants()[0];
  static const std::vector<profile::Side> slow = slow_variants(), shuffled = shuffled_variants();
  profile::RunCase run_case = random_case(seed);
  run_case.options.check_races |= races_are_checked(seed);
  run_case.options.profile = seed % 8 < 4;  // of each kind of side below, some
  std::vector<Check> checks = {{reference_side(), usual, run_case}};
  if (seed % programs_a_shuffled_one == 1) {
    const u64 turn = seed / programs_a_shuffled_one;
    checks.push_back({reference_side(), shuffled[turn % shuffled.size()], run_case});
  }
  if (seed % programs_a_slow_one == 0) {
    const u64 turn = seed / programs_a_slow_one;
    const bool lockstep = turn / slow.size() % 2 == 1;
    checks.push_back(
        {reference_side(), slow[turn % slow.size()], lockstep ? lockstep_case(seed) : run_case});
  }
  return checks;
}

class Shard : public testing::TestWithParam<u32> {};

TEST_P(Shard, AllVariantsAreEqual) {
  const u64 first = GetParam() * programs_a_shard;
  if (const auto failure = check_seeds(first, first + programs_a_shard, checks_of)) {
    FAIL() << *failure;
  }
  std::printf("seeds %llu to %llu: equal\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + programs_a_shard - 1));
}
INSTANTIATE_TEST_SUITE_P(Programs, Shard, testing::Range(0u, shards));

/// Hours of it (ctest label soak, ./dev soak): SIMFARM_SOAK_SECONDS, and SIMFARM_SOAK_SEED to begin
/// at.
TEST(Soak, AllVariantsAreEqual) {
  const char* seconds = std::getenv("SIMFARM_SOAK_SECONDS");
  if (seconds == nullptr) GTEST_SKIP() << "SIMFARM_SOAK_SECONDS is not set";
  const char* begin = std::getenv("SIMFARM_SOAK_SEED");
  const u64 first = begin != nullptr ? std::strtoull(begin, nullptr, 10) : 1'000'000;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoll(seconds));
  constexpr u64 at_once = 100;
  u64 seed = first;
  for (; std::chrono::steady_clock::now() < end; seed += at_once)
    if (const auto failure = check_seeds(seed, seed + at_once, checks_of)) {
      FAIL() << *failure;
    }
  std::printf("seeds %llu to %llu: equal\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(seed - 1));
}

}  // namespace
}  // namespace simfarm::test
