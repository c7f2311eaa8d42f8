#include "engine/fast/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "engine/fast/planted.h"

namespace simfarm::fast {
namespace {

/// Where a wait is charged that does not end: to what it waits for.
Stall unfinished_wait(Op op) {
  switch (op) {
    case Op::GP_SEND:
      return Stall::link_full;
    case Op::GP_RECV:
      return Stall::link_empty;
    case Op::GP_DMA:
      return Stall::dma_queue_full;
    case Op::GP_BAR:
      return Stall::barrier;
    default:
      return Stall::sem_wait_none;
  }
}

/// The memory is zero before; most of it stays so.
void write_sparsely(const std::vector<u8>& bytes, LocalStore& local) {
  constexpr u64 piece = 64;
  static constexpr std::array<u8, piece> zeros{};
  for (u64 at = 0; at < bytes.size(); at += piece)
    if (std::memcmp(bytes.data() + at, zeros.data(), piece) != 0)
      local.write(static_cast<u32>(local.region().base + at), std::span(bytes).subspan(at, piece));
}

}  // namespace

Run::Run(const RunInput& input, const RunOptions& options, Cycle end)
    : input_(input),
      options_(options),
      graph_(input.program),
      stepper_(input, graph_, end),
      storage_(input.machine),
      hotness_(input.machine, options.host, storage_.width()),
      interpreter_(graph_, input.machine, storage_.width(), hotness_),
      shared_(input.machine, input.poison),
      pes_(input.machine.pes()),
      links_(input.machine),
      fabric_(input, options, pes_, stepper_, traps_, shared_) {
  shared_.load(input);
  const std::vector<u32> image_of = place_images(input);
  for (PeId id = 0; id < pes_.size(); ++id) {
    Pe& pe = pes_[id];
    const Image& image = *input.program.images[image_of[id]];
    pe.id = id;
    pe.image = image_of[id];
    pe.width = storage_.width();
    pe.frame.x = storage_.registers(id);
    pe.frame.memory = storage_.memory(id);
    pe.frame.counts = storage_.counts(id);
    pe.local = LocalStore(input.machine.map.local, pe.frame.memory, pe.width);
    write_sparsely(local_memory_at_start(input, id, image), pe.local);
    const StartRegisters start = registers_at_start(input, id, image);
    for (u32 row = 1; row < 32; ++row) pe.set_x(row, start.x[row]);
    pe.set_x(operand_low, static_cast<u32>(start.operand));
    pe.set_x(operand_high, static_cast<u32>(start.operand >> 32));
    pe.entry.pc = start.pc;
    pe.entry.image = pe.image;
  }
  ports_.resize(pes_.size());
  for (PeId id = 0; id < pes_.size(); ++id)
    for (u32 k = 0; k < direction_count; ++k) {
      const Direction direction = static_cast<Direction>(k);
      if (!links_.next_to(id, direction)) continue;
      ports_[id].out[k] = &links_.out(id, direction);
      ports_[id].in[k] = &links_.in(id, direction);
    }
}

void Run::go() {
  for (;;) {
    const bool ran = run_pes();
    const bool advanced = fabric_.advance();
    if (!ran && !advanced && !release_parked()) break;
  }
}

bool Run::can_go_on(Pe& pe) {
  switch (pe.block) {
    case Block::none:
      return !pe.parked;
    case Block::link_full:
    case Block::link_empty: {
      const Direction direction = static_cast<Direction>(pe.op->imm);
      return pe.block == Block::link_full ? links_.out(pe.id, direction).can_send()
                                          : links_.in(pe.id, direction).can_receive();
    }
    default:
      return false;
  }
}

/// Until it is blocked, or parked at a gate. True: neither, but it has done so much that others
/// should have their turn, since one may have trapped.
bool Run::run(Pe& pe) {
  const Stepper::Pages code = stepper_.executable_hull(pe.image);
  const Ports& ports = ports_[pe.id];
  while (pe.block == Block::none) {
    const Interpreter::Why why =
        interpreter_.run(pe, stepper_.end(), ports.out, ports.in, code.base, code.bytes);
    if (why == Interpreter::Why::a_lot) return true;
    if (why == Interpreter::Why::gate) {
      pe.parked = true;
      pe.meet_at = nullptr;
      return false;
    }
    if (why == Interpreter::Why::link) {
      wait_at_link(pe);
      break;
    }
    step(pe);
  }
  pe.gates_to_pass = 0;
  pe.meet_at = nullptr;
  return false;
}

void Run::step(Pe& pe) {
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

void Run::meet(Pe& pe) {
  if (pe.op->op == Op::GP_SEND || pe.op->op == Op::GP_RECV) return meet_link(pe);
  if (auto fault = fabric_.meet(pe)) trap(pe, pe.since, std::move(*fault));
}

/// pe.node is a link operation that cannot go on yet, and of which nothing is charged.
void Run::wait_at_link(Pe& pe) {
  pe.op = &pe.node->body[0];
  pe.since = pe.frame.clock + pe.node->hazard;
  pe.block = pe.op->op == Op::GP_SEND ? Block::link_full : Block::link_empty;
}

/// The other side has done something.
void Run::go_on_at_link(Pe& pe) {
  if (pe.node == nullptr) return meet_link(pe);
  pe.block = Block::none;
}

void Run::meet_link(Pe& pe) {
  const Operation& op = *pe.op;
  const bool sends = op.op == Op::GP_SEND;
  const Direction direction = static_cast<Direction>(op.imm);
  if (!links_.next_to(pe.id, direction))
    return trap(pe, pe.since,
                {TrapKind::edge_link, 0,
                 fmt::format("gp.{} {}: no neighbour", sends ? "send" : "recv", name(direction))});
  Link& link = sends ? links_.out(pe.id, direction) : links_.in(pe.id, direction);
  pe.block = sends ? Block::link_full : Block::link_empty;
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

void Run::trap(Pe& pe, Cycle at, Fault fault) {
  traps_.raise(Phase::pe, {fault.kind, at, pe.id, pe.pc(), stepper_.word_at(pe, pe.pc()),
                           fault.address, std::move(fault.detail)});
  pe.block = Block::stopped;
}

bool Run::all_ended() const {
  return std::all_of(pes_.begin(), pes_.end(),
                     [](const Pe& pe) { return pe.block == Block::ended; });
}

/// Of a run in which nothing more will happen: the first cycle in which nothing did; never: it goes
/// on at its end.
Cycle Run::first_standstill() const {
  if (!fabric_.quiet()) return never;
  Cycle cycle = fabric_.last_event();
  for (const Pe& pe : pes_) {
    switch (pe.block) {
      case Block::ended:
        cycle = std::max(cycle, pe.ended_in + 1);
        break;
      case Block::stopped:
      case Block::waits_past_end:
        return never;
      default:
        cycle = std::max(cycle, pe.since);
    }
  }
  if (all_ended() && fabric_.drained()) return cycle;
  return std::max({cycle, links_.quiet_from(), fabric_.last_barrier()});
}

Outcome Run::outcome() {
  Outcome outcome;
  // Who still waits at a link has not been charged what comes before the wait.
  for (Pe& pe : pes_)
    if ((pe.block == Block::link_full || pe.block == Block::link_empty) && pe.node != nullptr)
      if (stepper_.step(pe).what == Stepped::What::stopped) pe.block = Block::stopped;
  const Cycle end = stepper_.end();
  const Cycle still = first_standstill();
  const bool finished = all_ended() && fabric_.drained();
  outcome.kind = Outcome::Kind::cycle_limit;
  outcome.cycles = end;
  if (finished ? still <= end : still < end) {
    outcome.kind = finished ? Outcome::Kind::finished : Outcome::Kind::deadlock;
    outcome.cycles = still;
    if (planted(Planted::deadlock_cycle) && !finished && still + 1 < end) ++outcome.cycles;
  }
  for (Pe& pe : pes_) {
    outcome.pes.push_back(report(pe, outcome.cycles));
    outcome.dma.push_back(fabric_.report(pe.id, outcome.cycles));
  }
  if (outcome.kind == Outcome::Kind::deadlock) outcome.deadlock = explain(still);
  outcome.console = fabric_.console(outcome.cycles);
  return outcome;
}

PeReport Run::report(Pe& pe, Cycle end) {
  if (pe.block == Block::ended)
    pe.stepped[pe.entry.region].stalls[static_cast<u32>(Stall::done)] += end - (pe.ended_in + 1);
  else if (pe.block != Block::stopped)
    stepper_.wait_until(pe, end, unfinished_wait(pe.op->op));
  std::map<u8, Counters> regions = pe.stepped;
  const u64* together = storage_.tile_counts(pe.id / storage_.width(), input_.machine);
  for (u32 k = 0; k < graph_.exits(); ++k) {
    const u64 times = pe.frame.counts[k] + together[k];
    if (times == 0) continue;
    const ExitCost& cost = graph_.cost(k);
    Counters& counters = regions[cost.region];
    for (u32 bin = 0; bin < issue_class_count; ++bin)
      counters.issued[bin] += times * cost.counters.issued[bin];
    for (u32 bin = 0; bin < stall_count; ++bin)
      counters.stalls[bin] += times * cost.counters.stalls[bin];
  }
  PeReport report;
  regions[0];
  for (const auto& [region, counters] : regions) {
    if (region != 0 && counters.cycles() == 0) continue;
    report.regions.emplace(region, counters);
    report.total += counters;
  }
  check(report.total.cycles() == end, "a PE's bins do not sum to the run's cycles");
  if (pe.block == Block::ended && pe.ended_in + (planted(Planted::exit_code_at_end) ? 1 : 0) < end)
    report.exit_code = pe.exit_code;
  return report;
}

bool Run::read_local(PeId pe, u32 address, std::span<u8> bytes) const {
  if (pe >= pes_.size() || !pes_[pe].local.contains(address, bytes.size())) return false;
  pes_[pe].local.read(address, bytes);
  fabric_.unacquired(pe).put_on(address, bytes);
  return true;
}

Deadlock Run::explain(Cycle cycle) const {
  class Situation final : public Standstill {
   public:
    Situation(const Run& run, Cycle cycle) : run_(run), cycle_(cycle) {}
    const Machine& machine() const override { return run_.input_.machine; }
    Cycle cycle() const override { return cycle_; }
    bool ended(PeId pe) const override { return run_.pes_[pe].block == Block::ended; }
    u32 pc(PeId pe) const override { return run_.pes_[pe].pc(); }
    const Operation& operation(PeId pe) const override { return *run_.pes_[pe].op; }
    u32 rs1(PeId pe) const override { return run_.pes_[pe].x(operation(pe).rs1); }
    Cycle waiting_since(PeId pe) const override { return run_.pes_[pe].since; }
    u32 semaphore(PeId pe, u32 number) const override { return run_.fabric_.semaphore(pe, number); }
    std::optional<PeId> last_poster(PeId pe, u32 number) const override {
      return run_.fabric_.last_poster(pe, number);
    }
    std::vector<WaitingTransfer> waiting_transfers(PeId pe) const override {
      return run_.fabric_.waiting_transfers(pe);
    }
    Cycle acquiring_since(PeId pe) const override { return run_.fabric_.acquiring_since(pe); }

   private:
    const Run& run_;
    Cycle cycle_;
  };
  return explain_deadlock(Situation(*this, cycle));
}

}  // namespace simfarm::fast
