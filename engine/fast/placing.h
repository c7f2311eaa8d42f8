// The placing of one transfer: its bursts in order of number.
//
// That is possible because the issue of a burst does not depend on bursts of larger numbers, but
// for one case. A read may hold bytes of writes on both sides of padding; a sourceless write
// between them may wait for the slot of that read, which is given back when the later ones are
// written. These depend on nothing but the read, and go their way while the sourceless one waits;
// so they are placed on trial, as if it never issued. Either they end before another slot is free:
// then it takes the slot of the read, and was not in their way. Or they do not: then it is issued
// before the read's slot is free, whatever becomes of them, and comes first.
#pragma once
#include <array>
#include <vector>

#include "base/types.h"
#include "engine/fast/bursts.h"
#include "engine/fast/busy_cycles.h"
#include "engine/fast/engine_track.h"
#include "engine/fast/multicast.h"
#include "engine/fast/plan.h"
#include "engine/fast/planted.h"
#include "engine/fast/reservations.h"

namespace simfarm::fast {

/// A read whose slot is not given back yet.
struct OpenRead {
  Cycle arrival = 0;
  Cycle written = 0;  ///< the end of the last write so far that depends on it
  u32 slot = 0;
};

/// Writes that depend on nothing but the read that the stream of bursts is in the middle of, with
/// sourceless writes between them.
struct WritesAhead {
  u32 read = ~u32{0};
  std::vector<WriteBurst> writes;
  std::size_t placed = 0;  ///< of `writes`, in order
  bool last = false;       ///< they are all that the read's slot waits for
};

/// Kept from transfer to transfer, for its allocations.
struct Reservations::Scratch {
  std::vector<OpenRead> reads;  ///< a ring of a power of two, in_flight at least
  std::array<Grants, 2> grants;
  Multicast multicast;
  WritesAhead ahead;
  Journal journal;
};

class Placing {
 public:
  Placing(Reservations& reservations, const Request& request, Cycle start, EngineTrack& engine);
  Placement run();

 private:
  /// A memory's side of a burst: a bank, the channel or a port.
  struct Memory {
    BusyCycles* resources = nullptr;  ///< by 64-byte block of the address
    u32 last_resource = 0;            ///< their number, a power of two, minus 1
    u32 log2_unit = 0;                ///< bytes of a beat
    u32 log2_times = 0;               ///< copy-add: each beat twice
    u32 latency = 0;
    BusyCycles& resource(const Burst& burst) const {
      const u32 own = burst.address / dma::burst_bytes & last_resource;
      return resources[planted(Planted::shared_banks) ? own & ~1u : own];
    }
    u32 beats(const Burst& burst) const {
      const u32 last = burst.address + burst.bytes - 1;
      return ((last >> log2_unit) - (burst.address >> log2_unit) + 1) << log2_times;
    }
  };

  /// What `memory`'s bytes are counted as.
  using Counted = EngineTrack::Counted;
  static Counted counted(AddressMap::Space space, Counted local);
  void add_totals();
  void place_index_reads();
  void place_bursts();
  void place_release(Placement& placement);
  void place_read(const Burst& burst);
  void place_write(const WriteBurst& write);
  void place_sourceless(const WriteBurst& write);
  void place_sourced(const WriteBurst& write);
  void look_ahead(u32 read);
  bool finish_ahead(Cycle by);
  void place_ahead();
  void end_write(const WriteBurst& write, Cycle end);
  // The burst's end, by the way that it goes.
  Cycle pass(const Memory& memory, const Burst& burst, Cycle issue, DmaBin wait);
  Cycle pass_out(const Memory& memory, const Burst& burst, Cycle issue);
  Cycle pass_in(const Memory& memory, const Burst& burst, Cycle issue);
  Cycle pass_both_ports(const Burst& burst, Cycle issue);
  Cycle write_once(const Burst& burst, Cycle issue);
  void charge(DmaBin wait, const Grants& grants, Cycle passed);
  Memory side(AddressMap::Space space, std::vector<BusyCycles>& ports, bool doubled) const;

  u32 first_free_slot() const;
  /// Gives the slot to the next burst in order.
  Cycle issue_in(u32 slot);
  void issued(Cycle cycle) { last_issue_ = std::max(last_issue_, cycle); }
  void ended(Cycle end) { latest_end_ = std::max(latest_end_, end); }
  OpenRead& open(u32 read) { return reads_[read & last_open_]; }

  Reservations& all_;
  const Request& request_;
  EngineTrack& engine_;
  OpenRead* reads_;  ///< a ring
  u32 last_open_;    ///< its size minus 1
  std::array<Grants, 2>& grants_;
  Multicast& multicast_;
  WritesAhead& ahead_;
  Journal& journal_;
  BurstStream bursts_;
  BusyCycles& bus_;
  u32 bus_latency_;
  Memory index_memory_;
  Memory source_;
  Memory destination_;
  u32 written_times_;  ///< how often each byte written counts
  Cycle setup_end_;

  Cycle slots_from_;  ///< no burst that takes a slot can be issued before it
  Cycle last_issue_;
  Cycle latest_end_;
  Counted as_read_;
  Counted as_written_;
  u64 index_bytes_ = 0;
  u64 bytes_read_ = 0;  ///< of the source
  u64 bytes_written_ = 0;
  u32 reads_placed_ = 0;
  u32 reads_done_ = 0;        ///< reads below it have given their slot back
  bool on_trial_ = false;     ///< what is placed may be given back
  bool out_of_turn_ = false;  ///< nor is it charged
  bool truncated_ = false;    ///< what is left would be issued at the limit or after it
};

}  // namespace simfarm::fast
