// Machines for the program generator: any shape, any figure that a machine file can have, kept
// small.
#pragma once
#include "engine/machine.h"
#include "tests/support/random.h"

namespace simfarm::test {

Machine random_machine(Random& random, u32 rows, u32 columns);

}  // namespace simfarm::test
