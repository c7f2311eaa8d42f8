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

/// The case of `seed` as users run it, which for programs so short is interpreted, and now and then
/// on several threads, or in generated code.
std::optional<std::string> check_seed(u64 seed) {
  static const std::vector<profile::Side> slow = slow_variants(), shuffled = shuffled_variants();
  const profile::RunCase run_case = random_case(seed);
  if (auto failure = check_case(reference_side(), variants()[0], run_case)) return failure;
  if (seed % programs_a_shuffled_one == 1) {
    const profile::Side& side = shuffled[seed / programs_a_shuffled_one % shuffled.size()];
    if (auto failure = check_case(reference_side(), side, run_case)) return failure;
  }
  if (seed % programs_a_slow_one != 0) return std::nullopt;
  const u64 turn = seed / programs_a_slow_one;
  const bool lockstep = turn / slow.size() % 2 == 1;
  return check_case(reference_side(), slow[turn % slow.size()],
                    lockstep ? lockstep_case(seed) : run_case);
}

class Shard : public testing::TestWithParam<u32> {};

TEST_P(Shard, AllVariantsAreEqual) {
  const u64 first = GetParam() * programs_a_shard;
  for (u64 seed = first; seed < first + programs_a_shard; ++seed)
    if (const auto failure = check_seed(seed)) {
      FAIL() << "seed " << seed << ": " << *failure;
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
  u64 seed = first;
  for (; std::chrono::steady_clock::now() < end; ++seed)
    if (const auto failure = check_seed(seed)) {
      FAIL() << "seed " << seed << ": " << *failure;
    }
  std::printf("seeds %llu to %llu: equal\n", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(seed - 1));
}

}  // namespace
}  // namespace simfarm::test
