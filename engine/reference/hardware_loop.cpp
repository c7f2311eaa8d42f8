#include "engine/reference/hardware_loop.h"

#include <fmt/format.h>

#include "isa/row.h"

namespace simfarm::reference {
namespace {

constexpr u32 shortest_body = 12;   // bytes: 3 instructions of 4
constexpr u32 nested_distance = 8;  // bytes from the inner loop's end to the outer's

bool holds(const HardwareLoop& loop, u32 pc) { return loop.start <= pc && pc < loop.end; }
bool active_at(const HardwareLoop& loop, u32 pc) { return loop.count > 0 && holds(loop, pc); }

Fault violation(u32 address, u32 number, std::string what) {
  return {TrapKind::hardware_loop, address,
          fmt::format("hardware loop {}: {}", number, std::move(what))};
}

/// What kind of instruction may not be in a body, or nullptr.
const char* forbidden(const Operation& op) {
  switch (row(op.op).timing) {
    case TimingClass::branch:
      return "a branch";
    case TimingClass::jal:
    case TimingClass::jalr:
      return "a jump";
    case TimingClass::fence:
    case TimingClass::fence_i:
      return "a fence";
    case TimingClass::system:
      if (op.op == Op::MRET) return "mret";
      return op.op == Op::WFI ? "wfi" : nullptr;
    default:
      return nullptr;
  }
}

/// The core counts a loop down at a flushing csr instruction without a look at its count: from 0 to
/// 2^32 - 1, and the loop starts. (Not in its manual; seen on the RTL.)
bool counts_below_zero(const HardwareLoop& loop, u32 pc, const Operation& op) {
  return loop.count == 0 && loop.end == pc + op.length && row(op.op).timing == TimingClass::csr &&
         csr_flushes(static_cast<u32>(op.imm));
}

}  // namespace

std::optional<Fault> loop_violation(const Hart& hart, const Operation& op) {
  const u32 pc = hart.pc;
  for (u32 k = 0; k < 2; ++k) {
    if (counts_below_zero(hart.loops[k], pc, op))
      return violation(
          pc, k,
          "a csr instruction that flushes the pipeline ends its body while its count is "
          "0, which the core would count down");
    if (!active_at(hart.loops[k], pc)) continue;
    if (op.length != 4) return violation(pc, k, "a compressed instruction in its body");
    if (pc % 4 != 0) return violation(pc, k, "an instruction in its body is not word aligned");
    if (const char* what = forbidden(op))
      return violation(pc, k, fmt::format("{} in its body", what));
    if (row(op.op).extension == Extension::xcvhwlp && op.rd == k)
      return violation(pc, k, "its registers are written in its body");
  }
  const HardwareLoop &inner = hart.loops[0], &outer = hart.loops[1];
  if (active_at(inner, pc) && active_at(outer, pc) &&
      u64{outer.end} < u64{inner.end} + nested_distance)
    return violation(
        pc, 1,
        fmt::format("its end 0x{:08x} is not 8 bytes beyond the end 0x{:08x} of loop 0, "
                    "which is nested in it",
                    outer.end, inner.end));
  return std::nullopt;
}

std::optional<Fault> jump_into_loop(const Hart& hart, u32 target) {
  for (u32 k = 0; k < 2; ++k)
    if (active_at(hart.loops[k], target) && target != hart.loops[k].start)
      return violation(target, k,
                       fmt::format("entered at 0x{:08x}, not at its start 0x{:08x}", target,
                                   hart.loops[k].start));
  return std::nullopt;
}

std::optional<Fault> update_loop(Hart& hart, u32 number, const LoopUpdate& update) {
  HardwareLoop& loop = hart.loops[number];
  const u32 pc = hart.pc;
  const auto wrong = [&](std::string what) { return violation(pc, number, std::move(what)); };

  if (update.relative_to_pc && pc % 4 != 0)
    return wrong("set up relative to a pc that is not word aligned");
  if (update.start.value_or(0) % 4 != 0)
    return wrong(fmt::format("its start 0x{:08x} is not word aligned", *update.start));
  if (update.end.value_or(0) % 4 != 0)
    return wrong(fmt::format("its end 0x{:08x} is not word aligned", *update.end));
  if ((update.start || update.end) && loop.count != 0)
    return wrong(
        fmt::format("its start or end is written while {} iterations are left", loop.count));

  const HardwareLoop next{update.start.value_or(loop.start), update.end.value_or(loop.end),
                          update.count.value_or(loop.count)};
  if (update.count && next.count > 0) {
    if (next.end <= next.start)
      return wrong(
          fmt::format("its end 0x{:08x} is not beyond its start 0x{:08x}", next.end, next.start));
    if (next.end - next.start < shortest_body)
      return wrong(fmt::format("its body has {} instructions, at least 3 are needed",
                               (next.end - next.start) / 4));
    if (holds(next, pc)) return wrong("started from inside its body");
  }
  loop = next;
  return std::nullopt;
}

u32 next_pc(Hart& hart, u32 length) {
  const u32 next = hart.pc + length;
  for (HardwareLoop& loop : hart.loops) {  // 0 first: the inner one
    if (loop.end != next || !active_at(loop, hart.pc)) continue;
    return --loop.count > 0 ? loop.start : next;
  }
  return next;
}

LoopPlace place_in_loops(const Hart& hart) {
  LoopPlace place;
  for (const HardwareLoop& loop : hart.loops) {
    // Only 32-bit instructions can be in a body, so that places are told by address.
    const bool repeats = loop.count > 1;
    if (repeats && hart.pc >= loop.start && hart.pc + 4 <= loop.end) place.inside = true;
    if (repeats && hart.pc + 4 == loop.end) place.last = true;
    if (hart.pc + 8 == loop.end) place.last_but_one = true;
  }
  return place;
}

}  // namespace simfarm::reference
