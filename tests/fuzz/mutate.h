// Changes to valid inputs that tend to find a reader's mistakes.
#pragma once
#include <span>
#include <vector>

#include "tests/support/random.h"

namespace simfarm::fuzz {

/// One to six changes: bits, bytes, 16- and 32-bit fields set to what lies at the edges (0, 1, the
/// size, the sign), parts cut off, doubled, removed, or taken from another of the `inputs`.
std::vector<u8> mutate(test::Random& random, std::vector<u8> bytes,
                       std::span<const std::vector<u8>> inputs);

}  // namespace simfarm::fuzz
