// Where two ways to run a case part: the first cycle, PE, pc and what happens there. Never what
// follows from it.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "memory/program.h"
#include "regress/check.h"

namespace simfarm::regress {

/// What one side reports of a run that is cut off at that cycle.
using Measure = std::function<Result<Golden>(Cycle)>;

/// This program, in one way.
Measure measure_here(const GoldenCase& one, const Variant& variant);
/// Another simfarm program, by its `regress measure`. `folder`: for its files.
Measure measure_by(const std::string& program, const GoldenCase& one, const std::string& folder);

/// The same but for outputs by name, which a case that is given to another program has not; they
/// are in the memories.
bool same_but_outputs(const Golden& a, const Golden& b);

/// Where a case's symbols and source lines come from, which it has not itself: an image with the
/// same code. Null: from nowhere.
using Symbols = std::shared_ptr<const Image>;
/// Whether it has the code of one of the case's images.
bool has_code_of(const GoldenCase& one, const Image& image);

struct Parting {
  Cycle cycle = 0;                               ///< runs that are cut off before it are the same
  std::vector<profile::Difference> differences;  ///< of runs cut off behind it
  std::optional<PeId> pe;                        ///< the first that differs
  std::vector<std::string> trace;                ///< of this program, around it
};

/// None: they are the same, or differ in nothing but their end. `last`: where they are known to
/// differ.
Result<std::optional<Parting>> find_parting(const GoldenCase& one, const Measure& before,
                                            const Measure& now, Cycle last,
                                            const Symbols& symbols = nullptr);

/// For people: the interval, and what this program does in it.
std::string print(const Interval& interval, const GoldenCase& one,
                  const Symbols& symbols = nullptr);
/// For people.
std::string print(const Parting& parting, const GoldenCase& one);

}  // namespace simfarm::regress
