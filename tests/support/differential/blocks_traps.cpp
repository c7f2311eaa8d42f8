// What ends a generated program in a trap, or only by the cycle limit.
#include "isa/csr.h"
#include "isa/decode.h"
#include "tests/support/differential/blocks.h"

namespace simfarm::test {

void Blocks::trap() {
  const u8 reg = role::temporary;
  const auto call_environment = [&](u32 number) { code_.li(a7, number).emit(Op::ECALL); };
  switch (random_.below(15)) {
    case 0:  // no instruction, 16 or 32 bits
      if (random_.one_in(3)) return void(code_.word(0, 2));
      for (;;) {
        const u32 word = static_cast<u32>(random_.next());
        if (decode_any(word)) continue;
        return void(code_.word(word, is_compressed(word) ? 2 : 4));
      }
    case 1:
      return void(code_.emit(Op::EBREAK));
    case 2:  // a jump out of the program, or into its middle
      code_.li(reg, random_.one_in(2) ? static_cast<u32>(random_.next())
                                      : code_.here() + 2 * static_cast<u32>(random_.below(2000)));
      return void(code_.emit(Op::JALR, {.rd = ra, .rs1 = reg}));
    case 3:
      return call_environment(static_cast<u32>(random_.next()));
    case 4:  // a console write of bytes that are not there
      code_.li(a1, static_cast<u32>(random_.next())).li(a2, static_cast<u32>(random_.below(3)));
      return call_environment(64);
    case 5:
      code_.li(reg, 256 + static_cast<u32>(random_.below(9)));
      return void(code_.emit(Op::CSRRW, {.rs1 = reg, .imm = i32(csr::region)}));
    case 6:
      code_.emit(random_.one_in(2) ? Op::GP_SEND : Op::GP_RECV,
                 {.imm = static_cast<i32>(random_.below(4))});
      return;
    case 7:
      code_.li(reg, machine_.pes() + static_cast<u32>(random_.below(3)));
      return void(code_.emit(Op::GP_POST, {.rs1 = reg, .imm = 9}));
    case 8:
      code_.li(reg, random_.one_in(2) ? 0 : 0x1'0000);
      return void(
          code_.emit(Op::GP_WAIT, {.rs1 = reg, .imm = static_cast<i32>(random_.below(16))}));
    case 9:  // data as a descriptor, or no address of one
      code_.emit(Op::ADDI, {.rd = reg, .rs1 = role::centre, .imm = random_.one_in(2) ? 0 : 4});
      return void(code_.emit(Op::GP_DMA, {.rs1 = reg}));
    case 10:
    case 11:
      return trap_of_loop();
    default:
      return trap_of_memory();
  }
}

void Blocks::trap_of_memory() {
  const u8 reg = role::temporary;
  const Region& local = machine_.map.local;
  const u32 end = local.base + static_cast<u32>(local.bytes);
  const u32 places[] = {0,
                        end - static_cast<u32>(random_.below(8)),
                        local.base - 1 - static_cast<u32>(random_.below(4)),
                        machine_.map.instructions.base,
                        code_.here(),
                        machine_.map.ocm.base,
                        static_cast<u32>(random_.next())};
  code_.li(reg, places[random_.below(std::size(places))]);
  if (random_.one_in(4)) {  // 64 bits on a 4-byte boundary
    code_.emit(Op::ADDI, {.rd = reg, .rs1 = role::centre, .imm = 4});
    code_.emit(random_.one_in(2) ? Op::GP_LD2 : Op::GP_SD2, {.rs1 = reg, .rs2 = t1, .imm = 8});
    return;
  }
  static constexpr Op ops[] = {Op::LW, Op::LH, Op::LBU, Op::SW, Op::SB, Op::SH, Op::SW};
  code_.emit(ops[random_.below(std::size(ops))], {.rs1 = reg});
}

/// One restriction on hardware loops is not kept.
void Blocks::trap_of_loop() {
  const bool was_wide = std::exchange(code_.wide, true);
  const Code::Label start = code_.label(), end = code_.label(), inside = code_.label();
  code_.align();
  const u64 kind = random_.below(8);
  if (kind == 0) code_.word(1, 2);  // not word aligned
  if (kind == 1) {                  // its end is before its start
    code_.emit(Op::CV_SETUPI, {.imm2 = 1, .imm = 3}).nops(4);
    code_.wide = was_wide;
    code_.bind(start), code_.bind(end), code_.bind(inside);
    return;
  }
  set_up_loop(static_cast<u32>(random_.below(2)), 3, start, end);
  if (kind == 2) code_.go({.op = Op::JAL}, inside);
  operations_.emit(code_);
  if (kind == 3) code_.go({.op = Op::BEQ}, end);
  if (kind == 4) code_.word(1, 2).word(1, 2);
  if (kind == 5) code_.emit(Op::FENCE);
  code_.bind(inside);
  operations_.emit(code_);
  if (kind == 6)
    code_.emit(Op::CV_COUNTI, {.rd = 0, .imm = 3}), code_.emit(Op::CV_COUNTI, {.rd = 1, .imm = 3});
  if (kind == 7) {  // the inner loop ends where the outer one does
    const Code::Label inner_start = code_.label();
    set_up_loop(0, 2, inner_start, end);
  }
  while (code_.here() - code_.address(inside) < 12) operations_.emit(code_);
  code_.bind(end);
  code_.wide = was_wide;
  code_.nops(1);
}

void Blocks::endless() {
  const Code::Label top = code_.label();
  code_.bind(top);
  operations_.restore_bases(code_);
  straight(static_cast<u32>(random_.between(1, 20)));
  code_.go({.op = Op::JAL}, top);
}

}  // namespace simfarm::test
