// The test of the gate: every fault that can be planted in the fast engine, but for those that only
// race checks or long habits show, makes one of the repository's goldens differ, and the first
// cycle and PE are found.
#include <gtest/gtest.h>

#include "engine/fast/planted.h"
#include "regress/explain.h"

namespace simfarm::test {
namespace {

using fast::Planted;

const regress::Goldens& goldens() {
  static const Result<regress::Goldens> all =
      regress::open_goldens(SIMFARM_SOURCE_DIR "/regress/goldens");
  return all.value();
}

/// The fast engine with a fault in it, for as long as the run takes.
Result<regress::Golden> run_with(Planted fault, const regress::GoldenCase& one,
                                 const regress::Variant& variant, std::optional<Cycle> limit = {}) {
  fast::planted_fault = fault;
  Result<regress::Golden> now = regress::run_case(one, variant, limit);
  fast::planted_fault = Planted::none;
  return now;
}

class Gate : public testing::TestWithParam<fast::PlantedText> {};

TEST_P(Gate, CatchesItAndSaysWhere) {
  ASSERT_TRUE(goldens().problems.empty());
  const fast::PlantedText& fault = GetParam();
  regress::Variant variant{"fast", EngineKind::fast, {}};
  if (fault.gang || fault.generated) variant.host.warm_up = 0;
  u64 tried = 0;
  for (const regress::Group& group : goldens().groups)
    for (const regress::Entry& entry : group.entries) {
      ++tried;
      const Result<regress::Golden> now = run_with(fault.fault, entry.one, variant);
      ASSERT_TRUE(now) << entry.one.name << ": " << now.error().message;
      if (*now == entry.golden) continue;
      const auto parting = regress::find_parting(
          entry.one, regress::measure_here(entry.one, {"reference", EngineKind::reference, {}}),
          [&](Cycle limit) { return run_with(fault.fault, entry.one, variant, limit); },
          std::max(now->cycles, entry.golden.cycles));
      ASSERT_TRUE(parting) << parting.error().message;
      const std::string meaning(fault.meaning);
      if (!*parting) {  // shows at the run's end only
        std::printf("caught by case %llu, %s, at its end: %s\n",
                    static_cast<unsigned long long>(tried), entry.one.name.c_str(),
                    meaning.c_str());
        return;
      }
      EXPECT_LE((*parting)->cycle, std::max(now->cycles, entry.golden.cycles));
      EXPECT_FALSE((*parting)->differences.empty());
      std::printf("caught by case %llu, %s, first in cycle %llu, %s: %s\n",
                  static_cast<unsigned long long>(tried), entry.one.name.c_str(),
                  static_cast<unsigned long long>((*parting)->cycle),
                  (*parting)->differences.front().text.c_str(), meaning.c_str());
      return;
    }
  ADD_FAILURE() << "not caught by " << tried << " cases: " << fault.meaning;
}

std::vector<fast::PlantedText> caught_faults() {
  std::vector<fast::PlantedText> faults;
  for (const fast::PlantedText& fault : fast::planted_faults)
    if (!fault.races && !fault.trust) faults.push_back(fault);
  return faults;
}
INSTANTIATE_TEST_SUITE_P(Planted, Gate, testing::ValuesIn(caught_faults()),
                         [](const testing::TestParamInfo<fast::PlantedText>& of) {
                           return std::to_string(static_cast<u32>(of.param.fault));
                         });

TEST(GateOfFaults, HasAtLeast25FaultsToCatch) { EXPECT_GE(caught_faults().size(), 25u); }

}  // namespace
}  // namespace simfarm::test
