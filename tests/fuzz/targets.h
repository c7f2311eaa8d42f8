// The readers of hostile bytes, each behind one call for fuzzers: the mutation tests of every run,
// and libFuzzer (README.md). A call ends the process when the reader breaks a promise.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace simfarm::fuzz {

struct Target {
  std::string_view name;
  /// Reads `bytes`; true when they were accepted.
  bool (*run)(std::span<const u8> bytes);
  /// Small valid inputs to start from.
  std::vector<std::vector<u8>> (*seeds)();
};

/// elf: a whole file. lines: the bytes of .debug_line and of both string sections. machine: a
/// machine file. descriptor: local memory, the descriptor at its beginning.
std::span<const Target> targets();

}  // namespace simfarm::fuzz
