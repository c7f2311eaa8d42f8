// Makes a failing case small: fewer cycles, PEs, instructions and bytes, a plainer machine.
#pragma once
#include <functional>

#include "profile/run_case.h"

namespace simfarm::test {

/// `fails` says whether a case still shows what it is kept for; `run_case` does. It is asked at
/// most `tries` times.
profile::RunCase minimise(profile::RunCase run_case,
                          const std::function<bool(const profile::RunCase&)>& fails,
                          u32 tries = 2000);

}  // namespace simfarm::test
