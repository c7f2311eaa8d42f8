// What one host thread of a run does: it runs the PEs of some of the tiles, and keeps what it has
// learned about their code. Several meet in links, which either side may run ahead of, and ask the
// fabric, which answers when none of them works.
#pragma once
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/fast/array_state.h"
#include "engine/fast/fabric.h"
#include "engine/fast/graph.h"
#include "engine/fast/hot.h"
#include "engine/fast/interpreter.h"
#include "engine/fast/stepper.h"

namespace simfarm::fast {

/// Chance with a seed: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
class Dice {
 public:
  explicit Dice(u64 seed) : state_(seed) {}
  u64 operator()() {
    u64 z = state_ += 0x9e37'79b9'7f4a'7c15;
    z = (z ^ (z >> 30)) * 0xbf58'476d'1ce4'e5b9;
    z = (z ^ (z >> 27)) * 0x94d0'49bb'1331'11eb;
    return z ^ (z >> 31);
  }

 private:
  u64 state_;
};

class Worker {
 public:
  /// `number`: which one of the run's it is. `granule`: of marks. All that is given outlives the
  /// worker; the fabric need not be there yet.
  Worker(const RunInput& input, const HostOptions& host, ArrayState& state, Fabric& fabric,
         std::vector<u32> tiles, u32 number, u32 granule);

  /// Runs every PE of its own until none can go on without the fabric, without a word or room of
  /// a link, or without those it waits for at a gate; or, where waits are trusted, they have done a
  /// lot. True: some did.
  bool run_pes();
  /// It came back for the fabric to look at what was trusted.
  bool cut_short() const { return cut_short_; }
  /// Instructions so far, of a gang those of one lane: about what they cost.
  u64 worked() const { return worked_; }
  /// Some of its PEs wait at links to those of others.
  bool waits_at_links();
  /// One of them can go on by now.
  bool can_go_on_at_links() const;
  /// Where order is left to chance: yes, one time in so many.
  bool by_chance(u32 one_in) { return shuffle_ && (*shuffle_)() % one_in == 0; }
  /// Its PEs that wait at gates go on without the others. True: there were some.
  bool release_parked();

  const Graph& graph() const { return graph_; }
  Stepper& stepper() { return stepper_; }
  /// What kept it from being as fast as it can; empty: nothing.
  const std::string& trouble() const { return hotness_.trouble(); }

 private:
  static bool can_go_on(const Pe& pe);
  bool run(Pe& pe);
  std::span<Pe> lanes(u32 tile);
  bool run_tile(u32 tile);
  void pass_gates(u32 tile);
  bool level(std::span<Pe> lanes, Node& node);
  bool run_gang(u32 tile, Node& node, jit::Rows equal);
  void take_posts(std::span<const Pe> lanes, Cycle before);
  void scatter(std::span<Pe> lanes, Node& node, u32 instructions);
  void step(Pe& pe);
  void meet(Pe& pe);
  void wait_at_link(Pe& pe, bool sends, u32 direction, u32 hazard);
  bool go_on_at_link(Pe& pe);
  void meet_link(Pe& pe);
  void trap(Pe& pe, Cycle at, Fault fault);
  /// How far a PE, or a gang, goes at most before it is another one's turn.
  Cycle cycles_at_once();

  const Machine& machine_;
  ArrayState& state_;
  Fabric& fabric_;
  std::vector<u32> tiles_;
  PeId first_, end_;            ///< its PEs are [first, end)
  std::vector<PeId> at_links_;  ///< of waits_at_links()
  Posts& posts_;
  GangPosts gang_posts_;
  Graph graph_;
  Stepper stepper_;
  Hotness hotness_;
  Interpreter interpreter_;
  u64 worked_ = 0;
  bool cut_short_ = false;
  /// Of who runs when, where it is to be shuffled.
  std::optional<Dice> shuffle_;
};

inline bool Worker::can_go_on(const Pe& pe) {
  switch (pe.block) {
    case Block::none:
      return !pe.parked;
    case Block::link_full:
      return pe.link->can_send();
    case Block::link_empty:
      return pe.link->can_receive();
    default:
      return false;
  }
}

}  // namespace simfarm::fast
