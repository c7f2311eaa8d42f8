#include "engine/reference/pe.h"

#include <fmt/format.h>

#include "engine/reference/hardware_loop.h"
#include "isa/row.h"

namespace simfarm::reference {
namespace {

constexpr u32 ecall_exit = 93;
constexpr u32 ecall_write = 64;
constexpr u32 a0 = 10, a1 = 11, a2 = 12, a7 = 17;

}  // namespace

Pe::Pe(PeId id, std::shared_ptr<const DecodedImage> code, const Image& image, const Hart& start,
       World& world)
    : id_(id),
      code_(std::move(code)),
      world_(world),
      port_(id, world, image),
      hart_(start),
      account_(id, world.watch, world.options.profile),
      checkpoints_(world.options.checkpoints) {
  const Machine& machine = world.machine;
  around_ = {0,
             id,
             machine.row_of(id),
             machine.column_of(id),
             machine.rows,
             machine.columns,
             static_cast<u32>(machine.map.local.bytes)};
}

Cycle Pe::step() {
  const Cycle now = world_.now;
  if (at_ == nullptr) {
    account_.settle(now);
    if (refill_ > 0) {
      const Cycle until = now + refill_;
      account_.stall(Stall::branch, last_pc_, now, until, last_pc_);
      refill_ = 0;
      return until;
    }
    if (!fetch()) return never;
    hazards_ = timing::before(pipeline_, *at_);
    place_ = place_in_loops(hart_);
  }
  if (hazards_.load_use > 0) return pay(Stall::load_use, hazards_.load_use);
  if (hazards_.jump_dep > 0) return pay(Stall::jump_dep, hazards_.jump_dep);
  if (!waiting_) account_.settle(now);

  const Operation& op = *at_;
  facts_ = {};
  new_region_.reset();
  const Progress progress = perform();
  if (progress == Progress::trapped) return never;
  if (progress == Progress::waits) return now + 1;

  account_.issue(now, hart_.pc, row(op.op).issue);
  world_.watch.issued(now, id_, hart_.pc, op, hart_.x);
  if (checkpoints_.on() && Checkpoints::counts(op.op)) {
    settle_checkpoint(now);
    last_point_.op = &op;
    last_point_.pc = hart_.pc;
    last_point_.cycle = now;
    std::copy_n(hart_.x.begin(), 32, last_point_.x.begin());
  }
  // The write itself still belongs to the old region.
  if (new_region_) account_.enter(*new_region_);
  const Operation* next = code_->at(next_pc_);
  facts_.wide_at_halfword = (next_pc_ & 2) != 0 && next != nullptr && next->length == 4;
  facts_.in_loop = place_.inside;
  facts_.loop_last_but_one = place_.last_but_one;
  facts_.loop_back = place_.last && next_pc_ != hart_.pc + op.length;
  const timing::After after = timing::after(pipeline_, op, facts_);
  const u32 pc = hart_.pc;
  last_pc_ = pc;
  hart_.pc = next_pc_;
  ++hart_.retired;
  at_ = nullptr;
  if (ended_) {
    account_.stall(Stall::done, pc, now + 1, never, 0);
    return never;
  }
  refill_ = after.refill;
  if (after.cycles > 0) account_.stall(after.bin, pc, now + 1, now + 1 + after.cycles, pc);
  return now + 1 + after.cycles;
}

bool Pe::fetch() {
  at_ = code_->at(hart_.pc);
  if (at_ == nullptr) {
    trap(TrapKind::fetch_fault, hart_.pc,
         fmt::format("0x{:08x} is not an even address in an executable segment", hart_.pc));
    return false;
  }
  if (at_->op != illegal_op) return true;
  const u32 word = code_->word_at(hart_.pc);
  trap(TrapKind::illegal_instruction, hart_.pc,
       fmt::format("0x{:0{}x} is no instruction", word, at_->length * 2));
  return false;
}

Cycle Pe::pay(Stall bin, u32& cycles) {
  account_.settle(world_.now);
  const Cycle until = world_.now + cycles;
  account_.stall(bin, hart_.pc, world_.now, until, last_pc_);
  cycles = 0;
  return until;
}

Pe::Progress Pe::trap(TrapKind kind, u32 address, std::string detail) {
  const u32 word = at_ != nullptr ? code_->word_at(hart_.pc) : 0;
  world_.traps.raise({kind, world_.now, id_, hart_.pc, word, address, std::move(detail)});
  return Progress::trapped;
}

Pe::Progress Pe::perform() {
  const Operation& op = *at_;
  const bool synchronises = row(op.op).timing == TimingClass::sync;
  if (synchronises || op.op == Op::ECALL) {
    if (auto fault = waiting_ ? std::nullopt : loop_violation(hart_, op))
      return trap(fault->kind, fault->address, std::move(fault->detail));
    const Progress progress = synchronises ? synchronise() : environment_call();
    if (progress == Progress::issued) next_pc_ = next_pc(hart_, op.length);
    return progress;
  }
  around_.cycle = world_.now;
  Executed done = execute(hart_, op, around_, port_);
  if (done.fault) return trap(done.fault->kind, done.fault->address, std::move(done.fault->detail));
  next_pc_ = done.next_pc;
  facts_ = done.facts;
  new_region_ = done.region;
  return Progress::issued;
}

Pe::Progress Pe::environment_call() {
  if (hart_.x[a7] == ecall_exit) return exit();
  if (hart_.x[a7] == ecall_write) return write_console();
  return trap(TrapKind::unknown_ecall, 0,
              fmt::format("a7 is {}; 93 ends the PE, 64 writes to the console", hart_.x[a7]));
}

Pe::Progress Pe::exit() {
  ended_ = true;
  ended_in_ = world_.now;
  exit_code_ = hart_.x[a0];
  world_.barriers.end(id_, world_.now);
  return Progress::issued;
}

Pe::Progress Pe::write_console() {
  const u32 address = hart_.x[a1], bytes = hart_.x[a2];
  if (auto fault = port_.load_fault(address, bytes))
    return trap(fault->kind, fault->address, std::move(fault->detail));
  const std::span<const u8> text = world_.locals[id_].view(address, bytes);
  if (!world_.console.write(world_.now, id_, {text.begin(), text.end()}))
    return trap(TrapKind::output_limit, address,
                fmt::format("the run may write {} bytes", world_.console.limit()));
  hart_.x[a0] = bytes;
  return Progress::issued;
}

void Pe::settle_checkpoint(Cycle end) {
  const Issued& last = last_point_;
  if (last.op != nullptr && last.cycle < end)
    checkpoints_.add(last.pc, last.cycle, *last.op, [&](u32 k) { return last.x[k]; });
  last_point_.op = nullptr;
}

PeReport Pe::report(Cycle end) {
  account_.settle(end);
  settle_checkpoint(end);
  PeReport report;
  account_.report(end, report);
  if (ended_ && ended_in_ < end) report.exit_code = exit_code_;
  report.checkpoints = checkpoints_;
  return report;
}

}  // namespace simfarm::reference
