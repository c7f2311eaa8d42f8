// Which speed-ups are none, and which slow-downs fail.
#include "bench/pair.h"

#include <gtest/gtest.h>

namespace simfarm::bench {
namespace {

PairRow judged(const std::vector<double>& before, const std::vector<double>& after,
               size_t last = 0) {
  PairRow row;
  row.before = before;
  row.after = after;
  judge(row, last);
  return row;
}

TEST(Pair, SmallChangesAreNone) {
  EXPECT_EQ(judged({1, 1, 1}, {1.01, 0.99, 1.015}).verdict, PairVerdict::same);
  EXPECT_EQ(judged({1, 1, 1}, {0.9, 0.91, 0.9}).verdict, PairVerdict::faster);
  EXPECT_EQ(judged({1, 1, 1}, {1.03, 1.04, 1.03}).verdict, PairVerdict::slower);
  EXPECT_EQ(judged({1, 1, 1}, {1.2, 1.1, 1.2}).verdict, PairVerdict::too_slow);
}

TEST(Pair, NoiseHidesChanges) {
  // The middle half of the ratios is as wide as the change.
  const PairRow row = judged({1, 1, 1, 1, 1}, {1.5, 1.06, 0.8, 1.06, 1.5});
  EXPECT_GT(row.band, 0.1);
  EXPECT_EQ(row.verdict, PairVerdict::same);
}

TEST(Pair, ASlowDownThatIsNotConfirmedDoesNotFail) {
  const std::vector<double> before(9, 1.0);
  std::vector<double> after(9, 1.4);
  EXPECT_EQ(judged(before, after, 1).verdict, PairVerdict::too_slow);
  after.back() = 1.0;
  EXPECT_EQ(judged(before, after, 1).verdict, PairVerdict::slower);
  EXPECT_EQ(judged(before, after, 9).verdict, PairVerdict::too_slow);
}

TEST(Pair, DifferentAnswersStayDifferent) {
  PairRow row;
  row.before = row.after = {1};
  row.verdict = PairVerdict::different;
  judge(row, 0);
  EXPECT_EQ(row.verdict, PairVerdict::different);
}

}  // namespace
}  // namespace simfarm::bench
