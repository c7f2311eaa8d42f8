// Energy of a case: an activity table times what was counted. docs/energy.md says where each price
// comes from.
#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "farm/judge.h"

namespace simfarm::farm {

/// Prices in femtojoules. A table that was released never changes: results of a task that names it
/// stay comparable. Another one has another version.
struct EnergyTable {
  u32 version = 0;
  std::array<u64, issue_class_count> issue{};  ///< of an instruction, by class
  u64 local_byte = 0;                          ///< read or written in a local memory by DMA or boot
  u64 ocm_byte = 0;                            ///< the same in OCM
  u64 dram_byte = 0;                           ///< and in DRAM
  u64 pe_cycle = 0;                            ///< of every PE, whatever it does
};

/// All tables, by version from 1 on.
const std::vector<EnergyTable>& energy_tables();

__extension__ typedef unsigned __int128 Femtojoules;

/// Where a case's energy goes.
struct Energy {
  Femtojoules instructions = 0;
  Femtojoules local = 0;  ///< bytes that DMA moved, by memory
  Femtojoules ocm = 0;
  Femtojoules dram = 0;
  Femtojoules cycles = 0;  ///< of all PEs, boot included
  Femtojoules boot = 0;    ///< segments and arguments: once out of DRAM, into each local memory
  Femtojoules total() const { return instructions + local + ocm + dram + cycles + boot; }
};

/// Of a case on a machine of `pes` PEs.
Energy energy_of(const EnergyTable& table, const CaseScore& one, u64 pes);

/// Rounded up.
u64 picojoules(Femtojoules energy);

}  // namespace simfarm::farm
