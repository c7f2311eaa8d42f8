// Executes nodes of one PE: each instruction is a micro-operation with its operands' places worked
// out, which ends by calling the next one's handler; a node's last one counts the exit and goes on
// with the node that it leads to. Loads and stores are checked before they change anything, so that
// whatever needs more than a node knows (a trap, a second access, a link that blocks) is left,
// untouched, to the stepper.
#pragma once
#include <vector>

#include "engine/fast/graph.h"
#include "engine/fast/links.h"
#include "engine/fast/pe.h"
#include "engine/fast/posts.h"

namespace simfarm::fast {

/// Why the interpreter has stopped.
enum class Left : u8 {
  at_entry,     ///< of `node`: the stepper's, or too near to the stop
  unresolved,   ///< `exit` has been taken, and leads to where nobody has been yet
  inside,       ///< before instruction `index` of `node`
  indirect,     ///< `node` has done all but choose its exit, towards `target`
  division,     ///< the same, for the divisor `target`
  link_blocks,  ///< at the entry of `node`, whose link is full or empty
  at_gate,      ///< at the entry of `node`, where the lanes of a tile wait for each other
};

/// What handlers work on, beside the registers.
struct Running {
  u32* memory = nullptr;
  u64* counts = nullptr;
  Cycle clock = 0;
  Cycle stop = 0;
  u64 retired = 0;
  u32 local_base = 0;
  u32 local_bytes = 0;
  u32 log2_width = 0;  ///< of the words between two of a PE
  u32 code_base = 0;   ///< stores into [code_base, code_base + code_bytes) are the stepper's
  u32 code_bytes = 0;
  u32 fuel = 0;  ///< nodes to go; bounds the stack where calls are not made jumps
  u32 gates_to_pass = 0;
  Node* outgrown = nullptr;  ///< its generated code is left often for what could be in it
  Node* meet_at = nullptr;
  Link* const* out = nullptr;  ///< by direction, as is the next
  Link* const* in = nullptr;
  PostRoom<Post>* posts = nullptr;
  PeId pe = 0;
  u32 pes = 0;

  Left left{};
  Node* node = nullptr;
  Exit* exit = nullptr;
  u32 index = 0;
  u32 target = 0;
};

using Handler = void (*)(const MicroOp* op, u32* x, Running* running);

struct MicroOp {
  Handler run = nullptr;
  u32 imm = 0;
  u32 pc = 0;
  u16 rd = 0, rs1 = 0, rs2 = 0, rs3 = 0;  ///< words from x; a destination x0 is the discarded row
  u8 imm2 = 0;
  u8 length = 4;
  u16 index = 0;  ///< of the instruction in its node
  Node* node = nullptr;
};

struct MicroOps {
  std::vector<MicroOp> ops;
};

class Hotness;
namespace jit {
struct Leaf;
}

class Interpreter {
 public:
  /// `granule`: of the marks that loads and stores leave (engine/fast/marks.h).
  /// `posts`: of the worker, which outlives it.
  Interpreter(Graph& graph, const Machine& machine, u32 width, u32 granule, Hotness& hotness,
              Posts& posts);

  enum class Why : u8 {
    step,   ///< the stepper has to do the next instruction
    a_lot,  ///< it could go on, but has done a lot
    gate,   ///< it waits at one
    link,   ///< its node is a gp.send or gp.recv whose link is full or empty
  };
  /// Goes on with `pe` from its node's entry, which it need not know yet, until it needs the
  /// stepper, has gone on for about `at_once` cycles, or could pass cycle `stop`.
  Why run(Pe& pe, Cycle at_once, Cycle stop, const std::array<Link*, direction_count>& out,
          const std::array<Link*, direction_count>& in, u32 code_base, u32 code_bytes);

  /// Goes on where generated code for one PE was left, but at a link.
  void left_code(Pe& pe, const jit::Leaf& leaf);

  /// Where `exit` leads, ready to be run.
  Node& follow(Exit& exit);

 private:
  void translate(Node& node) const;
  Node& find(Pe& pe) const;
  void leave_inside(Pe& pe, Cycle& clock, u64& retired, const Node& node, u32 index) const;

  Graph& graph_;
  Region local_;
  u32 width_;
  u32 granule_;
  Hotness& hotness_;
  Posts& posts_;
  u32 pes_;
  // Of all its PEs, since where execution was found was last sampled.
  u32 fuel_ = 0;         ///< nodes until it is again; 0: the sample is taken
  u64 not_sampled_ = 0;  ///< instructions
};

}  // namespace simfarm::fast
