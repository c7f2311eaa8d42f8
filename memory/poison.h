// What uninitialised storage holds in a poisoned run: a function of seed and place alone, so that
// neither the order in which memory is touched nor the host can change it. Two runs with different
// seeds that differ in output have read something that nobody wrote.
#pragma once
#include <span>

#include "base/types.h"

namespace simfarm {

/// A seed for one of several storages: each PE's local memory and registers, OCM, DRAM.
u64 poison_seed(u64 run_seed, u64 storage);

/// The 8 bytes of aligned 8-byte unit `index`.
u64 poison_word(u64 seed, u64 index);

/// Fills `bytes`, which begin at `address`; unaligned ends agree with their neighbours.
void poison(u64 seed, u64 address, std::span<u8> bytes);

}  // namespace simfarm
