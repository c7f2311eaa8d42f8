#include "engine/fast/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/fast/doing.h"
#include "engine/fast/meter.h"
#include "engine/fast/planted.h"
#include "isa/traits.h"
#include "pe/bodies/scalar.h"

namespace simfarm::fast {
namespace {

constexpr u32 page_bytes = 4096;

std::vector<Stepper::Pages> pages_of(const RunInput& input, const Image& image) {
  std::vector<Stepper::Pages> pages;
  if (!input.machine.map.unified) return pages;
  for (const Segment& segment : image.segments) {
    if (!segment.executable || segment.memory_bytes == 0) continue;
    const u32 first = segment.address / page_bytes * page_bytes;
    const u64 end = u64{segment.address} + segment.memory_bytes;
    pages.push_back(
        {first, static_cast<u32>((end + page_bytes - 1) / page_bytes * page_bytes - first)});
  }
  return pages;
}

Stepped trapped(Cycle at, Fault fault) { return {Stepped::What::trapped, at, std::move(fault)}; }

}  // namespace

Stepper::Stepper(const RunInput& input, Graph& graph, const RunEnd& end)
    : input_(input), graph_(graph), end_(end) {
  for (const auto& image : input.program.images) pages_.push_back(pages_of(input, *image));
}

Stepper::Pages Stepper::executable_hull(u32 image) const {
  Pages hull;
  for (const Pages& pages : pages_[image]) {
    if (hull.bytes == 0) hull = pages;
    const u64 end = std::max(u64{hull.base} + hull.bytes, u64{pages.base} + pages.bytes);
    hull.base = std::min(hull.base, pages.base);
    hull.bytes = static_cast<u32>(end - hull.base);
  }
  return hull;
}

void Stepper::charge_some(Pe& pe, u8 region, Stall bin, Cycle from, u64 cycles) {
  const Cycle end = this->end();
  if (from >= end) return;
  const u64 counted = std::min(cycles, end - from);
  pe.counters_in(region).stalls[static_cast<u32>(bin)] += counted;
  pe.profile.add_stall(region, pe.entry.pc, bin, counted);
}

bool Stepper::come_to(Pe& pe) {
  const Node& node = *pe.node;
  pe.stepped_from = pe.node;
  pe.entry = node.entry;
  pe.node = nullptr;
  pe.op = node.meets;
  pe.since = pe.frame.clock;
  if (pe.since >= end()) return false;
  return pass_hazards(pe, node.before, pe.since);
}

/// False: the run ends before.
bool Stepper::pass_hazards(Pe& pe, const timing::Before& before, Cycle& now) {
  charge(pe, pe.entry.region, Stall::load_use, now, before.load_use);
  now += before.load_use;
  charge(pe, pe.entry.region,
         planted(Planted::neighbouring_stall_bin) ? Stall::load_use : Stall::jump_dep, now,
         before.jump_dep);
  now += before.jump_dep;
  return now < end();
}

Stepped Stepper::step(Pe& pe) {
  if (pe.node != nullptr && pe.node->meets != nullptr) {
    if (!come_to(pe)) return {Stepped::What::stopped};
    return {Stepped::What::meets, pe.since};
  }
  Node* const node = pe.stepped_from = pe.node;
  if (pe.node != nullptr) {
    pe.entry = pe.node->entry;
    pe.node = nullptr;
  }
  Cycle now = pe.frame.clock;
  if (now >= end()) return {Stepped::What::stopped};
  const u32 pc = pe.entry.pc;
  const DecodedImage& image = graph_.image(pe.image);
  const Operation* op = image.at(pc);
  if (op == nullptr)
    return trapped(now,
                   {TrapKind::fetch_fault, pc,
                    fmt::format("0x{:08x} is not an even address in an executable segment", pc)});
  if (op->op == illegal_op)
    return trapped(now,
                   {TrapKind::illegal_instruction, pc,
                    fmt::format("0x{:0{}x} is no instruction", image.word_at(pc), op->length * 2)});

  const timing::Before before = timing::before(pe.entry.pipeline, *op);
  if (!pass_hazards(pe, before, now)) return {Stepped::What::stopped};

  Doing doing{pe, *op, pe.loops(), pc, now, pc + op->length};
  doing.region = pe.entry.region;
  if (auto fault = loop_violation(doing.loops, pc, *op)) return trapped(now, std::move(*fault));
  pe.op = op;
  if (is_sync(op->op) || op->op == Op::ECALL) {
    pe.since = now;
    if (node != nullptr) {
      node->meets = op;
      node->before = before;
    }
    return {Stepped::What::meets, now};
  }

  const LoopPlace place = place_in(doing.loops, pc);
  const Loops before_loops = doing.loops;
  if (auto fault = execute(doing)) return trapped(now, std::move(*fault));
  if (!doing.jumps) {
    if (const u32 loop = loop_ending_at(before_loops, pc, op->length); loop < 2) {
      if (--doing.loops[loop].count > 0) doing.next_pc = doing.loops[loop].start;
    }
  }
  doing.facts.in_loop = place.inside;
  doing.facts.loop_last_but_one = place.last_but_one;
  doing.facts.loop_back = place.last && doing.next_pc != pc + op->length;
  doing.facts.wide_at_halfword = wide_at_halfword(image, doing.next_pc);
  if (planted(Planted::wide_target_after_fence) && row(op->op).timing == TimingClass::fence)
    doing.facts.wide_at_halfword = false;

  ++pe.counters_in(planted(Planted::late_region) ? doing.region : pe.entry.region)
        .issued[static_cast<u32>(row(op->op).issue)];
  pe.profile.add(pe.entry.region, pc, profile_issued, 1);
  ++pe.frame.retired;
  pe.entry.region = doing.region;
  const timing::After after = timing::after(pe.entry.pipeline, *op, doing.facts);
  charge(pe, doing.region, after.bin, now + 1, after.cycles);
  charge(pe, doing.region, Stall::branch, now + 1 + after.cycles, after.refill);
  pe.frame.clock = now + 1 + after.cycles + after.refill;
  pe.entry.pc = doing.next_pc;
  pe.set_loops(doing.loops);
  return {Stepped::What::done};
}

void Stepper::proceed(Pe& pe, Cycle at, Stall bin) {
  if (pe.checkpoints.on() && Checkpoints::counts(pe.op->op))
    pe.checkpoints.add(pe.entry.pc, at, *pe.op, [&](u32 k) { return pe.x(k); });
  charge(pe, pe.entry.region, bin, pe.since, at - pe.since);
  ++pe.counters_in(pe.entry.region).issued[static_cast<u32>(row(pe.op->op).issue)];
  pe.profile.add(pe.entry.region, pe.entry.pc, profile_issued, 1);
  ++pe.frame.retired;
  pe.frame.clock = at + 1;
  pe.block = Block::none;
  if (pe.stepped_from != nullptr && pe.stepped_from->passed != nullptr) {
    pe.node = std::exchange(pe.stepped_from, nullptr)->passed;
    return;
  }
  const u32 pc = pe.entry.pc;
  pe.entry.pc = pc + pe.op->length;
  if ((pe.entry.loops.count[0] | pe.entry.loops.count[1]) != 0) {
    Loops loops = pe.loops();
    if (const u32 loop = loop_ending_at(loops, pc, pe.op->length); loop < 2)
      if (--loops[loop].count > 0) pe.entry.pc = loops[loop].start;
    pe.set_loops(loops);
  }
  pe.entry.pipeline = {};
}

void Stepper::wait_until(Pe& pe, Cycle end, Stall bin) {
  if (end <= pe.since) return;
  pe.stepped[pe.entry.region].stalls[static_cast<u32>(bin)] += end - pe.since;
  pe.profile.add_stall(pe.entry.region, pe.entry.pc, bin, end - pe.since);
}

std::optional<Fault> Stepper::jump(Doing& doing, u32 target) {
  if (auto fault = jump_into_loop(doing.loops, target)) return fault;
  doing.next_pc = target;
  doing.jumps = true;
  return std::nullopt;
}

std::optional<Fault> Stepper::execute(Doing& doing) {
  Pe& pe = doing.pe;
  const Operation& op = doing.op;
  if (row(op.op).extension == Extension::xcvhwlp)
    return update_loop(doing.loops, op.rd, doing.pc, loop_update(op, doing.pc, doing.rs1()));
  if (bodies::has_condition(op.op)) {
    if (!bodies::scalar_condition(op.op)(doing.rs1(), doing.rs2(), op.imm2)) return std::nullopt;
    if (auto fault = jump(doing, doing.pc + doing.imm())) return fault;
    doing.facts.taken = true;
    return std::nullopt;
  }
  switch (row(op.op).timing) {
    case TimingClass::load:
    case TimingClass::store:
      return access_memory(doing);
    case TimingClass::csr:
      return access_csr(doing);
    case TimingClass::jal:
    case TimingClass::jalr: {
      const bool direct = row(op.op).timing == TimingClass::jal;
      const u32 target = direct ? doing.pc + doing.imm() : (doing.rs1() + doing.imm()) & ~1u;
      if (auto fault = jump(doing, target)) return fault;
      pe.set_x(op.rd, doing.pc + op.length);
      return std::nullopt;
    }
    case TimingClass::division:
      doing.facts.rs2 = doing.rs2();
      if (planted(Planted::negative_divisor) && static_cast<i32>(doing.facts.rs2) < 0)
        doing.facts.rs2 = ~doing.facts.rs2;
      break;
    case TimingClass::fence:
    case TimingClass::fence_i:
      return std::nullopt;
    case TimingClass::system:
      if (op.op == Op::EBREAK) return Fault{TrapKind::breakpoint, doing.pc, "ebreak"};
      if (op.op != Op::MRET) return std::nullopt;
      // A jump: there are no handlers to come back from.
      if (auto fault = jump(doing, pe.mepc)) return fault;
      pe.mstatus = (pe.mstatus & ~mstatus_mie) | mstatus_mpie |
                   ((pe.mstatus & mstatus_mpie) != 0 ? mstatus_mie : 0);
      return std::nullopt;
    default:
      break;
  }
  if (op.op == Op::GP_XSET) {
    pe.set_x(operand_low, doing.rs1());
    pe.set_x(operand_high, doing.rs2());
    return std::nullopt;
  }
  const bodies::Operands<u32> operands{.rd = doing.rd(),
                                       .rs1 = doing.rs1(),
                                       .rs2 = doing.rs2(),
                                       .rs3 = doing.rs3(),
                                       .x_low = pe.x(operand_low),
                                       .x_high = pe.x(operand_high),
                                       .imm = doing.imm(),
                                       .imm2 = op.imm2,
                                       .pc = doing.pc,
                                       .length = op.length};
  pe.set_x(op.rd, bodies::scalar_result(op.op)(operands));
  return std::nullopt;
}

}  // namespace simfarm::fast
