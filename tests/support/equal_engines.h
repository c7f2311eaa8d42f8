// A test's program on every engine: what the tests check of the reference then holds for the
// others.
#pragma once
#include "profile/differences.h"

namespace simfarm::test {

/// Runs `input` on the reference engine, which `options.observer` watches, and returns that run.
/// The fast engine runs it too, as it comes and with generated code from the start; whatever
/// differs is a failure of the test. With race checks asked for, the engines are compared without
/// them as well.
profile::Ran run_on_all(const RunInput& input, const RunOptions& options);

}  // namespace simfarm::test
