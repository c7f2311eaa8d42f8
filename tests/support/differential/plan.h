// What a generated program as a whole is like, and the parts that build one: inside the generator.
#pragma once
#include "tests/support/differential/image_maker.h"

namespace simfarm::test {

struct Plan {
  Machine machine;
  Style style;
  u32 spoil = 0;      ///< one in so many synchronising instructions is left out; 0: none
  u32 traps = 0;      ///< one in so many steps ends in a trap; 0: none
  bool tidy = false;  ///< transfers touch nothing that anything else touches
  bool endless = false;
};

/// One image on all PEs: they stay together, diverge by their data, and meet again.
Program make_spmd(const Plan& plan, Random& random);
/// One image a band of rows.
Program make_bands(const Plan& plan, Random& random);
/// An image of its own on every PE; what they tell each other matches up.
Program make_individual(const Plan& plan, Random& random);
/// A semaphore runs over.
Program make_overflow(const Plan& plan, Random& random);

}  // namespace simfarm::test
