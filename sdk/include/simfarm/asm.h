// The machine's own instructions and the hardware loops as assembler macros, for .S files. Operands
// are in the order of docs/machine.md and `simfarm isa`.
// clang-format off
#ifndef SIMFARM_ASM_H
#define SIMFARM_ASM_H

#define SF_NORTH 0
#define SF_EAST 1
#define SF_SOUTH 2
#define SF_WEST 3
#define SF_ALL 0
#define SF_ROW 1
#define SF_COLUMN 2

.macro gp.dma rs1
  .insn i 0x2b, 5, x0, \rs1, 0
.endm
.macro gp.wait semaphore, rs1
  .insn i 0x2b, 5, x0, \rs1, 1 << 5 | (\semaphore)
.endm
.macro gp.post rs1, semaphore
  .insn i 0x2b, 5, x0, \rs1, 2 << 5 | (\semaphore)
.endm
.macro gp.bar group
  .insn i 0x2b, 5, x0, x0, 3 << 5 | (\group)
.endm
.macro gp.send direction, rs1
  .insn i 0x2b, 5, x0, \rs1, 4 << 5 | (\direction)
.endm
.macro gp.recv rd, direction
  .insn i 0x2b, 5, \rd, x0, 5 << 5 | (\direction)
.endm

// What the manual writes off(base), and (base), step, are two operands here.
.macro gp.ld2 lo, hi, off, base
  .insn r 0x2b, 6, 0 << 5 | (\off) / 8, \lo, \base, \hi
.endm
.macro gp.sd2 lo, hi, off, base
  .insn r 0x2b, 6, 1 << 5 | (\off) / 8, \hi, \base, \lo
.endm
.macro gp.ld2.step lo, hi, base, step
  .insn r 0x2b, 6, 2 << 5 | ((\step) / 8 & 31), \lo, \base, \hi
.endm
.macro gp.sd2.step lo, hi, base, step
  .insn r 0x2b, 6, 3 << 5 | ((\step) / 8 & 31), \hi, \base, \lo
.endm

.macro gp.xset lo, hi
  .insn r 0x2b, 7, 0x0c, x0, \lo, \hi
.endm
.macro gp.xld base
  .insn r 0x2b, 7, 0x10, x0, \base, x0
.endm
.macro gp.xsdot8 rd, lo, hi
  .insn r 0x2b, 7, 0x00, \rd, \lo, \hi
.endm
.macro gp.xudot8 rd, lo, hi
  .insn r 0x2b, 7, 0x04, \rd, \lo, \hi
.endm
.macro gp.xusdot8 rd, lo, hi
  .insn r 0x2b, 7, 0x08, \rd, \lo, \hi
.endm
.macro gp.xsdot8.ld rd, lo, hi, base
  .insn r4 0x2b, 7, 1, \rd, \lo, \hi, \base
.endm
.macro gp.xudot8.ld rd, lo, hi, base
  .insn r4 0x2b, 7, 2, \rd, \lo, \hi, \base
.endm
.macro gp.xusdot8.ld rd, lo, hi, base
  .insn r4 0x2b, 7, 3, \rd, \lo, \hi, \base
.endm
.macro gp.rqmul rd, rs1, rs2
  .insn r 0x2b, 7, 0x20, \rd, \rs1, \rs2
.endm
.macro gp.lut8 rd, rs1, rs2
  .insn r 0x2b, 7, 0x24, \rd, \rs1, \rs2
.endm
.macro gp.rshr rd, rs1, rs2
  .insn r 0x2b, 7, 0x28, \rd, \rs1, \rs2
.endm

// Hardware loops. Starts and ends are labels, the end that of the instruction after the loop. A loop
// is word aligned, without compressed or relaxed instructions: write it between sf.loop.begin and
// sf.loop.end. Set-ups from a register take its number (a0 is 10).
.macro sf.loop.begin
  .balign 4
  .option push
  .option norvc
  .option norelax
.endm
.macro sf.loop.end
  .option pop
.endm
.macro cv.starti loop, label
  .word (((\label - .) >> 2) << 20) | (4 << 12) | (0 << 8) | ((\loop) << 7) | 0x2b
.endm
.macro cv.start loop, number
  .word ((\number) << 15) | (4 << 12) | (1 << 8) | ((\loop) << 7) | 0x2b
.endm
.macro cv.endi loop, label
  .word (((\label - .) >> 2) << 20) | (4 << 12) | (2 << 8) | ((\loop) << 7) | 0x2b
.endm
.macro cv.end loop, number
  .word ((\number) << 15) | (4 << 12) | (3 << 8) | ((\loop) << 7) | 0x2b
.endm
.macro cv.counti loop, count
  .word ((\count) << 20) | (4 << 12) | (4 << 8) | ((\loop) << 7) | 0x2b
.endm
.macro cv.count loop, number
  .word ((\number) << 15) | (4 << 12) | (5 << 8) | ((\loop) << 7) | 0x2b
.endm
.macro cv.setupi loop, count, label
  .word ((\count) << 20) | (((\label - .) >> 2) << 15) | (4 << 12) | (6 << 8) | ((\loop) << 7) | 0x2b
.endm
.macro cv.setup loop, number, label
  .word (((\label - .) >> 2) << 20) | ((\number) << 15) | (4 << 12) | (7 << 8) | ((\loop) << 7) | 0x2b
.endm

#endif
