// Generated code for regions of the node graph: what the engine sees of it. A region is a set of
// nodes, compiled to one function of the host; it runs until a way leads out of it
// or until something happens that only the engine can decide.
#pragma once
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "engine/fast/node.h"
#include "pe/bodies/host_isa.h"

namespace simfarm::fast::jit {

/// A set of register rows (node.h); bit r is row r.
using Rows = u64;
static_assert(register_rows <= 64);

/// What a region's code is made for.
struct Config {
  u32 width = 16;   ///< PEs that run in lockstep: 1, or 16 (a gang)
  u32 stride = 16;  ///< words between the words of one PE: Frame's width, 1 or 16; a gang's is 16
  u32 local_base = 0;   ///< address of the PEs' local memory, a multiple of 8
  u32 local_bytes = 0;  ///< a multiple of 8
  u32 code_base = 0;    ///< stores into [code_base, code_base + code_bytes) are left to the engine
  u32 code_bytes = 0;
  u32 pes = 1;      ///< of the machine: gp.posts to others are left to the engine
  u32 granule = 0;  ///< of the marks that loads and stores leave (engine/fast/marks.h); 0: none
  /// Of the PEs' links: words, cycles.
  u32 link_depth = 4, link_latency = 2, link_credit_latency = 2;
  bodies::HostIsa isa = bodies::HostIsa::baseline;
  u32 most_nodes = 64;
  u32 most_instructions = 600;
  u64 least_heat = 2;  ///< of an exit that is followed into the region
  u64 coldest = 256;   ///< nor one that is taken so much more rarely than the hottest
  /// Loads, by image and pc, of which lanes have been seen to get different words.
  std::set<std::pair<u32, u32>> differing;
};

/// How a region was left. The frame is complete then: rows, memory, counts, clock, retired.
struct Leaf {
  enum class Why : u8 {
    exit,     ///< by `exit`, which has been counted; where it leads may not be known yet
    stopped,  ///< before instruction `instruction` of `node`, which exists: as many of its
              ///< instructions are done, and the node is not counted
    budget,   ///< before `node`: it might have ended after Frame::stop
    link,     ///< before `node`, whose link is not ready, or too late
  };
  Why why{};
  u32 instruction = 0;
  Node* node = nullptr;
  Exit* exit = nullptr;
  bool disagreed = false;  ///< a gang's lanes have not loaded the same, as Access::expected says
  bool sends = false;      ///< of a link: its node's instruction, and Node::hazard
  u8 direction = 0;
  u32 hazard = 0;
};

/// A compiled region. Its code goes away with it.
class Region {
 public:
  virtual ~Region() = default;
  /// Runs from entries()[frame.entry] on; returns an index into leaves(). Rows that were given as
  /// uniform must be equal in all lanes of the frame.
  u32 run(Frame& frame) const { return function_(&frame); }
  std::span<const Leaf> leaves() const { return leaves_; }
  /// The node that the region was made for, then others where it can begin as well.
  std::span<Node* const> entries() const { return entries_; }

 protected:
  u32 (*function_)(Frame*) = nullptr;
  std::vector<Leaf> leaves_;
  std::vector<Node*> entries_;
};

}  // namespace simfarm::fast::jit
