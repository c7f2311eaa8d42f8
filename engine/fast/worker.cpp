#include "engine/fast/worker.h"

#include <fmt/format.h>

#include <algorithm>

namespace simfarm::fast {
namespace {

u32 full_tiles(const Machine& machine, const std::vector<u32>& tiles) {
  return static_cast<u32>(std::count_if(tiles.begin(), tiles.end(), [&](u32 tile) {
    return u64{tile + 1} * tile_lanes <= machine.pes();
  }));
}

}  // namespace

Worker::Worker(const RunInput& input, const HostOptions& host, ArrayState& state, Fabric& fabric,
               std::vector<u32> tiles, u32 number, u32 granule)
    : machine_(input.machine),
      state_(state),
      fabric_(fabric),
      tiles_(std::move(tiles)),
      first_(tiles_.front() * state.storage.width()),
      end_(std::min((tiles_.back() + 1) * state.storage.width(), input.machine.pes())),
      posts_(*state.posts.emplace_back(std::make_unique<Posts>())),
      graph_(state.images, granule == no_marks),
      stepper_(input, graph_, state.end),
      hotness_(input.machine, host, state.storage.width(), granule,
               full_tiles(input.machine, tiles_)),
      interpreter_(graph_, input.machine, state.storage.width(), granule, hotness_, posts_) {
  if (host.shuffle) shuffle_.emplace(*host.shuffle + number);
}

/// Until it is blocked, or parked at a gate. True: neither, but it has done so much that others
/// should have their turn, since one may have trapped.
bool Worker::run(Pe& pe) {
  const Stepper::Pages code = stepper_.executable_hull(pe.image);
  const ArrayState::Ports& ports = state_.ports[pe.id];
  while (pe.block == Block::none) {
    const Interpreter::Why why = interpreter_.run(pe, cycles_at_once(), stepper_.end(), ports.out,
                                                  ports.in, code.base, code.bytes);
    if (why == Interpreter::Why::a_lot) return true;
    if (why == Interpreter::Why::gate) {
      pe.parked = true;
      pe.meet_at = nullptr;
      return false;
    }
    if (why == Interpreter::Why::link) {
      const Operation& op = pe.node->body[0];
      wait_at_link(pe, op.op == Op::GP_SEND, static_cast<u32>(op.imm), pe.node->hazard);
      break;
    }
    step(pe);
    if (pe.block == Block::none && !fabric_.may_ask(pe.id)) return true;
  }
  pe.gates_to_pass = 0;
  pe.meet_at = nullptr;
  if (pe.block != Block::link_full && pe.block != Block::link_empty)
    state_.held[pe.id / pe.width] |= 1u << pe.id % pe.width;
  return false;
}

void Worker::step(Pe& pe) {
  if (pe.node != nullptr && pe.node->meets != nullptr) {
    if (stepper_.come_to(pe)) return meet(pe);
    pe.block = Block::stopped;
    return;
  }
  Stepped stepped = stepper_.step(pe);
  switch (stepped.what) {
    case Stepped::What::done:
      break;
    case Stepped::What::meets:
      meet(pe);
      break;
    case Stepped::What::trapped:
      trap(pe, stepped.at, std::move(stepped.fault));
      break;
    case Stepped::What::stopped:
      pe.block = Block::stopped;
      break;
  }
}

void Worker::meet(Pe& pe) {
  if (pe.op->op == Op::GP_SEND || pe.op->op == Op::GP_RECV) return meet_link(pe);
  if (auto fault = fabric_.meet(pe)) trap(pe, pe.since, std::move(*fault));
}

/// pe.node is a link operation that cannot go on yet, and of which nothing is charged.
void Worker::wait_at_link(Pe& pe, bool sends, u32 direction, u32 hazard) {
  pe.op = pe.node->body.data();
  pe.since = pe.frame.clock + hazard;
  pe.block = sends ? Block::link_full : Block::link_empty;
  pe.link = (sends ? pe.frame.links.out : pe.frame.links.in)[direction];
  const Hot* const hot = pe.node->hot.get();
  pe.code = hot == nullptr ? nullptr : hot->code;
  if (pe.code != nullptr) pe.frame.entry = hot->enter.imm;
}

/// The other side has done something. True: it has gone on and waits at a link once more.
bool Worker::go_on_at_link(Pe& pe) {
  if (pe.node == nullptr) {
    meet_link(pe);
    return false;
  }
  pe.block = Block::none;
  if (pe.code == nullptr) return false;
  Frame& frame = pe.frame;
  frame.stop = std::min(stepper_.end(), frame.clock + cycles_at_once());
  const u64 retired = frame.retired;
  frame.posts = &posts_.room();
  frame.pe = pe.id;
  const jit::Leaf& leaf = pe.code->leaves()[pe.code->run(frame)];
  hotness_.work_at_links(frame.retired - retired);
  if (leaf.why != jit::Leaf::Why::link) {
    interpreter_.left_code(pe, leaf);
    return false;
  }
  pe.node = leaf.node;
  wait_at_link(pe, leaf.sends, leaf.direction, leaf.hazard);
  if (pe.link != nullptr && !can_go_on(pe)) return true;
  pe.block = Block::none;  // there is none, or it is ready but too late
  return false;
}

void Worker::meet_link(Pe& pe) {
  const Operation& op = *pe.op;
  const bool sends = op.op == Op::GP_SEND;
  const Direction direction = static_cast<Direction>(op.imm);
  if (!state_.links.next_to(pe.id, direction))
    return trap(pe, pe.since,
                {TrapKind::edge_link, 0,
                 fmt::format("gp.{} {}: no neighbour", sends ? "send" : "recv", name(direction))});
  Link& link = sends ? state_.links.out(pe.id, direction) : state_.links.in(pe.id, direction);
  pe.block = sends ? Block::link_full : Block::link_empty;
  pe.link = &link;
  if (sends ? !link.can_send() : !link.can_receive()) return;
  const Cycle at = sends ? link.send_cycle(pe.since) : link.receive_cycle(pe.since);
  if (at >= stepper_.end()) {
    pe.block = Block::waits_past_end;
    return;
  }
  if (sends)
    link.send(pe.x(op.rs1), at);
  else
    pe.set_x(op.rd, link.receive(at));
  stepper_.proceed(pe, at, sends ? Stall::link_full : Stall::link_empty);
}

void Worker::trap(Pe& pe, Cycle at, Fault fault) {
  state_.traps.raise(Phase::pe, {fault.kind, at, pe.id, pe.pc(), stepper_.word_at(pe, pe.pc()),
                                 fault.address, std::move(fault.detail)});
  pe.block = Block::stopped;
}

bool Worker::waits_at_links() {
  at_links_.clear();
  for (PeId id = first_; id < end_; ++id) {
    const Pe& pe = state_.pes[id];
    if (pe.block != Block::link_full && pe.block != Block::link_empty) continue;
    const auto other = state_.links.next_to(id, static_cast<Direction>(pe.op->imm));
    if (other && (*other < first_ || *other >= end_)) at_links_.push_back(id);
  }
  return !at_links_.empty();
}

bool Worker::can_go_on_at_links() const {
  return std::any_of(at_links_.begin(), at_links_.end(),
                     [&](PeId pe) { return can_go_on(state_.pes[pe]); });
}

}  // namespace simfarm::fast
