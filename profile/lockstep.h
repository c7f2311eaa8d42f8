// Two engines on one case: equal, or where they part. The first cycle that differs is found by
// running both to ever closer cycle limits; what the first engine did there is told by its trace.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "profile/differences.h"

namespace simfarm::profile {

struct Lockstep {
  std::optional<Error> refused;         ///< neither side runs this input
  Outcome outcome;                      ///< of the first side
  std::vector<Difference> differences;  ///< of the whole runs; empty: equal

  /// Where they part. None when they differ in nothing but the end of the run.
  struct Parting {
    Cycle cycle = 0;                      ///< runs that stop before it are equal
    std::vector<Difference> differences;  ///< of runs that stop after it
    std::optional<PeId> pe;               ///< the first that differs
    std::vector<std::string> trace;       ///< of the first side, around the cycle
  };
  std::optional<Parting> parting;
};

Lockstep lockstep(const Side& a, const Side& b, RunCase run_case);

/// The report for people.
std::string print(const Lockstep& result, const Side& a, const Side& b, const RunCase& run_case);

}  // namespace simfarm::profile
