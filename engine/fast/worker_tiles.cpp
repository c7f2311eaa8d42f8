// Which PE runs when. The PEs of a tile that come to the same hot node wait there for each other
// and go on together, as a gang, as long as they take the same ways; whoever cannot wait goes on
// alone. None of this changes a result: a PE's own time does not depend on when the host runs it.
#include <algorithm>
#include <array>
#include <bit>
#include <thread>

#include "engine/fast/planted.h"
#include "engine/fast/worker.h"
#include "pe/bodies/scalar.h"

namespace simfarm::fast {
namespace {

constexpr u32 all_gates = ~u32{0};
/// Instructions of a worker, of a gang those of one lane, after which the fabric is asked whether
/// what was trusted is true: what goes on from there may have no end.
constexpr u64 most_in_trust = u64{1} << 22;

/// Rows that hold the same in all lanes.
jit::Rows equal_rows(const u32* x) {
  jit::Rows rows = 1;
  for (u32 row = 1; row < register_rows; ++row) {
    u32 difference = 0;
    for (u32 lane = 1; lane < tile_lanes - (planted(Planted::gang_uniform_row) ? 1 : 0); ++lane)
      difference |= x[row * tile_lanes] ^ x[row * tile_lanes + lane];
    if (difference == 0) rows |= jit::Rows{1} << row;
  }
  return rows;
}

}  // namespace

bool Worker::run_pes() {
  bool any = false;
  cut_short_ = false;
  const u64 worked = worked_;
  for (bool progress = true; progress && !cut_short_;) {
    progress = false;
    if (shuffle_)
      for (std::size_t k = tiles_.size(); k > 1; --k)
        std::swap(tiles_[k - 1], tiles_[(*shuffle_)() % k]);
    for (const u32 tile : tiles_) progress |= run_tile(tile);
    any |= progress;
    // Nothing after a trap counts; others may still trap before it, or in its cycle.
    if (const Cycle trap = state_.traps.cycle(); trap != never) state_.end.lower(trap + 1);
    cut_short_ |= worked_ - worked > most_in_trust && fabric_.trusting();
  }
  return any;
}

Cycle Worker::cycles_at_once() {
  constexpr Cycle most = Cycle{1} << 20;
  if (!shuffle_) return most;
  if ((*shuffle_)() % 8 == 0) std::this_thread::yield();
  return most >> (*shuffle_)() % 16;
}

std::span<Pe> Worker::lanes(u32 tile) {
  const u64 first = u64{tile} * state_.storage.width();
  return std::span(state_.pes)
      .subspan(first, std::min<u64>(state_.storage.width(), state_.pes.size() - first));
}

bool Worker::run_tile(u32 tile) {
  const std::span<Pe> lanes = this->lanes(tile);
  const u32& held = state_.held[tile];
  const u64 worked = worked_;
  bool any = false;
  while (held != (1u << lanes.size()) - 1) {
    if (worked_ - worked > most_in_trust && fabric_.trusting()) return true;
    bool a_lot = false;
    std::size_t next = shuffle_ ? (*shuffle_)() % lanes.size() : 0;
    for (std::size_t k = 0; k < lanes.size(); ++k) {
      const std::size_t lane = next;
      if (++next == lanes.size()) next = 0;
      if ((held >> lane & 1) != 0) continue;
      Pe& pe = lanes[lane];
      if (!can_go_on(pe) || !fabric_.may_ask(pe.id)) continue;
      any = true;
      const u64 retired = pe.frame.retired;
      if (pe.block == Block::none || !go_on_at_link(pe)) {
        if (lanes.size() < tile_lanes) pe.gates_to_pass = all_gates;
        a_lot |= run(pe);
      }
      worked_ += pe.frame.retired - retired;
    }
    if (a_lot || held != 0 ||
        !std::all_of(lanes.begin(), lanes.end(), [](const Pe& pe) { return pe.parked; }))
      return any;
    pass_gates(tile);
  }
  return any;
}

/// Lanes that have been at `node` less often than others, since it was not a gate from the
/// beginning, come up to them: then what is equal in all lanes is most. False: all have been there
/// as often.
bool Worker::level(std::span<Pe> lanes, Node& node) {
  std::array<u64, tile_lanes> visits{};
  for (u32 k = 0; k < lanes.size(); ++k)
    for (const Exit& exit : node.exits) visits[k] += lanes[k].frame.counts[exit.counter];
  const u64 most = *std::max_element(visits.begin(), visits.end());
  bool any = false;
  for (u32 k = 0; k < lanes.size(); ++k) {
    if (visits[k] == most) continue;
    lanes[k].parked = false;
    lanes[k].meet_at = &node;
    lanes[k].gates_to_pass = static_cast<u32>(std::min<u64>(most - visits[k], all_gates));
    any = true;
  }
  return any;
}

/// All lanes of the tile are parked.
void Worker::pass_gates(u32 tile) {
  const std::span<Pe> lanes = this->lanes(tile);
  Node* first = lanes[0].node;
  for (const Pe& pe : lanes)
    if (pe.node->entry.pc < first->entry.pc) first = pe.node;
  if (std::all_of(lanes.begin(), lanes.end(), [&](const Pe& pe) { return pe.node == first; })) {
    if (hotness_.first_time(*first, tile) && level(lanes, *first)) return;
    for (Pe& pe : lanes) pe.parked = false;
    const jit::Rows equal = equal_rows(lanes[0].frame.x);
    if (!hotness_.go_together(*first, tile, lanes, equal) || !run_gang(tile, *first, equal))
      for (Pe& pe : lanes) pe.gates_to_pass = 1;
    return;
  }
  // Those that are behind come up.
  hotness_.parted(tile);
  hotness_.gang_went(*first, 0);
  for (Pe& pe : lanes) {
    if (pe.node != first) continue;
    pe.parked = false;
    pe.gates_to_pass = 1;
  }
}

/// Nothing goes on any more but past the gates.
bool Worker::release_parked() {
  bool any = false;
  for (const u32 tile : tiles_)
    for (Pe& pe : lanes(tile)) {
      if (!pe.parked) continue;
      pe.parked = false;
      pe.gates_to_pass = all_gates;
      any = true;
    }
  return any;
}

/// The lanes of a full tile stand at `node`. False: they have not come any further.
bool Worker::run_gang(u32 tile, Node& node, jit::Rows equal) {
  const std::span<Pe> lanes = this->lanes(tile);
  Pe& lead = lanes[0];
  u64* const counts = state_.storage.tile_counts(tile, machine_);
  GangCode* const code = hotness_.gang(node, equal, lead.frame.counts, counts);
  if (code == nullptr) return false;
  // The lanes' clocks differ by constants: the one that is furthest decides how far all may go.
  Frame frame{lead.frame.x, lead.frame.memory, counts};
  for (const Pe& pe : lanes) frame.clock = std::max(frame.clock, pe.frame.clock);
  const Cycle before = frame.clock;
  gang_posts_.clear(posts_.places_left() / tile_lanes);
  frame.gang_posts = &gang_posts_.room();
  frame.stop = std::min(stepper_.end(), before + 16 * cycles_at_once());
  const jit::Leaf leaf = code->region->leaves()[code->region->run(frame)];
  take_posts(lanes, before);
  for (Pe& pe : lanes) {
    pe.frame.clock += frame.clock - before;
    const bool lost = planted(Planted::gang_retired) && &pe == &lanes.back();
    pe.frame.retired += lost ? 0 : frame.retired;
  }
  worked_ += frame.retired;
  hotness_.gang_went(node, *code, frame.retired);
  if (leaf.disagreed) hotness_.gang_disagreed(node, *code, leaf);
  switch (leaf.why) {
    case jit::Leaf::Why::exit: {
      Node& next = interpreter_.follow(*leaf.exit);
      for (Pe& pe : lanes) pe.node = &next;
      hotness_.gang_left(next);
      return true;
    }
    case jit::Leaf::Why::budget:
      for (Pe& pe : lanes) pe.node = leaf.node;
      return frame.clock != before;
    case jit::Leaf::Why::link:  // not of a gang
    case jit::Leaf::Why::stopped:
      break;
  }
  if (leaf.instruction == 0 && frame.retired == 0) {
    for (Pe& pe : lanes) pe.node = leaf.node;
    return false;
  }
  scatter(lanes, *leaf.node, leaf.instruction);
  return true;
}

/// Those of a gang that began at `before` of its clock, with the lanes as they were then.
void Worker::take_posts(std::span<const Pe> lanes, Cycle before) {
  PostRoom<Post>& room = posts_.room();
  for (const GangPost& post : gang_posts_.all())
    for (u32 k = 0; k < lanes.size(); ++k)
      *room.next++ = {lanes[k].frame.clock + (post.at - before), post.to[k], post.number, post.pc,
                      lanes[k].id};
}

/// The lanes have done the first `instructions` of `node` and go different ways from there. Where
/// some leave a loop and others stay in it, those that have left wait for the others.
void Worker::scatter(std::span<Pe> lanes, Node& node, u32 instructions) {
  const bool at_last = instructions + 1 == node.body.size();
  const auto take = [&](Pe& pe, Exit& exit) {
    ++pe.frame.counts[exit.counter];
    pe.frame.clock += exit.cycles;
    pe.frame.retired += exit.instructions;
    pe.node = &interpreter_.follow(exit);
  };
  if (at_last && node.ending == Ending::branch) {
    const Operation& op = node.body.back();
    const auto holds = bodies::scalar_condition(op.op);
    std::array<bool, tile_lanes> taken{};
    for (u32 k = 0; k < lanes.size(); ++k)
      taken[k] = holds(lanes[k].x(op.rs1), lanes[k].x(op.rs2), op.imm2);
    if (planted(Planted::gang_lanes_swapped)) std::swap(taken[2], taken[3]);
    for (u32 k = 0; k < lanes.size(); ++k) take(lanes[k], *node.ways[taken[k] ? 1 : 0]);
    if (op.imm >= 0 || node.ways[0]->to == nullptr || node.ways[0]->to->ending == Ending::single)
      return;
    Node& out = *node.ways[0]->to;
    hotness_.make_gate(out);
    for (u32 k = 0; k < lanes.size(); ++k) {
      if (taken[k])
        lanes[k].meet_at = &out;
      else
        lanes[k].parked = true;
    }
  } else {
    if (at_last && node.ending == Ending::loop) {
      // The last iteration's way out of the loop.
      Node& last = interpreter_.follow(*node.ways[node.entry.loops.count[node.loop] == 1 ? 2 : 1]);
      Node& out = &last != &node && last.ending == Ending::loop && last.loop == node.loop
                      ? interpreter_.follow(*last.ways[2])
                      : last;
      if (out.ending != Ending::single && out.ending != Ending::link) {
        hotness_.make_gate(out);
        for (Pe& pe : lanes) pe.meet_at = &out;
      }
    }
    const Graph::Part part = graph_.part(node, instructions);
    for (Pe& pe : lanes) {
      pe.frame.clock += part.cycles;
      pe.frame.retired += part.instructions;
      pe.stepped[part.entry.region] += part.costs;
      graph_.add_shares(node, instructions, pe.profile);
      pe.entry = part.entry;
      pe.node = nullptr;
    }
  }
}

}  // namespace simfarm::fast
