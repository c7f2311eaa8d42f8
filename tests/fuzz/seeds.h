// Small valid inputs of each target, made in memory.
#pragma once
#include <vector>

#include "base/types.h"

namespace simfarm::fuzz {

using Inputs = std::vector<std::vector<u8>>;

Inputs elf_seeds();
Inputs line_seeds();
Inputs machine_seeds();
Inputs descriptor_seeds();

}  // namespace simfarm::fuzz
