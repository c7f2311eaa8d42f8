// The node graph. A node is a straight piece of code entered in one state of everything that
// decides its timing: the pipeline, the hardware loops, the profile region. So its cycles and
// stalls are known before it runs, and running it counts one of its exits: every counter that a run
// reports is a sum over exits of (times taken x what it costs).
#pragma once
#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "base/types.h"
#include "isa/operation.h"
#include "pe/stall.h"
#include "pe/timing.h"

namespace simfarm::fast {

/// The hardware loops as far as they decide control flow and timing: counts of 2 and more are
/// alike.
struct LoopContext {
  std::array<u32, 2> start{};
  std::array<u32, 2> end{};
  std::array<u8, 2> count{};  ///< 0, 1, or 2 for 2 and more
  friend bool operator==(const LoopContext&, const LoopContext&) = default;
};

/// What a node is entered with.
struct Entry {
  u32 pc = 0;
  u32 image = 0;
  LoopContext loops;
  u8 region = 0;
  timing::PipelineState pipeline;
  friend bool operator==(const Entry&, const Entry&) = default;
};

/// How a node ends, after the last instruction of its body.
enum class Ending : u8 {
  next,      ///< exits[0]
  branch,    ///< the last instruction is a branch. exits[0]: not taken, exits[1]: taken
  indirect,  ///< the last instruction is a jalr: the exit is looked up by its target
  loop,      ///< the last of hardware loop `loop`'s body, whose count goes down by one:
         ///< exits[0]: to 2 or more, back to its start; exits[1]: to 1, back; exits[2]: to 0, on
  set_loop,  ///< the last instruction sets hardware loop `loop`'s count, to imm or rs1: exits as
             ///< for `loop`, by the count that it sets
  link,  ///< one instruction: a gp.send or gp.recv, which issues `hazard` cycles after the entry
         ///< when it need not wait; cycles that it waits are counted by `wait_counter`
  division,  ///< the last instruction is a division: the exit is looked up by its cycles
  single,  ///< no body: the instruction at entry.pc is the stepper's (csr, set-up of a loop, fence,
           ///< synchronisation, exit, whatever traps)
};

struct Node;

/// One way out of a node. Everything of the node is counted by it.
struct Exit {
  Node* to = nullptr;  ///< null until it is taken for the first time
  u32 counter = 0;     ///< its index among all exits
  u32 cycles = 0;      ///< from the node's entry to the next one's
  u32 instructions = 0;
  u32 division_cycles = 0;  ///< of a division node: its last instruction's
  Entry leads_to;
};

struct MicroOp;
struct MicroOps;
struct Hot;
inline constexpr u32 lookup_targets = 8;     ///< by target / 2
inline constexpr u32 lookup_divisions = 64;  ///< by cycles

struct Node {
  Node();
  ~Node();

  Entry entry;
  std::vector<Operation> body;
  std::vector<u32> pcs;  ///< of the body
  Ending ending{};
  u8 loop = 0;
  u32 hazard = 0;
  u32 wait_counter = 0;
  u32 max_cycles = 0;  ///< at most, whatever the exit
  /// gp.posts in the body, and when they issue.
  struct PostAt {
    u32 instruction = 0;
    u32 cycles = 0;  ///< from the entry
  };
  std::vector<PostAt> posts;
  u32 issues_at(u32 instruction) const {
    for (const PostAt& post : posts)
      if (post.instruction == instruction) return post.cycles;
    return 0;
  }
  std::deque<Exit> exits;  ///< they stay where they are while more are found

  std::array<Exit*, 3> ways{};      ///< exits[0..2], as far as there are
  std::unique_ptr<Exit*[]> lookup;  ///< of `indirect` and `division`: those that were used last
  const MicroOp* start = nullptr;   ///< where the interpreter begins; null: not translated
  // Of a `single`, as the stepper has found them.
  Node* behind = nullptr;            ///< where execution went on the last time
  const Operation* meets = nullptr;  ///< it meets the rest of the machine, and breaks no rule
  timing::Before before;             ///< of that
  Node* passed = nullptr;   ///< what always follows: no hardware loop is under way; null: not known
  u64 told_right = 0;       ///< gp.waits here whose end was what was said of it first
  bool told_wrong = false;  ///< one was not
  std::unique_ptr<Hot> hot;              ///< (engine/fast/hot.h)
  std::shared_ptr<const MicroOps> code;  ///< (engine/fast/interpreter.h)
};

/// Rows of a PE's registers beside x0..x31: the halves of Xgp's operand buffer, and what is left of
/// the hardware loops' counts.
inline constexpr u32 operand_low = 32, operand_high = 33, loop_count_0 = 34, loop_count_1 = 35;
inline constexpr u32 register_rows = 36;

class Link;
struct Post;
struct GangPost;
template <class T>
struct PostRoom;

/// The links of one PE, for generated code: by direction, null where there is no neighbour.
struct LinkAccess {
  Link* const* out = nullptr;
  Link* const* in = nullptr;
};

/// What code that executes nodes works on: one PE, or the 16 PEs of a tile. `width` (1 or 16) is
/// the number of PEs whose words lie side by side; a single PE in a tile of 16 has pointers to its
/// own words, which are 16 words apart.
struct Frame {
  u32* x = nullptr;       ///< row r of the first PE: x[r * width]; row 0 reads as zero
  u32* memory = nullptr;  ///< word i of the first PE's local memory: memory[i * width]
  u64* counts = nullptr;  ///< by Exit::counter
  Cycle clock = 0;        ///< of the entry to the node; a gang's members differ by constants
  Cycle stop = 0;         ///< no node may be entered that could end after it
  u64 retired = 0;        ///< instructions
  LinkAccess links;       ///< of one PE
  /// Where code notes down gp.posts (engine/fast/posts.h): of one PE, or of a gang.
  PostRoom<Post>* posts = nullptr;
  PostRoom<GangPost>* gang_posts = nullptr;
  PeId pe = 0;    ///< of one PE
  u32 entry = 0;  ///< where generated code begins (jit::Region::entries)
};

}  // namespace simfarm::fast
