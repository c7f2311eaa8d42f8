// The progress line, with invented times.
#include "farm/pace.h"

#include <gtest/gtest.h>

namespace simfarm::farm {
namespace {

TEST(Pace, TellsWhatWaitsRunsPassedAndFailed) {
  Pace pace(2);
  pace.wait("gemm", 3);
  pace.wait("conv1d", 1);
  EXPECT_EQ(pace.line(0), "[Q 4 R 0 P 0 F 0] 0 %");
  pace.begin("gemm a", "gemm", 0);
  pace.begin("conv1d b", "conv1d", 1000);
  EXPECT_EQ(pace.line(2000), "[Q 2 R 2 P 0 F 0] 0 % slowest gemm a 2s") << "no task is known";
  pace.end("gemm a", 10'000, true);
  // Two of gemm take 10 s each; conv1d is taken for such a one, 9 s of which are over.
  EXPECT_EQ(pace.line(10'000), "[Q 2 R 1 P 1 F 0] 25 % eta 11s slowest conv1d b 9s");
  pace.end("conv1d b", 183'000, false);
  pace.begin("gemm c", "gemm", 183'000);
  EXPECT_EQ(pace.line(184'500), "[Q 1 R 1 P 1 F 1] 50 % eta 10s slowest gemm c 2s");
  pace.end("gemm c", 193'000, true);
  pace.answer(true);
  EXPECT_EQ(pace.line(194'000), "[Q 0 R 0 P 3 F 1] 100 %");
  EXPECT_TRUE(pace.ended());
}

TEST(Pace, OfAQueueKnowsWhatWasKnownBeforeAndWhatCameInMeanwhile) {
  Pace pace(8);
  pace.learn("conv1d", 182'000);
  pace.learn("small", 2'000);
  pace.wait("small", 8);
  pace.wait_in_all(12);  // the others may be of any task: 92 s on average
  EXPECT_EQ(pace.line(0), "[Q 12 R 0 P 0 F 0] 0 % eta 48s");
  pace.begin("conv1d 7", "conv1d", 0);
  pace.wait_in_all(12);
  EXPECT_EQ(pace.line(0), "[Q 12 R 1 P 0 F 0] 0 % eta 3m02s slowest conv1d 7 0s")
      << "not before the longest";
  pace.begin("deciding small 3", "small", 0, true);
  EXPECT_EQ(pace.line(1000), "[Q 12 R 2 P 0 F 0] 0 % eta 3m01s slowest conv1d 7 1s");
  pace.end("deciding small 3", 2000, true);
  EXPECT_EQ(pace.line(2000), "[Q 12 R 1 P 0 F 0] 0 % eta 3m00s slowest conv1d 7 2s");
}

TEST(Pace, WritesDurationsForPeople) {
  EXPECT_EQ(duration_text(0), "0s");
  EXPECT_EQ(duration_text(1), "1s");
  EXPECT_EQ(duration_text(59'000), "59s");
  EXPECT_EQ(duration_text(59'001), "1m00s");
  EXPECT_EQ(duration_text(252'000), "4m12s");
  EXPECT_EQ(duration_text(2 * 3'600'000 + 5 * 60'000), "2h05m");
}

}  // namespace
}  // namespace simfarm::farm
