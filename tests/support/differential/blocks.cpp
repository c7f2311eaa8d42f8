#include "tests/support/differential/blocks.h"

#include "isa/csr.h"
#include "isa/encode.h"
#include "isa/row.h"

namespace simfarm::test {

Blocks::Blocks(const Machine& machine, Code& code, Random& random, const Style& style)
    : machine_(machine),
      code_(code),
      random_(random),
      style_(style),
      operations_(random, style.palette, style.wild) {
  operations_.base_skew = style.skewed ? 3 : 0;
}

void Blocks::prologue(u32 scratch_centre) {
  code_.li(role::centre, scratch_centre);
  operations_.restore_bases(code_);
  if (style_.divergence > 0) {
    code_.csr_read(t0, csr::mhartid);
    code_.li(t1, static_cast<u32>(random_.next()) | 1);
    code_.emit(Op::MUL, {.rd = t0, .rs1 = t0, .rs2 = t1});
  }
  for (const u8 reg : {t1, t2, a0, a1, a2, a3, a4, a5, a6, s6, s7, t6}) {
    if (random_.one_in(3)) {
      operations_.interesting_value(code_);
    } else if (style_.divergence > 1 && random_.one_in(2)) {
      code_.li(reg, static_cast<u32>(random_.next()));
      code_.emit(random_.one_in(2) ? Op::MUL : Op::XOR, {.rd = reg, .rs1 = reg, .rs2 = t0});
    } else {
      code_.li(reg, static_cast<u32>(random_.next()) >> random_.below(32));
    }
  }
}

void Blocks::exit() {
  if (random_.one_in(2)) code_.li(a0, static_cast<u32>(random_.below(3)));
  code_.li(a7, 93).emit(Op::ECALL);
}

void Blocks::block(u32 depth) {
  if (style_.console != 0 && random_.one_in(style_.console)) return console();
  const bool deep = depth >= 3 || spend_factor_ > 200;
  switch (random_.below(16)) {
    case 0:
    case 1:
      return deep ? straight(3) : forward_branch(depth);
    case 2:
    case 3:
    case 4:
      return deep ? straight(4) : counted_loop(depth);
    case 5:
    case 6:
      return deep ? straight(6) : hardware_loop();
    case 7:
      return deep ? straight(5) : call(depth);
    case 8:
      return random_.one_in(2) ? jump_table() : indirect_jump();
    case 9:
      return csr();
    case 10:
      return random_.one_in(2) ? machine_return() : fence_or_wfi();
    default:
      return straight(static_cast<u32>(random_.between(3, 24)));
  }
}

void Blocks::straight(u32 count) {
  for (u32 k = 0; k < count; ++k) {
    const u64 before = code_.emitted();
    operations_.emit(code_);
    spend(code_.emitted() - before);
  }
}

Op Blocks::any_branch() const {
  for (;;) {
    const Op op = rows()[random_.below(op_count)].op;
    if (row(op).timing == TimingClass::branch && !row(op).compressed()) return op;
  }
}

void Blocks::branch_on_data(Code::Label target, bool near) {
  Operation branch{.op = any_branch(), .rs1 = operations_.source(), .rs2 = operations_.source()};
  if (row(branch.op).extension == Extension::xcvbi) {
    branch.rs2 = 0;
    branch.imm2 = static_cast<u8>(random_.between(-16, 15));
  } else if (random_.one_in(3)) {  // as c.beqz and c.bnez have it
    branch.op = random_.one_in(2) ? Op::BEQ : Op::BNE;
    branch.rs1 = static_cast<u8>(random_.between(10, 15));
    branch.rs2 = 0;
  } else if (random_.one_in(3)) {  // one bit of the data decides: taken half of the time
    code_.emit(Op::ANDI, {.rd = role::temporary, .rs1 = branch.rs1, .imm = 1});
    branch = {.op = Op::BNE, .rs1 = role::temporary};
  }
  code_.go(branch, target, near);
  spend(2);
}

void Blocks::forward_branch(u32 depth) {
  const Code::Label end = code_.label();
  const bool near = random_.one_in(2);
  branch_on_data(end, near);
  if (near) {
    straight(static_cast<u32>(random_.between(0, 6)));
  } else {
    block(depth + 1);
  }
  if (!near && random_.one_in(2)) {  // the other way
    const Code::Label join = code_.label();
    code_.go({.op = Op::JAL}, join);
    code_.bind(end);
    block(depth + 1);
    code_.bind(join);
  } else {
    code_.bind(end);
  }
}

void Blocks::counted_loop(u32 depth) {
  const u64 most = std::max<u64>(left() / (spend_factor_ * 12), 1);
  const u32 rounds = static_cast<u32>(
      random_.between(1, static_cast<i64>(std::min<u64>(most, random_.one_in(4) ? 40 : 8))));
  const bool by_data = rounds > 1 && depth_ < role::counters && random_.one_in(3);
  repeat(rounds, [&] {
    if (by_data) {
      // Other trip counts on every PE: leave the loop on data.
      const u8 counter = static_cast<u8>(role::counter + depth_ - 1);
      code_.emit(Op::ANDI, {.rd = role::temporary, .rs1 = operations_.source(), .imm = 7});
      const Code::Label stay = code_.label();
      code_.go({.op = Op::BNE, .rs1 = role::temporary}, stay, true);
      code_.li(counter, 1);
      code_.bind(stay);
    }
    if (random_.one_in(2)) operations_.restore_bases(code_);
    const u64 blocks = random_.between(1, 2);
    for (u64 k = 0; k < blocks; ++k) block(depth + 1);
  });
}

void Blocks::close_loop(u8 counter, Code::Label top) {
  code_.emit(Op::ADDI, {.rd = counter, .rs1 = counter, .imm = -1});
  Operation back{.op = Op::BNE, .rs1 = counter};
  if (random_.one_in(3)) back.op = Op::CV_BNEIMM;
  if (random_.one_in(4)) back = {.op = Op::BLT, .rs1 = 0, .rs2 = counter};
  code_.go(back, top);
  spend(2);
}

void Blocks::fence_or_wfi() {
  static constexpr Op ops[] = {Op::FENCE, Op::FENCE_I, Op::WFI};
  code_.emit(ops[random_.below(3)]);
  spend(1);
}

void Blocks::csr() {
  static constexpr u32 numbers[] = {
      csr::mcycle,    csr::minstret, csr::cycle,    csr::instret,       csr::mcycleh,
      csr::lpcount0,  csr::mhartid,  csr::mscratch, csr::mcountinhibit, csr::mstatus,
      csr::pe_column, csr::lpstart1, csr::minstreth};
  if (random_.one_in(2)) {
    code_.emit(Op::CSRRWI, {.imm2 = static_cast<u8>(random_.below(6)), .imm = i32(csr::region)});
  } else {
    code_.csr_read(operations_.destination(), numbers[random_.below(std::size(numbers))]);
  }
  spend(1);
}

void Blocks::console() {
  if (code_.wide) return straight(2);
  operations_.restore_bases(code_);
  code_.emit(Op::ADDI, {.rd = a1, .rs1 = role::base, .imm = 0});
  code_.li(a2, static_cast<u32>(random_.below(random_.one_in(4) ? 20 : 4)));
  code_.li(a7, 64).emit(Op::ECALL);
  spend(8);
}

}  // namespace simfarm::test
