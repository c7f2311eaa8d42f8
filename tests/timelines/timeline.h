// The table of timelines: small programs on small machines, with the cycle of everything that
// happens in them. Every expectation was worked out by hand from docs/machine.md; none was read off
// an engine, so that the table can judge one. docs/timelines.md shows the same table to readers.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/machine.h"
#include "engine/outcome.h"
#include "tests/timelines/transfer.h"

namespace simfarm::timelines {

/// Bytes in memory: local to a PE by offset, shared by address.
struct Bytes {
  u32 address = 0;
  std::vector<u8> bytes;
};

/// One PE: what it runs and when.
struct Pe {
  /// Instructions separated by ';', each 32 bits wide. "li rd, n" is one addi, "nop * 5" five of
  /// them; a lui names the page that a descriptor lies in.
  std::string program = "li a7, 93; ecall";
  std::string issues = "0-1";  ///< cycle of each instruction in order of issue: "0-4 31 32"
  std::string stalls;          ///< all bins that are not zero but `done`: "sem_wait_dma 27"
  u32 exit = 0;                ///< a0 at the ecall
  std::vector<Bytes> local;    ///< by offset in its local memory
};

/// One DMA engine's work. Engines that a timeline does not list are idle throughout.
struct Engine {
  PeId pe = 0;
  std::string transfers;  ///< start-completion of each, in order of start: "4-31 17-23"
  /// Every beat granted, "transfer.burst resource: cycles": "0.1 row bus 0: 22".
  std::vector<std::string> beats;
  std::string bins;  ///< all that are not zero: "idle 6, setup 4, transfer 23"
  u64 read = 0;      ///< bytes by read bursts
  u64 written = 0;   ///< bytes by write bursts
};

/// How the run ends.
struct End {
  Outcome::Kind kind = Outcome::Kind::finished;
  TrapKind trap{};
  PeId pe = 0;
};

/// One entry of the table.
struct Timeline {
  std::string name;
  std::string situation;   ///< one or two sentences for readers
  std::string arithmetic;  ///< the derivation
  Machine machine;
  std::vector<Pe> pes;  ///< by id; PEs beyond the list end at once
  std::vector<Bytes> shared;
  std::vector<Engine> engines;
  Cycle cycles = 0;
  End end;
  std::vector<Bytes> shared_after;
  std::vector<std::pair<PeId, Bytes>> local_after;  ///< DMA's view
  Cycle cycle_limit = 100'000;
};

/// A machine of that shape, every other figure as shipped.
inline Machine array(u32 rows, u32 columns) {
  Machine machine;
  machine.rows = rows;
  machine.columns = columns;
  return machine;
}

/// `count` bytes first, first + 1, ...
inline std::vector<u8> ramp(u32 count, u8 first = 1) {
  std::vector<u8> bytes(count);
  for (u32 i = 0; i < count; ++i) bytes[i] = static_cast<u8>(first + i);
  return bytes;
}

/// 32-bit words, little-endian.
std::vector<u8> words(const std::vector<u32>& values);

/// The program that most timelines of one transfer run: descriptor at local offset 0, queued at 3,
/// so that it starts at 4 and its first burst issues at 8; the wait is there from 4.
inline constexpr const char* queue_and_wait =
    "lui a2, 0x10000; li a1, 1; li a7, 93; gp.dma a2; gp.wait 0, a1; ecall";

/// A PE that runs it; semaphore 0 is released at `release`.
inline Pe queues_one(const Transfer& transfer, Cycle release, std::vector<Bytes> data = {}) {
  data.push_back({0, descriptor(transfer)});
  return {.program = queue_and_wait,
          .issues = "0-3 " + std::to_string(release) + "-" + std::to_string(release + 1),
          .stalls = "sem_wait_dma " + std::to_string(release - 4),
          .local = std::move(data)};
}

/// The table, a part a file.
using Table = std::vector<Timeline>;
Table core_timelines();
Table link_timelines();
Table semaphore_timelines();
Table barrier_timelines();
Table local_copy_timelines();
Table shape_timelines();
Table shared_copy_timelines();
Table engine_timelines();
Table contention_timelines();
Table multicast_timelines();
Table indexed_timelines();
Table visibility_timelines();
Table ending_timelines();
Table figure_timelines();

/// One part with its heading in docs/timelines.md.
struct Part {
  std::string heading;
  Table table;
};

/// All parts, in order.
std::vector<Part> parts();

}  // namespace simfarm::timelines
