// A test's program on every engine: what the tests check of the reference then holds for the
// others.
#pragma once
#include "profile/differences.h"

namespace simfarm::test {

/// Which programs the fast engine may take for ones that race, so that the reference engine runs
/// them again.
enum class Suspicion : u8 { any, traps_only };

/// Runs `input` on the reference engine, which `options.observer` watches, and returns that run.
/// The fast engine runs it too, as it comes, with generated code from the start and on two threads
/// by chance; whatever differs is a failure of the test. With race checks asked for, the engines
/// are compared without them as well. With SIMFARM_SAVE_CASES=FOLDER in the environment the case is
/// written there too, named by its test, for `simfarm regress record` (docs/regress.md).
profile::Ran run_on_all(const RunInput& input, const RunOptions& options,
                        Suspicion suspicion = Suspicion::any);

}  // namespace simfarm::test
