// Memory after a run against what it must be: every tensor, every guard band, byte by byte.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/simulation.h"
#include "farm/case.h"

namespace simfarm::farm {

/// The bytes of a case's arenas after a run, in the order of Layout::arenas.
using Memory = std::vector<std::vector<u8>>;
Memory read_arenas(const Layout& layout, const Simulation& simulation);

/// The bytes of one tensor in it.
std::span<const u8> tensor_bytes(const Layout& layout, const Memory& memory, size_t tensor);

/// The element that holds byte `offset`: "c[3, 17] (int32, byte 836 of 4096)".
std::string element_place(const PlacedTensor& tensor, u64 offset);

/// Why a run's memory is not what the case wants: the first output that differs (element, index,
/// expected, got, the bytes around it), an input that was changed, a guard band that was written.
/// None: all is right. `seed` is the run's poison.
std::optional<std::string> find_difference(const Case& one, const Memory& memory, u64 seed);

/// The first output byte that the kernel wrote in both runs, differently; none: there is none.
/// Bytes that still hold their run's poison were not written.
std::optional<std::string> find_disagreement(const Case& one, const Memory& first, u64 first_seed,
                                             const Memory& second, u64 second_seed);

}  // namespace simfarm::farm
