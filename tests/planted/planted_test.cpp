// The test of the tests: every fault that can be planted in the fast engine is found by the random
// programs, and without one there is nothing to find.
#include "engine/fast/planted.h"

#include <gtest/gtest.h>

#include "tests/support/differential/check_case.h"
#include "tests/support/differential/generator.h"
#include "tests/support/differential/variants.h"

namespace simfarm::test {
namespace {

using fast::Planted;

constexpr u64 first_seed = 500'000;
constexpr u64 programs = 1000;

bool differs_with(Planted fault, const profile::Side& side, const profile::RunCase& run_case) {
  fast::planted_fault = fault;
  const bool found = differs(reference_side(), side, run_case);
  fast::planted_fault = Planted::none;
  return found;
}

/// How many programs it takes to see the fault; none when nobody does. A program that differs
/// without it as well does not count.
std::optional<u64> programs_needed(const fast::PlantedText& fault) {
  const bool generated = fault.gang || fault.generated || fault.races;
  const profile::Side side = generated     ? slow_variants()[0]
                             : fault.trust ? trusting_variant()
                                           : variants()[0];
  for (u64 k = 0; k < programs; ++k) {
    const u64 seed = first_seed + k;
    const profile::RunCase run_case = fault.races  ? near_race_case(seed)
                                      : fault.gang ? lockstep_case(seed)
                                                   : random_case(seed);
    if (differs_with(fault.fault, side, run_case) && !differs_with(Planted::none, side, run_case))
      return k + 1;
  }
  return std::nullopt;
}

class Fault : public testing::TestWithParam<fast::PlantedText> {};

TEST_P(Fault, IsFound) {
  const std::optional<u64> needed = programs_needed(GetParam());
  EXPECT_TRUE(needed) << "not found in " << programs << " programs: " << GetParam().meaning;
  if (needed)
    std::printf("found by program %llu: %s\n", static_cast<unsigned long long>(*needed),
                std::string(GetParam().meaning).c_str());
}
INSTANTIATE_TEST_SUITE_P(Planted, Fault, testing::ValuesIn(fast::planted_faults),
                         [](const testing::TestParamInfo<fast::PlantedText>& of) {
                           return std::to_string(static_cast<u32>(of.param.fault));
                         });

TEST(NoFault, NothingDiffers) {
  for (u64 k = 0; k < 300; ++k)
    EXPECT_FALSE(differs_with(Planted::none, variants()[0], random_case(first_seed + k)))
        << first_seed + k;
}

}  // namespace
}  // namespace simfarm::test
