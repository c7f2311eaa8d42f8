// A decoded instruction as the engines execute it.
#pragma once
#include "base/types.h"
#include "isa/op.h"

namespace simfarm {

/// One instruction, operands extracted, compressed forms already expanded to their 32-bit row.
///
/// Fields that a row does not use are zero. What they mean where the name does not say it:
///  - post-increment and register-offset stores: rs1 base, rs2 data, rs3 the register offset;
///  - gp.ld2 lo, hi, off(rs1): rd = lo, rs2 = hi (a destination there); gp.sd2: rs2 = lo, rs3 = hi
///    (in the word lo is at bits 24:20, hi at 11:7);
///  - gp.x*dot8[.ld] rd, lo, hi[, pointer]: rs1 = lo, rs2 = hi, rs3 = pointer;
///  - branches and jumps: imm is the byte offset from this instruction's own pc;
///  - csr*i: imm2 is the 5-bit immediate, imm the csr number; csr*: imm the csr number;
///  - two immediates (cv.extract, cv.insert, cv.bclr, cv.bset rd, rs1, is3, is2; cv.setupi L,
///  count,
///    uimmS): imm is the first one written, imm2 the second; a hardware-loop number L is in rd, its
///    immediates are unscaled, in words;
///  - cv.beqimm, cv.bneimm: imm is the byte offset, imm2 the sign-extended operand, as two's
///  complement;
///  - lui, auipc: imm is the value to load or add, its low 12 bits zero;
///  - gp.wait / gp.post / gp.bar / gp.send / gp.recv: the semaphore, group or direction is imm.
struct Operation {
  Op op{};
  u8 rd = 0;
  u8 rs1 = 0;
  u8 rs2 = 0;
  u8 rs3 = 0;
  u8 length = 4;  ///< bytes in the program: 2 or 4
  u8 imm2 = 0;
  i32 imm = 0;

  friend bool operator==(const Operation&, const Operation&) = default;
};
static_assert(sizeof(Operation) == 12);

}  // namespace simfarm
