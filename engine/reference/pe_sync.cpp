// The instructions by which a PE meets the rest of the machine. Each is tried in every cycle from
// the one in which it would issue, until it can proceed.
#include <fmt/format.h>

#include "base/check.h"
#include "engine/reference/dma.h"
#include "engine/reference/pe.h"
#include "engine/reference/races.h"

namespace simfarm::reference {

Pe::Progress Pe::stays(Stall bin, u32 culprit) {
  if (!waiting_) {
    waiting_ = true;
    waiting_since_ = world_.now;
    waiting_for_ = culprit;
    account_.stall(bin, hart_.pc, world_.now, never, culprit);
  }
  return Progress::waits;
}

Pe::Progress Pe::proceeds(Stall bin, u32 culprit) {
  if (waiting_) {
    waiting_ = false;
    account_.end_wait(bin, world_.now, culprit);
  }
  return Progress::issued;
}

Pe::Progress Pe::synchronise() {
  switch (at_->op) {
    case Op::GP_SEND:
      return send();
    case Op::GP_RECV:
      return receive();
    case Op::GP_WAIT:
      return wait();
    case Op::GP_POST:
      return post();
    case Op::GP_BAR:
      return bar();
    case Op::GP_DMA:
      return dma();
    default:
      check_failed("a synchronising instruction that is not known",
                   std::source_location::current());
  }
}

Pe::Progress Pe::send() {
  const Operation& op = *at_;
  const Direction direction = static_cast<Direction>(op.imm);
  const std::optional<PeId> to = neighbour(world_.machine, id_, direction);
  if (!to)
    return trap(TrapKind::edge_link, 0, fmt::format("gp.send {}: no neighbour", name(direction)));
  const u32 word = hart_.x[op.rs1];
  if (!world_.links.send(id_, direction, word, world_.now)) return stays(Stall::link_full, *to);
  world_.watch.link(world_.now, id_, *to, word, "push");
  return proceeds(Stall::link_full, *to);
}

Pe::Progress Pe::receive() {
  const Operation& op = *at_;
  const Direction direction = static_cast<Direction>(op.imm);
  const std::optional<PeId> from = neighbour(world_.machine, id_, direction);
  if (!from)
    return trap(TrapKind::edge_link, 0, fmt::format("gp.recv {}: no neighbour", name(direction)));
  const std::optional<u32> word = world_.links.receive(id_, direction, world_.now);
  if (!word) return stays(Stall::link_empty, *from);
  if (op.rd != 0) hart_.x[op.rd] = *word;
  world_.watch.link(world_.now, *from, id_, *word, "pop");
  return proceeds(Stall::link_empty, *from);
}

Pe::Progress Pe::wait() {
  const Operation& op = *at_;
  const u32 semaphore = static_cast<u32>(op.imm);
  const u32 amount = hart_.x[op.rs1];
  if (amount == 0 || amount > amount_limit)
    return trap(TrapKind::bad_semaphore, semaphore,
                fmt::format("gp.wait {}: amount {} is not 1..{}", semaphore, amount, amount_limit));
  if (!world_.semaphores.take(id_, semaphore, amount)) {
    if (!waiting_) world_.semaphores.wait(id_, semaphore, amount);
    return stays(Stall::sem_wait_none, 0);
  }
  const Raiser by = world_.semaphores.end_wait(id_);
  const std::vector<TransferId> acquired = world_.locals[id_].acquire(semaphore, world_.now);
  if (world_.races) world_.races->acquired(id_, semaphore, acquired);
  return proceeds(by.bin, by.culprit);
}

Pe::Progress Pe::post() {
  const Operation& op = *at_;
  const PeId to = hart_.x[op.rs1];
  if (to >= world_.machine.pes())
    return trap(TrapKind::bad_target, to,
                fmt::format("gp.post to PE {}: there are {}", to, world_.machine.pes()));
  world_.posts.send({id_, to, static_cast<u32>(op.imm), hart_.pc}, world_.now);
  return Progress::issued;
}

Pe::Progress Pe::bar() {
  const BarrierGroup group = static_cast<BarrierGroup>(at_->imm);
  if (!waiting_) {
    world_.barriers.arrive(id_, group, world_.now);
    return stays(Stall::barrier, 0);
  }
  const PeId last = world_.barriers.last(id_, group);
  if (!world_.barriers.pass(id_, group, world_.now)) return Progress::waits;
  return proceeds(Stall::barrier, last);
}

Pe::Progress Pe::dma() {
  const u32 address = hart_.x[at_->rs1];
  Dma& engines = *world_.dma;
  if (!engines.has_room(id_))
    return stays(Stall::dma_queue_full, engines.engine(id_).head()->descriptor.address);

  auto chain = freeze_chain(address, world_.locals[id_], world_.machine, id_);
  if (!chain) return trap(TrapKind::bad_descriptor, address, chain.error().message);
  for (Request& request : *chain) {
    if (auto race = port_.race_of_reading(request))
      return trap(race->kind, race->address, std::move(race->detail));
    request.pc = hart_.pc;
    request.queued = world_.now;
  }
  engines.queue(id_, std::move(*chain));
  return proceeds(Stall::dma_queue_full, waiting_for_);
}

}  // namespace simfarm::reference
