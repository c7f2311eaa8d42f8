// HDF5's chunk filters undone by hand: deflate, shuffle, fletcher32. HDF5 1.10's own pipeline
// trusts a damaged file's sizes and reads outside its buffers (found by mutation), so it never sees
// the data.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "base/types.h"

namespace simfarm::farm {

enum class ChunkFilter : u8 { deflate, shuffle, fletcher32 };

/// The bytes of a stored chunk. `filters` in the order in which they were applied; bit k of
/// `skipped`: filter k was not. None: damaged, or not exactly `chunk_bytes` long.
std::optional<std::vector<u8>> decode_chunk(std::span<const u8> stored,
                                            std::span<const ChunkFilter> filters, u32 skipped,
                                            u64 chunk_bytes, u32 element_bytes);

/// Fletcher's checksum over 16-bit big-endian words, as HDF5 stores it; an odd last byte is a
/// word's upper half.
u32 fletcher32(std::span<const u8> bytes);

}  // namespace simfarm::farm
