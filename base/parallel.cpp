#include "base/parallel.h"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

namespace simfarm {

u32 host_threads() { return static_cast<u32>(std::max(1, tbb::info::default_concurrency())); }

void parallel_for(size_t count, u32 threads, const std::function<void(size_t)>& body) {
  const size_t workers = std::min<size_t>(threads == 0 ? host_threads() : threads, count);
  if (workers <= 1) {
    for (size_t k = 0; k < count; ++k) body(k);
    return;
  }
  // More threads than the host has are what tests ask for, and people who know better; oneTBB would
  // warn and give fewer.
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, workers);
  std::atomic<size_t> next = 0;
  tbb::task_arena arena(static_cast<int>(workers));
  arena.execute([&] {
    tbb::parallel_for(
        size_t{0}, workers,
        [&](size_t) {
          for (size_t k = next++; k < count; k = next++) body(k);
        },
        tbb::simple_partitioner());
  });
}

}  // namespace simfarm
