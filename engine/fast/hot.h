// Generated code for hot nodes (engine/fast/jit): when it is made, and how execution comes to it.
#pragma once
#include <memory>
#include <vector>

#include "engine/fast/interpreter.h"
#include "engine/fast/jit/backend.h"
#include "engine/simulation.h"

namespace simfarm::fast {

/// Generated code of one entry for the PEs of a tile in lockstep.
struct GangCode {
  jit::Rows uniform = 0;  ///< must be equal in all lanes
  std::unique_ptr<jit::Region> region;
};

/// What is known of a node that execution is often found in.
struct Hot {
  u64 samples = 0;
  std::unique_ptr<jit::Region> scalar;
  std::vector<GangCode> gangs;
  bool gate = false;               ///< lanes of a tile wait for each other here, to go on together
  std::vector<bool> seen;          ///< by tile: all of its lanes have waited here
  u32 arrivals = 0;                ///< of gangs whose code ended here
  u32 disappointed = 0;            ///< gangs that came to nothing
  MicroOp enter;                   ///< runs `scalar`
  MicroOp wait;                    ///< the gate
  const MicroOp* inner = nullptr;  ///< behind the gate
};

/// Instructions of each lane for which it is worth to wait for each other.
inline constexpr u64 gang_worth = 200;

class Hotness {
 public:
  /// `granule`: of the marks that accesses leave.
  Hotness(const Machine& machine, const HostOptions& options, u32 width, u32 granule);

  /// Nodes between two samples.
  u32 nodes_at_once() const { return nodes_at_once_; }
  /// Execution was found at `node`'s entry once more, where `instructions` have been executed since
  /// the last time, by a PE that has `counts`.
  void sample(Node& node, u64 instructions, const u64* counts);

  /// Code for a gang at `node` in which the rows of `uniform` are equal in all lanes; null: none.
  const jit::Region* gang(Node& node, jit::Rows uniform, const u64* counts, const u64* tile_counts);
  /// Lanes are to wait for each other at `node`.
  void make_gate(Node& node);
  /// All lanes of `tile` wait at `node`, as they have not done before.
  bool first_time(Node& node, u32 tile);
  /// A gang's code has led to `node`, where it has none.
  void gang_left(Node& node);
  /// A gang has gone on from the gate at `node` for `instructions` of each lane.
  void gang_went(Node& node, u64 instructions);

  const std::string& trouble() const { return trouble_; }

 private:
  bool generate();
  jit::Plan plan(Node& node, jit::Rows uniform, const jit::Config& config, const u64* counts,
                 const u64* tile_counts) const;
  void compile_scalar(Node& node, const u64* counts);

  jit::Config scalar_, gang_;
  u64 warm_up_;  ///< instructions
  u32 nodes_at_once_;
  u64 samples_to_compile_;
  bool gangs_;
  bool on_;
  u64 work_ = 0;  ///< instructions of one PE, or of a gang's lane, so far
  u32 regions_ = 0;
  std::vector<Node*> compiled_;  ///< that have code for one PE
  std::unique_ptr<jit::Backend> backend_;
  bool loaded_ = false;
  std::string trouble_;
};

}  // namespace simfarm::fast
