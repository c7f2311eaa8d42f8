// Which address belongs to what. A PE's loads and stores reach its own local memory alone; DMA
// descriptors name local memory, OCM and DRAM.
#pragma once
#include "base/types.h"

namespace simfarm {

/// A range of addresses, [base, base + bytes).
struct Region {
  u32 base = 0;
  u64 bytes = 0;
  /// True when all of [address, address + length) is inside.
  bool contains(u32 address, u64 length) const {
    return address >= base && length <= bytes && address - base <= bytes - length;
  }
};

/// The machine's address space, as every PE sees it. Page 0 belongs to nothing.
struct AddressMap {
  Region instructions{0x0040'0000, 64u << 10};
  Region local{0x1000'0000, 32u << 10};
  Region ocm{0x4000'0000, 4u << 20};
  Region dram{0x8000'0000, u64{1} << 30};
  /// The program image is mirrored into the data space (loads may read it; stores into executable
  /// pages trap): for third-party bare-metal programs.
  bool unified = false;

  enum class Space : u8 { none, instructions, local, ocm, dram };
  /// The space that holds all of [address, address + length), or none.
  Space find(u32 address, u64 length) const {
    if (local.contains(address, length)) return Space::local;
    if (ocm.contains(address, length)) return Space::ocm;
    if (dram.contains(address, length)) return Space::dram;
    if (instructions.contains(address, length)) return Space::instructions;
    return Space::none;
  }
};

}  // namespace simfarm
