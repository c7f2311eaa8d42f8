// Work on several threads: the only includer of oneTBB. Which thread does what is not determined,
// so a body writes to its own index's place and the caller orders what comes out.
#pragma once
#include <cstddef>
#include <functional>

#include "base/types.h"

namespace simfarm {

/// The host's threads.
u32 host_threads();

/// Calls body(0), ..., body(count - 1), each once, on at most `threads` threads (0: the host's).
/// Indices are started in ascending order. Loops inside a body run on the same threads: give the
/// parallelism to one of them.
void parallel_for(size_t count, u32 threads, const std::function<void(size_t)>& body);

}  // namespace simfarm
