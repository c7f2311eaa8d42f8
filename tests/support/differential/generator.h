// Random cases for differential tests: a machine, programs for all its PEs, memories and options,
// out of one number. Most programs end by themselves; some trap, deadlock or race, and some are cut
// off by the cycle limit.
#pragma once
#include "profile/run_case.h"

namespace simfarm::test {

/// The same case for the same seed on every host.
profile::RunCase random_case(u64 seed);

/// Whose PEs do the same at the same time for long, so that they run as gangs.
profile::RunCase lockstep_case(u64 seed);

/// Whose transfers race with the PEs, or with each other, or nearly so; all PEs do the same.
profile::RunCase near_race_case(u64 seed);

}  // namespace simfarm::test
