// The exit codes of `simfarm`: stable, documented in docs/cli.md.
#pragma once
#include <string>

#include "base/result.h"

namespace simfarm::cli {

enum Exit : int {
  exit_done = 0,
  exit_gate_failed = 1,  ///< a gate failed; for `run`: the program did not finish with exit codes 0
  exit_usage = 2,
  exit_golden = 3,   ///< golden missing, orphan or pending
  exit_nothing = 4,  ///< nothing selected
  exit_incomplete = 5,
  exit_nondeterminism = 6,
  exit_internal = 70,
  exit_io = 74,
  exit_temporary = 75,
  exit_configuration = 78,  ///< a file or the toolchain is wrong
  exit_interrupted = 130,
};

/// Prints "simfarm: <message>" on stderr and says which code that kind of error ends with.
int report(const Error& error);

/// Writes `text` on stdout; exit_io when that fails (a closed pipe, a full disk).
int print(const std::string& text);

}  // namespace simfarm::cli
