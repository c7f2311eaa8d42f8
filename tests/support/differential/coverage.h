// What a set of cases has reached, counted: rows, outcomes, traps, bins.
#pragma once
#include <map>
#include <string>

#include "profile/differences.h"

namespace simfarm::test {

class Coverage {
 public:
  /// Runs the case on the reference engine and counts.
  void add(const profile::RunCase& run_case);

  /// Executions of each row, in order of Op; compressed rows by themselves.
  std::array<u64, op_count> rows{};
  std::map<Outcome::Kind, u64> outcomes;
  std::map<TrapKind, u64> traps;
  std::array<u64, stall_count> stalls{};  ///< cycles
  std::array<u64, dma_bin_count> engine_cycles{};
  std::array<u64, issue_class_count> issued{};
  u64 cases = 0, instructions = 0, pe_cycles = 0, refused = 0;
  u64 gangs = 0;  ///< cases of 16 PEs and more
  u64 finished_gangs = 0;
  u64 with_dma = 0;

  /// All of it as tables.
  std::string print() const;
};

}  // namespace simfarm::test
