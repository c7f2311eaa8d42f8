// One case on two sides, for tests: equal, or a small case in a file and what differs in it.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

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

/// One case on two sides.
struct Check {
  profile::Side a, b;
  profile::RunCase run_case;
};

/// Does all checks of the seeds in [first, end), in a process of its own, until one fails. A side
/// that crashes, or is at one case for longer than `seconds`, leaves a small case in a file as a
/// difference does.
std::optional<std::string> check_seeds(u64 first, u64 end,
                                       const std::function<std::vector<Check>(u64)>& checks_of,
                                       u32 seconds = 60);

}  // namespace simfarm::test
