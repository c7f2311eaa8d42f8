// The ways to run a case that must all give what the reference engine gives: engines, host threads,
// host instruction sets, generated code. One list for all tests of it.
#pragma once
#include <vector>

#include "profile/differences.h"

namespace simfarm::test {

inline profile::Side reference_side() { return profile::side_of(EngineKind::reference); }

/// The first is the one that users get: every case goes through it.
std::vector<profile::Side> variants();

/// Takes the end of every wait for what it is known to be then (HostOptions::trust).
profile::Side trusting_variant();

/// Those in which chance says who runs when, on one host thread and on several.
std::vector<profile::Side> shuffled_variants();

/// Those that take long, since they compile code from the start: for a part of the cases.
std::vector<profile::Side> slow_variants();

}  // namespace simfarm::test
