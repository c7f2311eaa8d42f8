// Where a run's tensors lie: 64-byte aligned in DRAM or OCM, each between guard bands; and the
// argument block that tells the kernel so (docs/machine.md, "Start").
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/simulation.h"
#include "farm/tensor.h"
#include "memory/address_map.h"

namespace simfarm::farm {

enum class TensorKind : u8 { input, output, inout };
enum class Place : u8 { dram, ocm };

inline constexpr u32 tensor_alignment = 64;  ///< a burst, and the interleaving of OCM banks
inline constexpr u32 guard_bytes = 64;       ///< at least this much before and after each tensor

/// A tensor of a run; `address` is lay_out's.
struct PlacedTensor {
  std::string name;
  TensorKind kind = TensorKind::input;
  DType dtype = DType::int8;
  std::vector<u32> shape;
  Place place = Place::dram;
  u32 address = 0;
  u64 bytes = 0;
};

/// A stretch of memory that holds tensors and their guard bands, nothing else.
struct Arena {
  u32 address = 0;
  u64 bytes = 0;
};

struct Layout {
  std::vector<PlacedTensor> tensors;  ///< in the argument block's order
  std::vector<i32> params;
  std::vector<Arena> arenas;  ///< of DRAM, then OCM, where used
};

/// Gives each tensor its address: from the start of its region on, in order. Error: a region is
/// full, naming the tensor.
Result<Layout> lay_out(std::vector<PlacedTensor> tensors, std::vector<i32> params,
                       const AddressMap& map);

/// The argument block's bytes.
std::vector<u8> argument_block(const Layout& layout);

/// The byte that a seed puts at an address that a run must not rely on: guard bands, and outputs
/// before the kernel writes them.
u8 poison_byte(u64 seed, u32 address);

/// What lies in the arenas before cycle 0. `contents[k]` are tensor k's bytes, empty for outputs.
/// With a seed, guard bands and outputs are poisoned; without, only inputs are written.
std::vector<InitialMemory> initial_memory(const Layout& layout,
                                          std::span<const std::vector<u8>> contents,
                                          std::optional<u64> poison);

}  // namespace simfarm::farm
