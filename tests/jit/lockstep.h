// The reference for generated code: nodes executed by the reference engine's instructions, lane by
// lane, on the same storage.
#pragma once
#include <optional>
#include <vector>

#include "engine/fast/graph.h"
#include "engine/fast/jit/plan.h"

namespace simfarm::test {

/// Rows and memory of as many PEs as lie side by side, of which `lanes` run.
struct Tile {
  static constexpr u32 base = 0x1000'0000;
  static constexpr u32 bytes = 1 << 14;

  u32 stride = 16;
  u32 first = 0;  ///< of the lanes that run
  u32 lanes = 16;
  u32 code_bytes = 0;  ///< from base on: nothing is stored there
  std::vector<u32> x, memory;
  std::vector<u64> counts;
  Cycle clock = 0, stop = never;
  u64 retired = 0;

  Tile(u32 its_stride, u32 its_first, u32 its_lanes);

  u32& row(u32 number, u32 lane) { return x[number * stride + first + lane]; }
  u8 byte(u32 offset, u32 lane) const {
    return static_cast<u8>(word(offset, lane) >> offset % 4 * 8);
  }
  void set_byte(u32 offset, u32 lane, u8 value);

  /// Makes `rows` equal in all lanes.
  void unite(fast::jit::Rows rows);

  fast::Frame frame();
  /// What generated code left in `frame`.
  void take(const fast::Frame& frame);

  friend bool operator==(const Tile&, const Tile&) = default;

 private:
  u32 word(u32 offset, u32 lane) const { return memory[offset / 4 * stride + first + lane]; }
};

/// Runs a tile through a graph.
class Lockstep {
 public:
  Lockstep(fast::Graph& graph, fast::Node& node, Tile& tile)
      : graph_(graph), node_(&node), tile_(tile) {}

  fast::Node& node() const { return *node_; }
  fast::Exit* last_exit() const { return last_; }

  /// Instructions [from, to) of the node; false when one traps in some lane or is not naturally
  /// aligned, which generated code leaves to the engine.
  bool run(u32 from, u32 to);
  /// The exit that the lanes took; null when they disagree. After run() of the whole node.
  fast::Exit* exit();
  /// The whole node, and to the next one. Null: not in lockstep.
  fast::Exit* step();

 private:
  bool execute(u32 instruction, u32 lane);

  fast::Graph& graph_;
  fast::Node* node_;
  Tile& tile_;
  fast::Exit* last_ = nullptr;
  /// Of the last instruction, by lane.
  std::vector<u32> next_pc_ = std::vector<u32>(16), divisor_ = std::vector<u32>(16);
  std::vector<bool> taken_ = std::vector<bool>(16);
};

}  // namespace simfarm::test
