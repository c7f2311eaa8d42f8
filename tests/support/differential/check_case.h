// One case on two sides, for tests: equal, or a small case in a file and what differs in it.
#pragma once
#include <optional>
#include <string>

#include "profile/differences.h"

namespace simfarm::test {

bool differs(const profile::Side& a, const profile::Side& b, const profile::RunCase& run_case);

/// The first difference without its numbers: what makes two failures look like one. Empty: equal.
std::string kind_of_difference(const profile::Side& a, const profile::Side& b,
                               const profile::RunCase& run_case);

/// Runs the case on both. Where they differ, the case is made small and written to a file; what
/// comes back says where it is, how to run it again, and what differs.
std::optional<std::string> check_case(const profile::Side& a, const profile::Side& b,
                                      const profile::RunCase& run_case);

}  // namespace simfarm::test
