// One PE: what its core holds, how far it has come, and what it waits for. The stepper does one
// instruction at a time, anything and exactly; nodes (engine/fast/node.h) do most of the work.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "engine/fast/fault.h"
#include "engine/fast/local_store.h"
#include "engine/fast/loops.h"
#include "engine/fast/marks.h"
#include "engine/fast/node.h"
#include "engine/outcome.h"
#include "pe/csr.h"

namespace simfarm::fast {

namespace jit {
class Region;
}

/// What keeps a PE from going on.
enum class Block : u8 {
  none,
  link_full,   ///< until the receiver takes a word
  link_empty,  ///< until the sender sends one
  fabric,      ///< gp.wait, gp.bar, or a gp.dma whose queue may be full: until the fabric says so
  ended,
  waits_past_end,  ///< on a link, longer than the run
  stopped,         ///< the run ends before it could do anything more
};

struct Pe {
  // What every visit of a scheduler looks at lies side by side.
  Block block = Block::none;
  bool parked = false;  ///< it waits at a gate for the other lanes of its tile
  PeId id = 0;
  Link* link = nullptr;           ///< of link_full and link_empty
  Cycle since = 0;                ///< the cycle in which the waiting instruction would have issued
  const Operation* op = nullptr;  ///< which one that is
  /// At whose entry it stands. Null: `entry` says where it stands.
  Node* node = nullptr;
  /// What goes on from there when the link is ready, from frame.entry; null: the interpreter.
  const jit::Region* code = nullptr;
  Frame frame;

  u32 image = 0;
  u32 width = 1;           ///< words between its own
  u32 granule = no_marks;  ///< of the marks that its loads and stores leave
  LocalStore local;
  Entry entry;
  Node* stepped_from = nullptr;  ///< a `single` that the stepper has done since; null: unknown

  // Csrs; those that are not here are computed. Nothing ever enters a handler.
  u32 mstatus = mstatus_start;
  u32 mtvec = mtvec_start;
  u32 mcountinhibit = mcountinhibit_start;
  u32 mie = 0, mscratch = 0, mepc = 0, mcause = 0;
  u64 cycle_offset = 0;  ///< mcycle reads the machine's cycle plus this
  u64 retired_offset = 0;

  u32 gates_to_pass = 0;    ///< before it waits at one
  Node* meet_at = nullptr;  ///< it waits at that gate only

  Cycle ended_in = 0;
  u32 exit_code = 0;
  u32 ended_at = 0;       ///< the pc
  u32 chains_queued = 0;  ///< gp.dmas of which no transfer is known to have started

  Checkpoints checkpoints;
  ProfileTally profile;  ///< of what no exit counts

  std::map<u8, Counters> stepped;  ///< by region: what no exit counts
  Counters* counters = nullptr;    ///< of `counters_region`, there; null: not looked up yet
  u8 counters_region = 0;

  u32 x(u32 row) const { return frame.x[row * width]; }
  void set_x(u32 row, u32 value) {
    if (row != 0) frame.x[row * width] = value;
  }
  /// What is loaded, or stored, leaves its mark; the range lies in local memory.
  void mark_load(u32 address, u64 bytes) {
    if (granule != no_marks) mark(load_marks_at(local.region().bytes), address, bytes);
  }
  void mark_store(u32 address, u64 bytes) {
    if (granule != no_marks) mark(store_marks_at(local.region().bytes, granule), address, bytes);
  }
  void mark(u64 place, u32 address, u64 bytes) {
    if (bytes == 0) return;
    const u64 first = address - local.region().base, last = first + bytes - 1;
    for (u64 k = first / granule; k <= last / granule; ++k)
      frame.memory[(place + k) * width] = x(epoch_row);
  }
  /// What the stepper counts in that region.
  Counters& counters_in(u8 region) {
    if (counters == nullptr || counters_region != region) {
      counters = &stepped[region];
      counters_region = region;
    }
    return *counters;
  }
  u32 pc() const { return node != nullptr ? node->entry.pc : entry.pc; }
  Loops loops() const {
    Loops loops = loops_of(entry.loops);
    for (u32 k = 0; k < 2; ++k) loops[k].count = x(loop_count_0 + k);
    return loops;
  }
  void set_loops(const Loops& loops) {
    for (u32 k = 0; k < 2; ++k) frame.x[(loop_count_0 + k) * width] = loops[k].count;
    entry.loops = context_of(loops);
  }
};

}  // namespace simfarm::fast
