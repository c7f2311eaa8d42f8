// Runs something that may crash or hang, in a process of its own.
#pragma once
#include <atomic>
#include <functional>
#include <string>

#include "base/types.h"

namespace simfarm::test {

/// What became of it.
struct Child {
  int signal = 0;    ///< that ended it; 0: none did
  std::string text;  ///< that it returned
  u64 mark = 0;      ///< that it set last
};

/// Calls `work` and brings back its text. What it writes into the mark is known even when a signal
/// ends it; so it is after `seconds` without a change of the mark (SIGALRM), as in an endless loop.
Child in_child(const std::function<std::string(const std::function<void(u64)>& mark)>& work,
               u32 seconds);

}  // namespace simfarm::test
