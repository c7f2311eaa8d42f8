#include "engine/fast/jit/plan.h"

#include <algorithm>
#include <map>

#include "engine/fast/marks.h"
#include "engine/fast/planted.h"
#include "isa/traits.h"
#include "pe/bodies/rows.h"

namespace simfarm::fast::jit {
namespace {

constexpr Rows row_bit(u32 row) { return Rows{1} << row; }
constexpr Rows operand_rows = row_bit(operand_low) | row_bit(operand_high);

bool loads_operand(Op op) { return op == Op::GP_XLD || bodies::is_dot_and_load(op); }

/// `rows` with those of `set` in or out.
Rows with(Rows rows, Rows set, bool in) { return in ? rows | set : rows & ~set; }

/// The row of the hardware loop's count that the node's ending changes.
Rows counted_row(const Node& node) {
  if (node.ending != Ending::loop && node.ending != Ending::set_loop) return 0;
  return row_bit(loop_row(node));
}

/// What a node's code leaves, from what it found.
Rows uniform_at_end(const PlannedNode& planned, Rows uniform) {
  const Node& node = *planned.node;
  for (u32 k = 0; k < node.body.size(); ++k)
    uniform = uniform_after(node.body[k], uniform, planned.wanted[k]);
  if (node.ending != Ending::set_loop) return uniform;  // a count that goes down stays what it is
  const Operation& last = node.body.back();
  return with(uniform, counted_row(node), (registers_read(last) & ~uniform) == 0);
}

Rows modified_by(const Node& node) {
  Rows rows = 0;
  for (const Operation& operation : node.body) rows |= rows_written(operation);
  return rows | counted_row(node);
}

Rows used_by(const Node& node) {
  Rows rows = modified_by(node);
  for (const Operation& operation : node.body) rows |= rows_read(operation);
  return rows;
}

/// Whether there is code for it: what meets other PEs is the engine's, but for links of one PE.
bool is_compiled(const Node& node, const Config& config) {
  return node.ending != Ending::single && (node.ending != Ending::link || config.width == 1);
}

bool can_join(const Exit& exit, const Config& config) {
  return exit.to != nullptr && is_compiled(*exit.to, config);
}

/// Chooses the nodes: of all exits that lead out of the region, the hottest is followed next.
void choose_nodes(Plan& plan, Node& entry, const Config& config, const Heat& heat) {
  std::map<const Node*, u32> index;
  u64 instructions = 0;
  const auto add = [&](Node* node) {
    index.emplace(node, static_cast<u32>(plan.nodes.size()));
    plan.nodes.push_back({.node = node});
    instructions += node->body.size();
  };
  add(&entry);
  while (plan.nodes.size() < config.most_nodes) {
    Node* hottest = nullptr;
    u64 most = 0, busiest = 0;
    for (const PlannedNode& planned : plan.nodes) {
      for (const Exit& exit : planned.node->exits) {
        const u64 times = heat(exit);
        busiest = std::max(busiest, times);
        if (!can_join(exit, config) || index.contains(exit.to)) continue;
        if (instructions + exit.to->body.size() > config.most_instructions) continue;
        if (times < config.least_heat || times <= most) continue;
        most = times;
        hottest = exit.to;
      }
    }
    if (hottest == nullptr || most < busiest / config.coldest) break;
    add(hottest);
  }
  for (PlannedNode& planned : plan.nodes) {
    for (const Exit& exit : planned.node->exits) {
      const auto found = index.find(exit.to);
      planned.next.push_back(found == index.end() ? none : found->second);
    }
  }
}

/// What has to be equal in all lanes before `operation` for `rows` to be so after it.
Rows wanted_before(const Operation& operation, Rows rows) {
  const Rows written = rows_written(operation);
  if ((rows & written) == 0) return rows;
  return (rows & ~written) | (rows_read(operation) & ~row_bit(0));
}

/// What is cheaper, or goes on together, when it is equal in all lanes: addresses, conditions,
/// counts.
Rows better_equal(const Operation& operation) {
  const TimingClass timing = row(operation.op).timing;
  if (timing == TimingClass::branch || timing == TimingClass::hardware_loop)
    return registers_read(operation) & ~row_bit(0);
  const MemoryAccess& memory = traits(operation.op).memory;
  if (memory.bytes == 0) return 0;
  Rows rows = row_bit(get(operation, memory.base));
  if (memory.register_offset) rows |= row_bit(get(operation, memory.offset));
  return rows & ~row_bit(0);
}

/// A register that the compiler had no room for comes back from the stack.
bool loads_spilled(const Operation& operation) {
  constexpr u32 stack_pointer = 2;
  const MemoryAccess& memory = traits(operation.op).memory;
  return is_load(operation.op) && memory.bytes == 4 && !memory.register_offset &&
         get(operation, memory.base) == stack_pointer;
}

/// Backward over the region until nothing changes: the writes that what is expected at the entry
/// comes from, and those that addresses and conditions do.
void find_wanted(Plan& plan, const Config& config) {
  struct Wanted {
    Rows at_entry = 0, here = 0;
    bool operator==(const Wanted&) const = default;
  };
  std::vector<Wanted> at_begin(plan.nodes.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (u32 index = static_cast<u32>(plan.nodes.size()); index-- > 0;) {
      PlannedNode& planned = plan.nodes[index];
      const std::vector<Operation>& body = planned.node->body;
      planned.wanted.resize(body.size());
      Wanted rows;
      for (const u32 next : planned.next) {
        if (next == none) continue;
        rows.at_entry |= at_begin[next].at_entry;
        rows.here |= at_begin[next].here;
      }
      for (u32 k = static_cast<u32>(body.size()); k-- > 0;) {
        planned.wanted[k] = rows.at_entry | (loads_spilled(body[k]) ? rows.here : 0);
        if (config.differing.contains({planned.node->entry.image, planned.node->pcs[k]}))
          planned.wanted[k] &= ~rows_written(body[k]);
        rows.at_entry = wanted_before(body[k], rows.at_entry);
        rows.here = wanted_before(body[k], rows.here) | better_equal(body[k]);
      }
      if (index == 0) rows.at_entry |= plan.expected;
      changed |= rows != at_begin[index];
      at_begin[index] = rows;
    }
  }
}

/// Forward over the region until nothing changes: uniform where it is on every way, modified where
/// it may be on any.
void spread_rows(Plan& plan, Rows uniform) {
  for (PlannedNode& planned : plan.nodes) planned.uniform = ~Rows{0};
  plan.nodes[0].uniform = uniform | row_bit(0);
  bool changed = true;
  while (changed) {
    changed = false;
    for (const PlannedNode& planned : plan.nodes) {
      const Rows left_uniform = uniform_at_end(planned, planned.uniform);
      const Rows left_modified = planned.modified | modified_by(*planned.node);
      for (u32 next : planned.next) {
        if (next == none) continue;
        PlannedNode& successor = plan.nodes[next];
        const Rows meet = successor.uniform & left_uniform;
        const Rows join = successor.modified | left_modified;
        changed |= meet != successor.uniform || join != successor.modified;
        successor.uniform = meet;
        successor.modified = join;
      }
    }
  }
}

/// A register's value as far as addresses are concerned: a root plus a constant. Root 0 is zero,
/// 1 to 31 are the registers at the node's entry, the others values made in the node.
struct Symbol {
  u32 root = 0;
  i64 offset = 0;
};

class AddressWalk {
 public:
  AddressWalk(PlannedNode& planned, const Config& config) : planned_(planned), config_(config) {
    for (u32 x = 0; x < 32; ++x) symbols_[x] = {x, 0};
  }

  void step(u32 instruction) {
    const Operation& operation = planned_.node->body[instruction];
    const MemoryAccess& memory = traits(operation.op).memory;
    Access access;
    if (memory.bytes != 0 && operation.op != Op::GP_LUT8) {
      Symbol at = symbols_[get(operation, memory.base)];
      if (!memory.post_increment) {
        at = memory.register_offset ? Symbol{next_root_++, 0}
                                    : Symbol{at.root, at.offset + operation.imm};
      }
      access = share(instruction, at, memory.bytes, memory.store);
    }
    planned_.accesses.push_back(access);
    move_on(operation, instruction);
  }

 private:
  struct Aligned {
    u32 root = 0;
    i64 at = 0;  ///< this offset of the root is a multiple of the guard's alignment
  };

  Access share(u32 instruction, Symbol at, u32 bytes, bool store) {
    for (u32 k = 0; k < planned_.guards.size(); ++k) {
      Guard& guard = planned_.guards[k];
      if (aligned_[k].root != at.root) continue;
      const i64 low = std::min(guard.low, at.offset);
      const i64 high = std::max(guard.high, at.offset + bytes);
      const u32 smaller = std::min(guard.alignment, bytes);
      if (high - low > config_.local_bytes || (at.offset - aligned_[k].at) % smaller != 0) continue;
      if (bytes > guard.alignment) aligned_[k].at = at.offset;
      guard.alignment = std::max(guard.alignment, bytes);
      guard.high = high;
      guard.low = low;
      settle(k);
      note_store(guard, at, bytes, store);
      return {k, at.offset};
    }
    const u32 root = at.root < 32 ? at.root : none;
    planned_.guards.push_back({root, instruction, at.offset, at.offset + bytes, bytes});
    aligned_.push_back({at.root, at.offset});
    note_store(planned_.guards.back(), at, bytes, store);
    return {static_cast<u32>(planned_.guards.size() - 1), at.offset};
  }

  static void note_store(Guard& guard, Symbol at, u32 bytes, bool store) {
    if (!store) return;
    const bool first = guard.store_low == guard.store_high;
    const i64 end = at.offset + bytes;
    guard.store_low = first ? at.offset : std::min(guard.store_low, at.offset);
    guard.store_high = first ? end : std::max(guard.store_high, end);
  }

  /// Lets the window begin at an aligned address: local memory does, so that nothing is lost.
  void settle(u32 k) {
    Guard& guard = planned_.guards[k];
    const i64 alignment = guard.alignment;
    const i64 over = (guard.low - aligned_[k].at) % alignment;
    guard.low -= over < 0 ? over + alignment : over;
  }

  void move_on(const Operation& operation, u32 instruction) {
    const std::array<Symbol, 32> old = symbols_;
    for (u32 x = 1; x < 32; ++x)
      if ((registers_written(operation) >> x & 1) != 0) symbols_[x] = {next_root_++, 0};
    const auto set = [&](u32 x, Symbol value) {
      if (x != 0) symbols_[x] = value;
    };
    const auto moved = [&](u32 x, i64 by) { return Symbol{old[x].root, old[x].offset + by}; };
    switch (operation.op) {
      case Op::ADDI:
        set(operation.rd, moved(operation.rs1, operation.imm));
        return;
      case Op::LUI:
        set(operation.rd, {0, operation.imm});
        return;
      case Op::AUIPC:
        set(operation.rd, {0, i64{planned_.node->pcs[instruction]} + operation.imm});
        return;
      case Op::ADD:
        if (operation.rs1 == 0) set(operation.rd, old[operation.rs2]);
        if (operation.rs2 == 0) set(operation.rd, old[operation.rs1]);
        return;
      default:
        break;
    }
    const MemoryAccess& memory = traits(operation.op).memory;
    if (!memory.post_increment || memory.register_offset) return;
    const u32 base = get(operation, memory.base);
    if ((registers_loaded(operation) >> base & 1) != 0) return;  // the loaded value stays
    set(base, moved(base, loads_operand(operation.op) ? 8 : operation.imm));
  }

  PlannedNode& planned_;
  const Config& config_;
  std::array<Symbol, 32> symbols_;
  std::vector<Aligned> aligned_;  ///< by guard
  u32 next_root_ = 32;
};

/// The fewest of these offsets that are in all of their granules, wherever those begin: of two that
/// are a granule apart at most, what is between them is in the granule of one or the other.
void thin_out(std::vector<i64>& offsets, u32 granule) {
  std::sort(offsets.begin(), offsets.end());
  std::vector<i64> kept;
  for (u64 k = 0; k < offsets.size(); ++k)
    if (kept.empty() || k + 1 == offsets.size() || offsets[k + 1] - kept.back() > granule)
      kept.push_back(offsets[k]);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  offsets = std::move(kept);
}

void plan_marks(PlannedNode& planned, u32 granule) {
  for (u32 k = 0; k < planned.accesses.size(); ++k) {
    const Access& access = planned.accesses[k];
    if (access.guard == none) continue;
    Guard& guard = planned.guards[access.guard];
    const MemoryAccess& memory = traits(planned.node->body[k].op).memory;
    for (u32 byte = 0; byte < memory.bytes; byte += granule)
      (memory.store ? guard.store_marks : guard.load_marks).push_back(access.offset + byte);
  }
  for (Guard& guard : planned.guards) {
    thin_out(guard.load_marks, granule);
    thin_out(guard.store_marks, granule);
    if (planted(Planted::marks_forgotten)) guard.store_marks.clear();
  }
}

}  // namespace

Rows rows_written(const Operation& operation) {
  const bool operand = loads_operand(operation.op) || operation.op == Op::GP_XSET;
  return registers_written(operation) | (operand ? operand_rows : 0);
}

Rows rows_read(const Operation& operation) {
  const bool operand = bodies::reads_operand_buffer(operation.op);
  return registers_read(operation) | (operand ? operand_rows : 0);
}

bool loads_expected(const Operation& operation, Rows uniform, Rows expected) {
  const MemoryAccess& memory = traits(operation.op).memory;
  const auto in = [&](Field field) { return (uniform >> get(operation, field) & 1) != 0; };
  return is_load(operation.op) && memory.bytes == 4 && operation.rd != 0 &&
         (expected >> operation.rd & 1) != 0 && in(memory.base) &&
         (!memory.register_offset || in(memory.offset));
}

Rows uniform_after(const Operation& operation, Rows uniform, Rows expected) {
  const Rows before = uniform | row_bit(0);
  const auto in = [&](Field field) { return (before >> get(operation, field) & 1) != 0; };
  const MemoryAccess& memory = traits(operation.op).memory;
  Rows after = before;
  if (memory.bytes == 0) {
    if (operation.op == Op::GP_XSET) {
      after = with(after, row_bit(operand_low), in(Field::rs1));
      return with(after, row_bit(operand_high), in(Field::rs2));
    }
    const Rows reads = rows_read(operation);
    return with(after, registers_written(operation), (reads & before) == reads) | row_bit(0);
  }
  if (bodies::is_dot_and_load(operation.op)) {
    const bool sum = in(Field::rd) && in(Field::rs1) && in(Field::rs2);
    after = with(after, row_bit(operation.rd), sum && (before & operand_rows) == operand_rows);
  }
  if (memory.post_increment) {
    const bool moved = in(memory.base) && (!memory.register_offset || in(memory.offset));
    after = with(after, row_bit(get(operation, memory.base)), moved);
  }
  after = with(after, registers_loaded(operation), loads_expected(operation, before, expected));
  if (loads_operand(operation.op)) after &= ~operand_rows;
  return after | row_bit(0);
}

void plan_accesses(PlannedNode& planned, const Config& config) {
  AddressWalk walk(planned, config);
  for (u32 k = 0; k < planned.node->body.size(); ++k) walk.step(k);
  if (config.granule != no_marks) plan_marks(planned, config.granule);
}

Plan make_plan(Node& entry, Rows uniform, const Config& config, const Heat& heat) {
  Plan plan;
  if (!is_compiled(entry, config)) return plan;
  choose_nodes(plan, entry, config, heat);
  if (config.width != 1) plan.expected = uniform & 0xffff'fffe;
  plan.entries.push_back(0);
  for (u32 k = 1; k < plan.nodes.size(); ++k)
    if (plan.nodes[k].node->ending == Ending::link) plan.entries.push_back(k);
  find_wanted(plan, config);
  spread_rows(plan, uniform);
  for (PlannedNode& planned : plan.nodes) {
    if (config.width == 1) planned.uniform = ~Rows{0};  // what one PE computes is a single value
    plan_accesses(planned, config);
    Rows rows = planned.uniform;
    for (u32 k = 0; k < planned.node->body.size(); ++k) {
      const Operation& operation = planned.node->body[k];
      planned.accesses[k].expected = loads_expected(operation, rows, planned.wanted[k]);
      rows = uniform_after(operation, rows, planned.wanted[k]);
    }
    plan.used |= used_by(*planned.node);
  }
  return plan;
}

}  // namespace simfarm::fast::jit
