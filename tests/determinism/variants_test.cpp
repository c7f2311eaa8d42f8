// One result whatever the host does: run PEs in any order, on any number of threads, interpret,
// generate code early or late, for any of its instruction sets; and for every repetition.
#include <gtest/gtest.h>

#include "tests/support/differential/check_case.h"
#include "tests/support/differential/generator.h"
#include "tests/support/differential/variants.h"

namespace simfarm::test {
namespace {

class Cases : public testing::TestWithParam<u64> {};

TEST_P(Cases, HaveOneResultInAllVariants) {
  constexpr u64 cases = 50;
  for (u64 seed = GetParam() * cases; seed < (GetParam() + 1) * cases; ++seed) {
    const profile::RunCase run_case = random_case(seed);
    std::vector<profile::Side> all = variants();
    if (seed % 5 == 0)
      for (const profile::Side& side : slow_variants()) all.push_back(side);
    for (const profile::Side& side : all)
      if (const auto failure = check_case(all[0], side, run_case)) {
        FAIL() << "seed " << seed << ": " << *failure;
      }
  }
}
INSTANTIATE_TEST_SUITE_P(Random, Cases, testing::Values(40'000u, 40'001u, 40'002u, 40'003u));

}  // namespace
}  // namespace simfarm::test
