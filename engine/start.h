// Before cycle 0, the same for every engine: checks that machine, program and memory fit together,
// and says what lies where.
#pragma once
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "engine/simulation.h"
#include "memory/sparse_memory.h"

namespace simfarm {

/// Checks everything about `input` that could keep it from running. Errors name the machine's key,
/// or the image's file and segment. What follows is only for input that it accepts.
Result<void> check_input(const RunInput& input);

/// The image of every PE, by PE.
std::vector<u32> place_images(const RunInput& input);

/// All of `pe`'s local memory; `image` is its own.
std::vector<u8> local_memory_at_start(const RunInput& input, PeId pe, const Image& image);

/// OCM and DRAM.
struct SharedMemories {
  /// Nothing in them is initialised.
  SharedMemories(const Machine& machine, std::optional<u64> poison);
  /// The program's segments and the run's initial memory.
  void load(const RunInput& input);
  /// The one that holds all of the range; null: none does.
  SparseMemory* find(u32 address, u64 bytes);
  /// False when the range is not all inside one of them.
  bool read(u32 address, std::span<u8> bytes) const;
  /// True when nothing wrote there; false when no memory holds all of the range as well.
  bool untouched(u32 address, u64 length) const;

  SparseMemory ocm;
  SparseMemory dram;
};

/// The registers of a PE before cycle 0.
struct StartRegisters {
  std::array<u32, 32> x{};
  u64 operand = 0;  ///< Xgp's operand buffer
  u32 pc = 0;
};
StartRegisters registers_at_start(const RunInput& input, PeId pe, const Image& image);

}  // namespace simfarm
