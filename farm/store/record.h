// Results on their way into tables and back.
#pragma once
#include <string>

#include "base/result.h"
#include "farm/evaluate.h"

namespace simfarm::farm {

/// {"issued": {...}, "stalls": {...}}, every bin by its name.
std::string print_counters(const Counters& counters);
/// Error (io): not what print_counters writes.
Result<Counters> parse_counters(const std::string& text);

/// The same of a case, with all its figures that have no column.
std::string print_figures(const CaseScore& one);
/// Error (io): not what print_figures writes.
Result<void> parse_figures(const std::string& text, CaseScore& one);

/// SHA-256 over everything that a store keeps of a result: damage to any of it is found.
std::string record_digest(const Evaluation& evaluation);

}  // namespace simfarm::farm
