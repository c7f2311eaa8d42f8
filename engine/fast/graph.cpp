#include "engine/fast/graph.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "engine/fast/loops.h"
#include "engine/fast/meter.h"
#include "engine/fast/planted.h"
#include "engine/fast/storage.h"
#include "isa/traits.h"

namespace simfarm::fast {
namespace {

constexpr u32 longest_body = 64;

/// Instructions that only the stepper does: they meet the rest of the machine, or change what nodes
/// are told apart by, or are too rare to be worth more.
bool is_single(const Operation& op, bool posts) {
  switch (row(op.op).timing) {
    case TimingClass::sync:
      return op.op != Op::GP_SEND && op.op != Op::GP_RECV && !(posts && op.op == Op::GP_POST);
    case TimingClass::system:
    case TimingClass::csr:
    case TimingClass::fence:
    case TimingClass::fence_i:
      return true;
    case TimingClass::hardware_loop:
      // Where a loop begins and ends is a part of nodes' entries: only what is known beforehand.
      return op.op == Op::CV_START || op.op == Op::CV_END;
    default:
      return false;
  }
}

/// An incremented base x0 reads zero and keeps nothing: nobody writes that.
bool increments_x0(const Operation& op) {
  for (const Field field : {Field::rs1, Field::rs3})
    if (writes(op.op, field) && get(op, field) == 0) return true;
  return false;
}

}  // namespace

bool wide_at_halfword(const DecodedImage& image, u32 pc) {
  if ((pc & 2) == 0) return false;
  const Operation* op = image.at(pc);
  return op != nullptr && op->length == 4;
}

/// Makes one node: adds instructions until one decides where execution goes.
class Graph::Builder {
 public:
  Builder(Graph& graph, Node& node)
      : graph_(graph),
        node_(node),
        image_(graph.images_[node.entry.image]),
        loops_(loops_of(node.entry.loops)),
        meter_(node.entry.pipeline),
        pc_(node.entry.pc) {}

  void build() {
    while (!ended_) add();
    for (u32 k = 0; k < std::min<u64>(3, node_.exits.size()); ++k) node_.ways[k] = &node_.exits[k];
    if (node_.ending == Ending::indirect) node_.lookup = std::make_unique<Exit*[]>(lookup_targets);
    if (node_.ending == Ending::division)
      node_.lookup = std::make_unique<Exit*[]>(lookup_divisions);
    for (const Exit& exit : node_.exits) node_.max_cycles = std::max(node_.max_cycles, exit.cycles);
  }

 private:
  void add() {
    const Operation* op = image_.at(pc_);
    if (op == nullptr || op->op == illegal_op || is_single(*op, graph_.posts_) ||
        increments_x0(*op) || loop_violation(loops_, pc_, *op) || node_.body.size() == longest_body)
      return stop();
    const TimingClass timing = row(op->op).timing;
    const u32 loop = loop_ending_at(loops_, pc_, op->length);
    // Two reasons to branch at once: the stepper's.
    if (loop < 2 && (timing == TimingClass::division || timing == TimingClass::sync ||
                     timing == TimingClass::hardware_loop))
      return stop();
    switch (timing) {
      case TimingClass::branch:
        if (jump_into_loop(loops_, pc_ + static_cast<u32>(op->imm))) return stop();
        return branch(*op);
      case TimingClass::jal:
        if (jump_into_loop(loops_, pc_ + static_cast<u32>(op->imm))) return stop();
        return jump(*op);
      case TimingClass::jalr:
        take(*op);
        node_.max_cycles = meter_.cycles() + 8;
        return end(Ending::indirect);
      case TimingClass::hardware_loop:
        return set_loop(*op);
      case TimingClass::sync:
        if (op->op != Op::GP_POST) return link(*op);
        node_.posts.push_back({static_cast<u32>(node_.body.size()),
                               meter_.cycles() + timing::before(meter_.state(), *op).cycles()});
        break;
      case TimingClass::division:
        take(*op);
        node_.max_cycles = meter_.cycles() + 40;
        return end(Ending::division);
      default:
        break;
    }
    take(*op);
    if (loop < 2) return repeat(*op, loop);
    meter_.pass(*op, facts_at(place_in(loops_, pc_)));
    pc_ += op->length;
  }

  void take(const Operation& op) {
    node_.body.push_back(op);
    node_.pcs.push_back(pc_);
  }
  void end(Ending ending) {
    node_.ending = ending;
    ended_ = true;
  }

  /// Before the instruction at pc_.
  void stop() {
    if (node_.body.empty()) return end(Ending::single);
    leave(meter_, pc_, loops_);
    end(Ending::next);
  }

  void branch(const Operation& op) {
    take(op);
    const u32 target = pc_ + static_cast<u32>(op.imm), next = pc_ + op.length;
    for (const bool taken : {false, true}) {
      Meter meter = meter_;
      timing::Facts facts = facts_at(place_in(loops_, pc_));
      facts.taken = taken;
      facts.wide_at_halfword = wide_at_halfword(image_, taken ? target : next);
      meter.pass(op, facts);
      leave(meter, taken ? target : next, loops_);
    }
    end(Ending::branch);
  }

  void jump(const Operation& op) {
    take(op);
    const u32 target = pc_ + static_cast<u32>(op.imm);
    timing::Facts facts = facts_at(place_in(loops_, pc_));
    facts.wide_at_halfword = wide_at_halfword(image_, target);
    meter_.pass(op, facts);
    leave(meter_, target, loops_);
    end(Ending::next);
  }

  /// The last instruction of a hardware loop's body.
  void repeat(const Operation& op, u32 loop) {
    const LoopPlace place = place_in(loops_, pc_);
    for (const u32 left : {2u, 1u, 0u}) {
      Loops after = loops_;
      after[loop].count = left;
      const u32 next = left > 0 ? after[loop].start : pc_ + op.length;
      Meter meter = meter_;
      timing::Facts facts = facts_at(place);
      facts.loop_back =
          (place.last && next != pc_ + op.length) || planted(Planted::last_loop_iteration);
      facts.wide_at_halfword = wide_at_halfword(image_, next);
      meter.pass(op, facts);
      leave(meter, next, after);
    }
    node_.loop = static_cast<u8>(loop);
    end(Ending::loop);
  }

  void set_loop(const Operation& op) {
    const LoopUpdate update = loop_update(op, pc_, 2);
    // Counts of 2 and more break the same rules; one of 1 breaks them as well.
    Loops after = loops_;
    if (update_loop(after, op.rd, pc_, update)) return stop();
    take(op);
    if (!update.count) {
      meter_.pass(op, facts_at(place_in(loops_, pc_)));
      leave(meter_, pc_ + op.length, after);
      return end(Ending::next);
    }
    meter_.pass(op, facts_at(place_in(loops_, pc_)));
    for (const u8 count : {2, 1, 0}) {
      after[op.rd].count = count;
      leave(meter_, pc_ + op.length, after);
    }
    node_.loop = op.rd;
    end(Ending::set_loop);
  }

  void link(const Operation& op) {
    if (!node_.body.empty()) return stop();
    take(op);
    node_.hazard = timing::before(meter_.state(), op).cycles();
    meter_.pass(op, facts_at(place_in(loops_, pc_)));
    leave(meter_, pc_ + op.length, loops_);
    node_.wait_counter =
        graph_.add_wait(node_, op.op == Op::GP_SEND ? Stall::link_full : Stall::link_empty);
    end(Ending::link);
  }

  void leave(const Meter& meter, u32 target, const Loops& after) {
    graph_.add_exit(node_, meter, target, context_of(after));
  }

  Graph& graph_;
  Node& node_;
  const DecodedImage& image_;
  Loops loops_;
  Meter meter_;
  u32 pc_;
  bool ended_ = false;
};

bool Graph::full() const {
  constexpr u32 of_one_node = 8;
  return exits() + of_one_node > most_exits;
}

void Graph::add_exit(Node& node, const Meter& meter, u32 target, const LoopContext& loops) {
  Exit exit;
  exit.counter = exits();
  exit.cycles = meter.cycles();
  exit.instructions = meter.instructions();
  exit.leads_to = node.entry;
  exit.leads_to.pc = target;
  exit.leads_to.loops = loops;
  exit.leads_to.pipeline = meter.state();
  if (planted(Planted::load_use_across_blocks)) exit.leads_to.pipeline.loaded = 0;
  node.exits.push_back(exit);
  costs_.push_back({node.entry.region, meter.costs(), &node});
}

u32 Graph::add_wait(const Node& node, Stall bin) {
  ExitCost cost{node.entry.region, {}, &node};
  cost.counters.stalls[static_cast<u32>(bin)] = 1;
  costs_.push_back(cost);
  return exits() - 1;
}

std::size_t Graph::HashOfEntry::operator()(const Entry& entry) const {
  u64 hash = 0x9e37'79b9'7f4a'7c15;
  const auto mix = [&hash](u64 value) {
    hash = std::rotl((hash ^ value) * 0xff51'afd7'ed55'8ccd, 29);
  };
  mix(u64{entry.image} << 32 | entry.pc);
  for (u32 k = 0; k < 2; ++k) {
    mix(u64{entry.loops.start[k]} << 32 | entry.loops.end[k]);
    mix(u64{entry.loops.count[k]} << 8 | entry.region);
  }
  const timing::PipelineState& state = entry.pipeline;
  mix(u64{state.loaded} << 32 | state.late_zero);
  mix(u64{state.late_one} << 32 | state.late_two);
  mix(u64{state.waiting} << 2 | u64{state.load} << 1 | u64{state.cold});
  return hash;
}

Node& Graph::find(const Entry& entry) {
  std::unique_ptr<Node>& node = nodes_[entry];
  if (node == nullptr) {
    node = std::make_unique<Node>();
    node->entry = entry;
    if (full())
      node->ending = Ending::single;
    else
      Builder(*this, *node).build();
  }
  return *node;
}

Node& Graph::follow(Exit& exit) {
  if (exit.to == nullptr) exit.to = &find(exit.leads_to);
  return *exit.to;
}

Meter Graph::before_last(const Node& node) const {
  const Loops loops = loops_of(node.entry.loops);
  Meter meter(node.entry.pipeline);
  for (u32 k = 0; k + 1 < node.body.size(); ++k)
    meter.pass(node.body[k], facts_at(place_in(loops, node.pcs[k])));
  return meter;
}

Exit* Graph::towards(Node& node, u32 target) {
  for (Exit& exit : node.exits)
    if (exit.leads_to.pc == target) return &exit;
  const Loops loops = loops_of(node.entry.loops);
  if (jump_into_loop(loops, target) || full()) return nullptr;
  Meter meter = before_last(node);
  timing::Facts facts = facts_at(place_in(loops, node.pcs.back()));
  facts.wide_at_halfword = wide_at_halfword(images_[node.entry.image], target);
  meter.pass(node.body.back(), facts);
  add_exit(node, meter, target, node.entry.loops);
  check(node.exits.back().cycles <= node.max_cycles, "a jump costs more than it can");
  return &node.exits.back();
}

Exit* Graph::after_division(Node& node, u32 divisor) {
  const Operation& op = node.body.back();
  const u32 cycles = timing::division_cycles(op.op, divisor);
  const auto found = std::find_if(node.exits.begin(), node.exits.end(),
                                  [&](const Exit& exit) { return exit.division_cycles == cycles; });
  if (found != node.exits.end()) return &*found;
  if (full()) return nullptr;
  const u32 pc = node.pcs.back();
  Meter meter = before_last(node);
  timing::Facts facts = facts_at(place_in(loops_of(node.entry.loops), pc));
  facts.rs2 = divisor;
  meter.pass(op, facts);
  add_exit(node, meter, pc + op.length, node.entry.loops);
  check(node.exits.back().cycles <= node.max_cycles, "a division costs more than it can");
  node.exits.back().division_cycles = cycles;
  return &node.exits.back();
}

Graph::Part Graph::part(const Node& node, u32 instructions) const {
  const Loops loops = loops_of(node.entry.loops);
  Meter meter(node.entry.pipeline);
  for (u32 k = 0; k < instructions; ++k)
    meter.pass(node.body[k], facts_at(place_in(loops, node.pcs[k])));
  Part part{node.entry, meter.cycles(), meter.instructions(), meter.costs()};
  part.entry.pipeline = meter.state();
  part.entry.pc = node.pcs[instructions];
  return part;
}

std::vector<Graph::Share> Graph::shares(const Node& node, u32 instructions) const {
  const Loops loops = loops_of(node.entry.loops);
  std::vector<Share> shares;
  timing::PipelineState state = node.entry.pipeline;
  for (u32 k = 0; k < instructions; ++k) {
    Meter meter(state);
    meter.pass(node.body[k], facts_at(place_in(loops, node.pcs[k])));
    state = meter.state();
    shares.push_back({node.pcs[k], meter.costs()});
  }
  return shares;
}

/// What the last instruction costs depends on the exit: what is left.
std::vector<Graph::Share> Graph::shares(u32 counter) const {
  const ExitCost& cost = costs_[counter];
  const Node& node = *cost.node;
  std::vector<Share> shares = this->shares(node, static_cast<u32>(node.body.size()) - 1);
  Counters left = cost.counters;
  for (const Share& share : shares) {
    for (u32 k = 0; k < issue_class_count; ++k) left.issued[k] -= share.costs.issued[k];
    for (u32 k = 0; k < stall_count; ++k) left.stalls[k] -= share.costs.stalls[k];
  }
  shares.push_back({node.pcs.back(), left});
  return shares;
}

}  // namespace simfarm::fast
