// One attempt at a run, up to a given cycle.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "engine/fast/fabric.h"
#include "engine/fast/first_trap.h"
#include "engine/fast/graph.h"
#include "engine/fast/hot.h"
#include "engine/fast/interpreter.h"
#include "engine/fast/links.h"
#include "engine/fast/pe.h"
#include "engine/fast/stepper.h"
#include "engine/fast/storage.h"
#include "engine/simulation.h"
#include "engine/start.h"

namespace simfarm::fast {

class Run {
 public:
  /// `end`: no cycle from it on takes place. `input` and `options` outlive the run.
  Run(const RunInput& input, const RunOptions& options, Cycle end);

  /// Until nothing happens any more. When a trap has been found, what is left behind is not the
  /// state in its cycle: another run, up to it, has that.
  void go();

  const std::optional<Trap>& trap() const { return traps_.first(); }
  /// All of it but the trap: finished, deadlock, or the limit.
  Outcome outcome();

  /// What kept it from being as fast as it can; empty: nothing.
  const std::string& trouble() const { return hotness_.trouble(); }

  bool read(u32 address, std::span<u8> bytes) const { return shared_.read(address, bytes); }
  bool read_local(PeId pe, u32 address, std::span<u8> bytes) const;

 private:
  bool run_pes();
  bool can_go_on(Pe& pe);
  bool run(Pe& pe);
  std::span<Pe> lanes(u32 tile);
  bool run_tile(u32 tile);
  void pass_gates(u32 tile);
  bool level(std::span<Pe> lanes, Node& node);
  bool release_parked();
  bool run_gang(u32 tile, Node& node);
  void scatter(std::span<Pe> lanes, Node& node, u32 instructions);
  void step(Pe& pe);
  void meet(Pe& pe);
  void wait_at_link(Pe& pe);
  void go_on_at_link(Pe& pe);
  void meet_link(Pe& pe);
  void trap(Pe& pe, Cycle at, Fault fault);

  bool all_ended() const;
  Cycle first_standstill() const;
  PeReport report(Pe& pe, Cycle end);
  Deadlock explain(Cycle cycle) const;

  const RunInput& input_;
  const RunOptions& options_;
  Graph graph_;
  Stepper stepper_;
  Storage storage_;
  Hotness hotness_;
  Interpreter interpreter_;
  SharedMemories shared_;
  std::vector<Pe> pes_;
  FirstTrap traps_;
  Links links_;
  Fabric fabric_;
  /// By PE: its links, null where there is no neighbour.
  struct Ports {
    std::array<Link*, direction_count> out{};
    std::array<Link*, direction_count> in{};
  };
  std::vector<Ports> ports_;
};

}  // namespace simfarm::fast
