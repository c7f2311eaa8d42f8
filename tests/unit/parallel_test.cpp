#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace simfarm {
namespace {

TEST(Parallel, CallsEachIndexOnceOnAnyNumberOfThreads) {
  for (const u32 threads : {0u, 1u, 2u, 7u}) {
    std::vector<std::atomic<int>> calls(1000);
    parallel_for(calls.size(), threads, [&](size_t k) { ++calls[k]; });
    for (const auto& each : calls) ASSERT_EQ(each, 1) << threads;
  }
  parallel_for(0, 4, [](size_t) { FAIL(); });
}

TEST(Parallel, LoopsMayNest) {
  std::vector<u64> sums(8);
  parallel_for(sums.size(), 3, [&](size_t k) {
    std::vector<u64> parts(50);
    parallel_for(parts.size(), 2, [&](size_t j) { parts[j] = k * j; });
    for (const u64 part : parts) sums[k] += part;
  });
  for (u64 k = 0; k < sums.size(); ++k) EXPECT_EQ(sums[k], k * 49 * 50 / 2);
}

TEST(Parallel, HostHasAThread) { EXPECT_GE(host_threads(), 1u); }

}  // namespace
}  // namespace simfarm
