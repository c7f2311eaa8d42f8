// Two runs of the same case held against each other: everything that an Outcome reports and every
// byte of every memory. What differs is said in words.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profile/run_case.h"

namespace simfarm::profile {

/// A way to run a case: an engine, and how it is driven.
struct Side {
  std::string name;
  std::function<Result<std::unique_ptr<Simulation>>(RunInput, const RunOptions&)> make;
};

/// The engine as the command line knows it.
Side side_of(EngineKind kind);

/// A run that is over.
struct Ran {
  std::optional<Error> refused;  ///< the input cannot be run; nothing else is there then
  Outcome outcome;
  std::unique_ptr<Simulation> simulation;
};
Ran run(const Side& side, const RunCase& run_case);
Ran run(const Side& side, const RunInput& input, const RunOptions& options);

struct Difference {
  std::optional<PeId> pe;  ///< none: of the run as a whole, or of shared memory
  std::string text;        ///< "PE 3: stall load_use: 12, 13"
};

/// The first `limit` differences, none when the runs are equal: the end of the run, then PE by PE,
/// then console, then memories.
std::vector<Difference> differences(const Machine& machine, const Ran& a, const Ran& b,
                                    size_t limit = 20);

}  // namespace simfarm::profile
