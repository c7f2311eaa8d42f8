// Jumps and hardware loops of the generator's programs.
#include "base/bytes.h"
#include "isa/csr.h"
#include "tests/support/differential/blocks.h"

namespace simfarm::test {
namespace {

/// Instructions of an outer loop behind its inner one; the machine wants two at least.
constexpr u32 outer_rest = 3;

}  // namespace

void Blocks::call(u32 depth) {
  const Code::Label over = code_.label(), function = code_.label();
  const u8 link = random_.one_in(3) ? t0 : ra;
  if (operations_.reserved(link)) return straight(3);
  code_.go({.op = Op::JAL}, over);
  code_.bind(function);
  operations_.reserve(link);
  if (random_.one_in(2))
    straight(static_cast<u32>(random_.between(0, 10)));
  else
    block(depth + 1);
  operations_.release(link);
  code_.emit(Op::JALR, {.rs1 = link});
  code_.bind(over);
  const u32 calls = static_cast<u32>(random_.between(1, 3));
  for (u32 k = 0; k < calls; ++k) {
    if (random_.one_in(3)) {
      code_.address_of(link, function);
      if (random_.one_in(2)) straight(static_cast<u32>(random_.below(2)));
      operations_.reserve(link);
      code_.emit(Op::JALR, {.rd = link, .rs1 = link});
      operations_.release(link);
    } else {
      code_.go({.op = Op::JAL, .rd = link}, function);
    }
    straight(static_cast<u32>(random_.below(3)));
  }
}

void Blocks::indirect_jump() {
  const Code::Label target = code_.label();
  const u8 reg = operations_.destination();
  if (reg == 0) return straight(2);
  code_.address_of(reg, target);
  const u8 link = operations_.destination();
  // Now and then what it needs comes late, out of memory.
  if (random_.one_in(2)) {
    operations_.restore_bases(code_);
    code_.emit(Op::SW, {.rs1 = role::base, .rs2 = reg});
    code_.emit(Op::LW, {.rd = reg, .rs1 = role::base});
    if (random_.one_in(2)) code_.nops(1);
  }
  code_.emit(Op::JALR, {.rd = link, .rs1 = reg});
  const bool was_wide = std::exchange(code_.wide, false);
  straight(static_cast<u32>(random_.below(3)));  // skipped
  code_.wide = was_wide;
  code_.bind(target);
  spend(5);
}

/// Cases of the same length; the data say which.
void Blocks::jump_table() {
  const Code::Label table = code_.label(), join = code_.label();
  const u8 index = role::temporary, address = role::other_temporary;
  code_.emit(Op::ANDI, {.rd = index, .rs1 = operations_.source(), .imm = 3});
  code_.emit(Op::SLLI, {.rd = index, .rs1 = index, .imm = 3});
  code_.address_of(address, table);
  code_.emit(Op::ADD, {.rd = address, .rs1 = address, .rs2 = index});
  code_.emit(Op::JALR, {.rs1 = address});
  code_.bind(table);
  const bool was_wide = std::exchange(code_.wide, true);
  for (u32 k = 0; k < 4; ++k) {
    code_.emit(Op::XORI, {.rd = operations_.destination(), .rs1 = operations_.source(), .imm = 9});
    code_.go({.op = Op::JAL}, join);
  }
  code_.wide = was_wide;
  code_.bind(join);
  spend(8);
}

void Blocks::machine_return() {
  const Code::Label target = code_.label();
  code_.address_of(role::temporary, target);
  code_.emit(Op::CSRRW, {.rs1 = role::temporary, .imm = i32(csr::mepc)});
  straight(static_cast<u32>(random_.below(3)));
  // Something between may have written mepc.
  code_.emit(Op::CSRRW, {.rs1 = role::temporary, .imm = i32(csr::mepc)});
  code_.address_of(role::temporary, target);
  code_.emit(Op::CSRRW, {.rs1 = role::temporary, .imm = i32(csr::mepc)});
  code_.emit(Op::MRET);
  straight(static_cast<u32>(random_.below(2)));
  code_.bind(target);
  spend(6);
}

/// Start, end and count of loop `loop`, in one of the ways there are. `start` follows directly.
void Blocks::set_up_loop(u32 loop, u32 rounds, Code::Label start, Code::Label end) {
  const u8 number = static_cast<u8>(loop), reg = role::temporary;
  const auto bound = [&](Op by_register, Op by_immediate, Code::Label label) {
    if (random_.one_in(2)) return void(code_.go({.op = by_immediate, .rd = number}, label));
    code_.address_of(reg, label);
    code_.emit(by_register, {.rd = number, .rs1 = reg});
  };
  bound(Op::CV_START, Op::CV_STARTI, start);
  bound(Op::CV_END, Op::CV_ENDI, end);
  if (random_.one_in(2)) {
    code_.emit(Op::CV_COUNTI, {.rd = number, .imm = i32(rounds)});
  } else {
    code_.li(reg, rounds);
    code_.emit(Op::CV_COUNT, {.rd = number, .rs1 = reg});
  }
  code_.bind(start);
}

void Blocks::hardware_body(u32 instructions, u32 flushing) {
  const u32 first = code_.here();
  // In the last place a csr is read when the loop has counted down.
  const u32 at =
      random_.one_in(3) ? instructions - 1 : static_cast<u32>(random_.below(instructions));
  static constexpr u32 numbers[] = {csr::mcycle, csr::mcycle, csr::lpcount0, csr::lpcount1};
  while (code_.here() - first < 4 * instructions) {
    if (flushing != 0 && random_.one_in(flushing) && code_.here() - first == 4 * at)
      code_.csr_read(operations_.destination(), numbers[random_.below(std::size(numbers))]);
    else
      operations_.emit(code_);
  }
}

/// cv.setupi or cv.setup need the length first: the body is made, measured, then put behind them.
void Blocks::short_loop(u8 loop, u32 rounds, u32 length) {
  Code body(code_.here(), random_, 0);
  body.wide = true;
  while (body.here() < code_.here() + 4 * length) operations_.emit(body);
  const u32 words = static_cast<u32>(body.bytes().size()) / 4 + 1;
  if (words < 32 && random_.one_in(2)) {
    code_.emit(Op::CV_SETUPI, {.rd = loop, .imm2 = static_cast<u8>(words), .imm = i32(rounds)});
  } else {
    code_.li(role::temporary, rounds);
    code_.emit(Op::CV_SETUP, {.rd = loop, .rs1 = role::temporary, .imm = i32(words)});
  }
  for (u64 at = 0; at < body.bytes().size(); at += 4)
    code_.word(static_cast<u32>(load_bytes(body.bytes(), at, 4)), 4);
}

void Blocks::nested_loops(u32 rounds, u32 length, u32 flushing) {
  const Code::Label start = code_.label(), end = code_.label();
  const Code::Label inner_start = code_.label(), inner_end = code_.label();
  const u32 inner_rounds = static_cast<u32>(random_.between(1, 4));
  set_up_loop(1, rounds, start, end);
  straight(static_cast<u32>(random_.below(3)));
  set_up_loop(0, inner_rounds, inner_start, inner_end);
  hardware_body(length, flushing);
  code_.bind(inner_end);
  hardware_body(outer_rest, flushing);
  code_.bind(end);
  spend(u64{rounds} * (u64{length} * inner_rounds + 14));
}

void Blocks::hardware_loop() {
  const bool was_wide = std::exchange(code_.wide, true);
  if (!was_wide) code_.align();
  const i64 most = static_cast<i64>(std::max<u64>(left() / (spend_factor_ * 10), 1));
  const u32 rounds =
      static_cast<u32>(random_.between(0, std::min<i64>(most, random_.one_in(4) ? 60 : 9)));
  const u32 length = static_cast<u32>(random_.between(3, 14));
  const u32 flushing = random_.one_in(4) ? 1 : 0;
  if (random_.one_in(3) && rounds > 0) {
    nested_loops(rounds, length, flushing);
  } else {
    const u8 loop = static_cast<u8>(random_.below(2));
    if (random_.one_in(2) && rounds > 0) {
      short_loop(loop, rounds, length);
    } else {
      const Code::Label start = code_.label(), end = code_.label();
      set_up_loop(loop, rounds, start, end);
      hardware_body(length, flushing);
      code_.bind(end);
    }
    spend(u64{length} * std::max<u32>(rounds, 1) + 8);
  }
  code_.wide = was_wide;
}

}  // namespace simfarm::test
