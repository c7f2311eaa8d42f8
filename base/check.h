// Invariants of our own code. A failed check is a bug in simfarm, never a property of its input.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <source_location>

namespace simfarm {

[[noreturn]] inline void check_failed(const char* what, std::source_location where) {
  std::fprintf(stderr, "simfarm: internal error at %s:%u: %s\n", where.file_name(),
               static_cast<unsigned>(where.line()), what);
  std::abort();
}

/// Ends the process with a report when `holds` is false. Stays on in release builds: a wrong cycle
/// count is worse than a stop.
inline void check(bool holds, const char* what,
                  std::source_location where = std::source_location::current()) {
  if (!holds) [[unlikely]]
    check_failed(what, where);
}

}  // namespace simfarm
