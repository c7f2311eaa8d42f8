// What a run reports: all of it integers of the simulated machine, the same on every host.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "engine/checkpoints.h"
#include "engine/profile.h"
#include "pe/stall.h"
#include "pe/trap.h"

namespace simfarm {

/// Where a DMA engine's cycles go: exclusive; they sum to the run's cycles. docs/machine.md says
/// how a cycle is charged.
enum class DmaBin : u8 {
  idle,
  acquire_wait,
  setup,
  transfer,
  source_wait,       ///< OCM bank, DRAM channel or local read port busy
  bus_wait,          ///< row bus busy
  destination_wait,  ///< OCM bank, DRAM channel or local write port busy
  in_flight_limit,
  count
};
inline constexpr u32 dma_bin_count = static_cast<u32>(DmaBin::count);
std::string_view name(DmaBin bin);

/// One DMA engine's work.
struct DmaReport {
  std::array<u64, dma_bin_count> cycles{};
  u64 descriptors = 0;    ///< transfers completed
  u64 bytes_read = 0;     ///< by read bursts, index lists included
  u64 bytes_written = 0;  ///< by write bursts; each receiver of a multicast counts
  u64 ocm_bytes = 0;      ///< of both, those read or written in OCM
  u64 dram_bytes = 0;     ///< and in DRAM; the rest is in local memories
};

/// One PE's work.
struct PeReport {
  Counters total;
  std::map<u8, Counters>
      regions;  ///< by profile region (csr 0x7C0); region 0 is where every PE starts
  std::optional<u32> exit_code;  ///< of ecall 93; none when it did not end
  Checkpoints checkpoints;       ///< RunOptions::checkpoints
  Profile profile;               ///< RunOptions::profile; else empty
};

/// A party that waits in a deadlock.
struct Waiting {
  enum class Who : u8 { pe, dma } who{};
  PeId pe = 0;
  u32 pc = 0;  ///< of the waiting instruction, or of the gp.dma that queued the transfer
  Cycle since = 0;
  std::string what;             ///< "gp.wait 9, 2: semaphore 9 holds 1"
  std::vector<PeId> waits_for;  ///< who could end it; empty: nobody can
};

struct Deadlock {
  Cycle cycle = 0;               ///< the first cycle in which nothing could move
  std::vector<Waiting> waiting;  ///< every PE and engine that is not finished, by (pe, who)
  std::vector<u32>
      blame;  ///< indices into `waiting`: a chain from the first to a cycle or a dead end
};

/// A line written by ecall 64, in order of (cycle, pe).
struct ConsoleWrite {
  Cycle cycle = 0;
  PeId pe = 0;
  std::string text;
};

struct Outcome {
  enum class Kind : u8 { finished, trap, deadlock, cycle_limit } kind{};
  Cycle cycles = 0;  ///< of the run; every PE's bins and every engine's bins sum to it
  std::vector<PeReport> pes;
  std::vector<DmaReport> dma;
  std::optional<Trap> trap;
  std::optional<Deadlock> deadlock;
  std::vector<ConsoleWrite> console;

  u64 instructions() const;
};
std::string_view name(Outcome::Kind kind);

}  // namespace simfarm
