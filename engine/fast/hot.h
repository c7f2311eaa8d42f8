// Generated code for hot nodes (engine/fast/jit): when it is made, and how execution comes to it.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "engine/fast/interpreter.h"
#include "engine/fast/jit/backend.h"
#include "engine/fast/storage.h"
#include "engine/simulation.h"

namespace simfarm::fast {

/// Generated code of one entry for the PEs of a tile in lockstep.
struct GangCode {
  jit::Rows uniform = 0;  ///< must be equal in all lanes
  std::unique_ptr<jit::Region> region;
  u64 instructions = 0;  ///< of a lane
  u32 disagreed = 0;     ///< Leaf::disagreed
};

/// What is known of a node that execution is often found in.
struct Hot {
  u64 samples = 0;
  std::unique_ptr<jit::Region> scalar;
  std::vector<const Node*> covered;  ///< by `scalar`
  u64 left = 0;                      ///< how often `scalar` was left for what could be in it
  u64 most_left = 0;
  std::vector<GangCode> gangs;
  u32 meetings = 0;                 ///< of all lanes of a tile at the gate, while it has no code
  jit::Rows equal = ~jit::Rows{0};  ///< in all lanes at all of them
  bool gate = false;                ///< lanes of a tile wait for each other here, to go on together
  std::vector<bool> seen;           ///< by tile: all of its lanes have waited here
  u32 arrivals = 0;                 ///< of gangs whose code ended here
  u32 disappointed = 0;             ///< gangs that came to nothing
  const jit::Region* code = nullptr;  ///< of one PE, that has an entry here, if any
  MicroOp enter;                      ///< runs `code`, which is enter.node's, from entry enter.imm
  MicroOp wait;                       ///< the gate
  const MicroOp* inner = nullptr;     ///< behind the gate
};

/// Instructions of each lane for which it is worth to wait for each other.
inline constexpr u64 gang_worth = 100;
/// What an instruction costs between two waits at links, where they are few, against one elsewhere.
inline constexpr u64 link_slowness = 3;

class Hotness {
 public:
  /// `granule`: of the marks that accesses leave.
  /// Of the PEs of one worker, who have `tiles` full tiles.
  Hotness(const Machine& machine, const HostOptions& options, u32 width, u32 granule, u32 tiles);

  /// Nodes between two samples.
  u32 nodes_at_once() const { return nodes_at_once_; }
  /// Execution was found at `node`'s entry once more, where `instructions` have been executed since
  /// the last time, by a PE that has `counts`.
  void sample(Node& node, u64 instructions, const u64* counts);

  /// The same at a link that blocks.
  void sample_at_link(Node& node, u64 instructions, const u64* counts) {
    sample(node, instructions * link_slowness, counts);
  }
  /// What generated code has done that goes from link to link.
  void work_at_links(u64 instructions) { work_ += instructions * link_slowness; }
  /// The code for one PE that begins at `node` is left too often for what could be in it.
  void grow(Node& node, const u64* counts);
  /// `code` was left for `to`: the same, if it is that often.
  void left_code(const jit::Region& code, const Node& to, const u64* counts);

  /// Code for a gang at `node` in which the rows of `uniform` are equal in all lanes; null: none.
  GangCode* gang(Node& node, jit::Rows uniform, const u64* counts, const u64* tile_counts);
  /// Lanes are to wait for each other at `node`.
  void make_gate(Node& node);
  /// All lanes of `tile` wait at `node`. False: they had better go on alone, since it is not known
  /// yet that they would go on together far enough to be worth code for a gang.
  bool go_together(Node& node, u32 tile, std::span<const Pe> lanes, jit::Rows equal);
  /// Lanes of `tile` wait at different gates.
  void parted(u32 tile);
  /// All lanes of `tile` wait at `node`, as they have not done before.
  bool first_time(Node& node, u32 tile);
  /// A gang's code has led to `node`, where it has none.
  void gang_left(Node& node);
  /// A gang has gone on from the gate at `node` for `instructions` of each lane.
  void gang_went(Node& node, u64 instructions);
  void gang_went(Node& node, GangCode& code, u64 instructions) {
    code.instructions += instructions;
    gang_went(node, instructions);
  }
  /// What ended it is that the lanes did not load the same: `code` may be given up for that.
  void gang_disagreed(Node& node, GangCode& code, const jit::Leaf& leaf);

  const std::string& trouble() const { return trouble_; }

 private:
  /// How the lanes of a tile go on, each alone, from the gate where all of them were last.
  struct Probe {
    Node* from = nullptr;
    std::array<u64, tile_lanes> retired{};
    u64 together = 0;  ///< instructions of each, on what is likely the same way
  };

  bool generate();
  jit::Plan plan(Node& node, jit::Rows uniform, const jit::Config& config, const u64* counts,
                 const u64* tile_counts) const;
  void make_scalar(Node& node, const u64* counts);
  /// Execution goes through `node`'s code for one PE from its entries on, or no more.
  void open(Node& node);
  void close(Node& node);
  bool compile_scalar(Node& node, const u64* counts);
  /// Gives up code for one PE that goes through `node`.
  void uncover(const Node& node);

  jit::Config scalar_, gang_;
  u64 warm_up_;  ///< instructions
  u32 nodes_at_once_;
  u64 samples_to_compile_;
  u64 left_to_grow_;
  u32 tiles_;
  bool gangs_;
  bool on_;
  u64 work_ = 0;  ///< instructions of one PE, or of a gang's lane, so far
  u32 regions_ = 0;
  std::vector<Node*> compiled_;                         ///< that have code for one PE
  std::vector<std::unique_ptr<jit::Region>> given_up_;  ///< in which a PE may still wait
  std::vector<Probe> probes_;                           ///< by tile
  std::unique_ptr<jit::Backend> backend_;
  bool loaded_ = false;
  std::string trouble_;
};

}  // namespace simfarm::fast
