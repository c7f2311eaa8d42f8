// Before cycle 0: checks that machine, program and memory fit together, and lays them out.
#pragma once
#include <memory>
#include <vector>

#include "base/result.h"
#include "engine/reference/execute.h"
#include "engine/reference/world.h"
#include "engine/simulation.h"

namespace simfarm::reference {

/// Checks everything about `input` that could keep it from running. Errors name the machine's key,
/// or the image's file and segment.
Result<void> check_input(const RunInput& input);

/// The image of every PE, by PE. Only for input that check_input accepts.
std::vector<u32> place_images(const RunInput& input);

/// Fills every memory of `world` as it is before cycle 0.
void load_memories(const RunInput& input, const std::vector<u32>& image_of, World& world);

/// The registers of `pe` before cycle 0.
Hart start_registers(const RunInput& input, PeId pe, const Image& image);

}  // namespace simfarm::reference
