#include "engine/fast/loops.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/row.h"
#include "pe/csr.h"

namespace simfarm::fast {
namespace {

constexpr u32 instruction_bytes = 4;
constexpr u32 fewest_instructions = 3;  // of a body
constexpr u32 nesting_bytes = 8;        // between the ends of nested loops

Fault broken(u32 address, u32 number, const std::string& rule) {
  return {TrapKind::hardware_loop, address, fmt::format("hardware loop {}: {}", number, rule)};
}

/// Instructions that may not be in a body, by the name that reports give them; empty: it may.
std::string_view unwelcome(const Operation& op) {
  const TimingClass timing = row(op.op).timing;
  if (timing == TimingClass::branch) return "a branch";
  if (timing == TimingClass::jal || timing == TimingClass::jalr) return "a jump";
  if (timing == TimingClass::fence || timing == TimingClass::fence_i) return "a fence";
  if (op.op == Op::MRET) return "mret";
  if (op.op == Op::WFI) return "wfi";
  return {};
}

/// A flushing csr access makes the core count down without a look at the count.
bool underflows(const Loop& loop, u32 pc, const Operation& op) {
  return loop.count == 0 && loop.end == pc + op.length && row(op.op).timing == TimingClass::csr &&
         csr_flushes(static_cast<u32>(op.imm));
}

}  // namespace

LoopContext context_of(const Loops& loops) {
  LoopContext context;
  for (u32 k = 0; k < 2; ++k) {
    context.start[k] = loops[k].start;
    context.end[k] = loops[k].end;
    context.count[k] = static_cast<u8>(std::min(loops[k].count, 2u));
  }
  return context;
}

Loops loops_of(const LoopContext& context) {
  Loops loops;
  for (u32 k = 0; k < 2; ++k) loops[k] = {context.start[k], context.end[k], context.count[k]};
  return loops;
}

std::optional<Fault> loop_violation(const Loops& loops, u32 pc, const Operation& op) {
  for (u32 k = 0; k < 2; ++k) {
    if (underflows(loops[k], pc, op))
      return broken(pc, k,
                    "a csr instruction that flushes the pipeline ends its body while its count is "
                    "0, which the core would count down");
    if (!loops[k].active_at(pc)) continue;
    if (op.length != instruction_bytes)
      return broken(pc, k, "a compressed instruction in its body");
    if (pc % instruction_bytes != 0)
      return broken(pc, k, "an instruction in its body is not word aligned");
    if (const std::string_view name = unwelcome(op); !name.empty())
      return broken(pc, k, fmt::format("{} in its body", name));
    if (row(op.op).extension == Extension::xcvhwlp && op.rd == k)
      return broken(pc, k, "its registers are written in its body");
  }
  const auto& [inner, outer] = loops;
  if (inner.active_at(pc) && outer.active_at(pc) && u64{inner.end} + nesting_bytes > outer.end)
    return broken(pc, 1,
                  fmt::format("its end 0x{:08x} is not 8 bytes beyond the end 0x{:08x} of loop 0, "
                              "which is nested in it",
                              outer.end, inner.end));
  return std::nullopt;
}

std::optional<Fault> jump_into_loop(const Loops& loops, u32 target) {
  for (u32 k = 0; k < 2; ++k)
    if (loops[k].active_at(target) && target != loops[k].start)
      return broken(
          target, k,
          fmt::format("entered at 0x{:08x}, not at its start 0x{:08x}", target, loops[k].start));
  return std::nullopt;
}

u32 loop_ending_at(const Loops& loops, u32 pc, u32 length) {
  u32 k = 0;
  while (k < 2 && !(loops[k].end == pc + length && loops[k].active_at(pc))) ++k;
  return k;
}

LoopUpdate loop_update(const Operation& op, u32 pc, u32 rs1) {
  const u32 imm = static_cast<u32>(op.imm);
  const auto ahead = [pc](u32 words) { return pc + instruction_bytes * words; };
  switch (op.op) {
    case Op::CV_STARTI:
      return {.start = ahead(imm), .relative_to_pc = true};
    case Op::CV_START:
      return {.start = rs1};
    case Op::CV_ENDI:
      return {.end = ahead(imm), .relative_to_pc = true};
    case Op::CV_END:
      return {.end = rs1};
    case Op::CV_COUNTI:
      return {.count = imm};
    case Op::CV_COUNT:
      return {.count = rs1};
    case Op::CV_SETUPI:
      return {ahead(1), ahead(op.imm2), imm, true};
    default:  // CV_SETUP
      return {ahead(1), ahead(imm), rs1, true};
  }
}

std::optional<Fault> update_loop(Loops& loops, u32 number, u32 pc, const LoopUpdate& update) {
  Loop next = loops[number];
  if (update.relative_to_pc && pc % instruction_bytes != 0)
    return broken(pc, number, "set up relative to a pc that is not word aligned");
  if (update.start && *update.start % instruction_bytes != 0)
    return broken(pc, number, fmt::format("its start 0x{:08x} is not word aligned", *update.start));
  if (update.end && *update.end % instruction_bytes != 0)
    return broken(pc, number, fmt::format("its end 0x{:08x} is not word aligned", *update.end));
  if ((update.start || update.end) && next.count != 0)
    return broken(
        pc, number,
        fmt::format("its start or end is written while {} iterations are left", next.count));
  if (update.start) next.start = *update.start;
  if (update.end) next.end = *update.end;
  if (update.count) {
    next.count = *update.count;
    const u32 bytes = next.end - next.start;
    if (next.count > 0 && next.end <= next.start)
      return broken(
          pc, number,
          fmt::format("its end 0x{:08x} is not beyond its start 0x{:08x}", next.end, next.start));
    if (next.count > 0 && bytes < fewest_instructions * instruction_bytes)
      return broken(pc, number,
                    fmt::format("its body has {} instructions, at least {} are needed",
                                bytes / instruction_bytes, fewest_instructions));
    if (next.active_at(pc)) return broken(pc, number, "started from inside its body");
  }
  loops[number] = next;
  return std::nullopt;
}

LoopPlace place_in(const Loops& loops, u32 pc) {
  LoopPlace place;
  for (const Loop& loop : loops) {
    const bool repeats = loop.count > 1;
    place.inside |= repeats && loop.start <= pc && pc + instruction_bytes <= loop.end;
    place.last |= repeats && pc + instruction_bytes == loop.end;
    place.last_but_one |= pc + 2 * instruction_bytes == loop.end;
  }
  return place;
}

}  // namespace simfarm::fast
