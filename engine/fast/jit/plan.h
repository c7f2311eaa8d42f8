// Which nodes become one region, and what is known about them before any code is emitted: which
// rows are equal in all lanes, which may have changed, and which checks of addresses are enough.
// Nothing here knows the code generator.
#pragma once
#include <functional>
#include <vector>

#include "engine/fast/jit/region.h"

namespace simfarm::fast::jit {

inline constexpr u32 none = ~u32{0};

/// A check that several accesses of a node share: their addresses are one root plus constants.
/// Where the root is a register as it is on entry, the check is made there, so that a node that
/// fails has done nothing yet; other roots are checked before the first access.
struct Guard {
  u32 root = none;  ///< register on entry (0: zero); none: a value that the node computes
  u32 first = 0;    ///< instruction that is the first to access
  i64 low = 0;      ///< bytes [low, high) from the root are accessed; root + low is a multiple of
  i64 high = 0;
  u32 alignment = 1;
  i64 store_low = 0;  ///< bytes [store_low, store_high) hold all that is stored
  i64 store_high = 0;
  /// Where marks are left for all of them (Config::granule): one in each that is accessed.
  std::vector<i64> load_marks, store_marks;
};

/// Where one instruction accesses memory.
struct Access {
  u32 guard = none;       ///< of PlannedNode::guards
  i64 offset = 0;         ///< of its address from the guard's root
  bool expected = false;  ///< loads_expected()
};

struct PlannedNode {
  Node* node = nullptr;
  std::vector<u32> next;  ///< by exit: the node's index in the plan, or none: outside
  Rows uniform = 0;       ///< equal in all lanes on entry, whichever way it was entered
  Rows modified = 0;      ///< may have been written between the region's entry and this node's
  std::vector<Guard> guards;
  std::vector<Access> accesses;  ///< by instruction
  /// By instruction: what it writes that had better be equal in all lanes, if that can be had.
  std::vector<Rows> wanted;
};

/// nodes[0] is the entry.
struct Plan {
  std::vector<PlannedNode> nodes;
  /// Where the region can be entered: nodes[0], then, of one PE, the links that may block it.
  std::vector<u32> entries;
  Rows used = 0;  ///< read or written in the region
  /// Of a gang: registers that are equal in all lanes at the entry, and so probably wherever they
  /// are loaded on the way back to it.
  Rows expected = 0;
};

/// How often an exit has been taken.
using Heat = std::function<u64(const Exit&)>;

/// Follows the hottest exits first. `uniform`: rows known to be equal in all lanes at the entry.
/// No nodes when the entry is the stepper's.
Plan make_plan(Node& entry, Rows uniform, const Config& config, const Heat& heat);

/// The row of the hardware loop that `node` counts or sets.
inline u32 loop_row(const Node& node) { return node.loop == 0 ? loop_count_0 : loop_count_1; }

/// Rows that an instruction writes, and those that its results (memory aside) depend on.
Rows rows_written(const Operation& operation);
Rows rows_read(const Operation& operation);
/// A load of one word, from one address, of a register of `expected` (PlannedNode::wanted): what a
/// program keeps in memory for a while because it has too few registers. The code makes sure that
/// all lanes load the same.
bool loads_expected(const Operation& operation, Rows uniform, Rows expected);
/// Rows equal in all lanes after `operation`, of a gang.
Rows uniform_after(const Operation& operation, Rows uniform, Rows expected = 0);

/// The guards and accesses of a node's body.
void plan_accesses(PlannedNode& planned, const Config& config);

}  // namespace simfarm::fast::jit
