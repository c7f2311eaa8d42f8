// Hardware loops (XCVhwlp) for inline assembly. No assembler here knows them, so they are spelled
// as words whose register field comes from the symbols below.
//
// A C compiler may move code across the edges of a loop that it does not know, so a hardware loop
// is written as one piece of assembly, body included:
//
//   __asm__ volatile(SF_LOOP(0, "%[n]", "lw %[a], 0(%[p])\n addi ...\n add ...")
//                    : [p] "+r"(p), ... : [n] "r"(n) : "memory");
//
// SF_LOOP sees to the core's restrictions that can be checked when assembling: the loop starts at a
// word boundary, nothing in it is compressed or relaxed, and it has at least three instructions
// (else an error). The writer sees to the rest: no jump, branch, ecall, fence or csr instruction in
// the body, a count of at least 1, and at least two instructions between the end of an inner loop
// (0) and that of the loop around it (1).
#ifndef SIMFARM_LOOP_H
#define SIMFARM_LOOP_H

#include "simfarm/base.h"

// Numbers of the registers by the names that compilers print.
__asm__(
    ".set .Lsf_x_zero, 0\n .set .Lsf_x_ra, 1\n .set .Lsf_x_sp, 2\n .set .Lsf_x_gp, 3\n"
    ".set .Lsf_x_tp, 4\n .set .Lsf_x_t0, 5\n .set .Lsf_x_t1, 6\n .set .Lsf_x_t2, 7\n"
    ".set .Lsf_x_s0, 8\n .set .Lsf_x_s1, 9\n .set .Lsf_x_a0, 10\n .set .Lsf_x_a1, 11\n"
    ".set .Lsf_x_a2, 12\n .set .Lsf_x_a3, 13\n .set .Lsf_x_a4, 14\n .set .Lsf_x_a5, 15\n"
    ".set .Lsf_x_a6, 16\n .set .Lsf_x_a7, 17\n .set .Lsf_x_s2, 18\n .set .Lsf_x_s3, 19\n"
    ".set .Lsf_x_s4, 20\n .set .Lsf_x_s5, 21\n .set .Lsf_x_s6, 22\n .set .Lsf_x_s7, 23\n"
    ".set .Lsf_x_s8, 24\n .set .Lsf_x_s9, 25\n .set .Lsf_x_s10, 26\n .set .Lsf_x_s11, 27\n"
    ".set .Lsf_x_t3, 28\n .set .Lsf_x_t4, 29\n .set .Lsf_x_t5, 30\n .set .Lsf_x_t6, 31\n");

// The eight instructions, as text. `loop` is 0 or 1, `words` counts from the instruction itself,
// `count` and `words` are constants of the assembler, `rs` an operand that is a register.
#define SF_HW_(loop, minor, immediate, field)                                   \
  ".word ((" immediate ") << 20) | ((" field ") << 15) | (4 << 12) | ((" #minor \
  ") << 8) | ((" #loop ") << 7) | 0x2b\n"
#define SF_CV_STARTI(loop, words) SF_HW_(loop, 0, words, "0")
#define SF_CV_START(loop, rs) SF_HW_(loop, 1, "0", ".Lsf_x_" rs)
#define SF_CV_ENDI(loop, words) SF_HW_(loop, 2, words, "0")
#define SF_CV_END(loop, rs) SF_HW_(loop, 3, "0", ".Lsf_x_" rs)
#define SF_CV_COUNTI(loop, count) SF_HW_(loop, 4, count, "0")
#define SF_CV_COUNT(loop, rs) SF_HW_(loop, 5, "0", ".Lsf_x_" rs)
#define SF_CV_SETUPI(loop, count, words) SF_HW_(loop, 6, count, words)
#define SF_CV_SETUP(loop, rs, words) SF_HW_(loop, 7, words, ".Lsf_x_" rs)

// Labels are unique by %=, the number that the compiler gives each piece of assembly.
#define SF_LOOP_TEXT_(setup, body, loop)                         \
  ".balign 4\n"                                                  \
  ".option push\n"                                               \
  ".option norvc\n"                                              \
  ".option norelax\n"                                            \
  ".Lsf_loop" #loop "_%=:\n" setup body                          \
  "\n"                                                           \
  ".Lsf_loop" #loop                                              \
  "_end_%=:\n"                                                   \
  ".if .Lsf_loop" #loop "_end_%= - .Lsf_loop" #loop              \
  "_%= < 16\n"                                                   \
  ".error \"a hardware loop has at least three instructions\"\n" \
  ".endif\n"                                                     \
  ".option pop\n"
#define SF_LOOP_WORDS_(loop) "(.Lsf_loop" #loop "_end_%= - .Lsf_loop" #loop "_%=) >> 2"

/// Runs `body` (assembly text) as often as the register operand `rs` says; loop 0 or 1.
#define SF_LOOP(loop, rs, body) \
  SF_LOOP_TEXT_(SF_CV_SETUP(loop, rs, SF_LOOP_WORDS_(loop)), body, loop)
/// The same with a constant count, 1..4095; the body has at most 30 instructions.
#define SF_LOOP_CONST(loop, count, body) \
  SF_LOOP_TEXT_(SF_CV_SETUPI(loop, count, SF_LOOP_WORDS_(loop)), body, loop)

// Instructions as text for such bodies; operands are texts too: SF_T_XSDOT8("%[sum]", "%[lo]",
// ...). What the manual writes off(base) and (base), step are two operands; offsets and steps are
// numbers that are multiples of 8.
#define SF_T_LD2(lo, hi, base, offset) \
  ".insn r 0x2b, 6, (0 << 5) | (" #offset ") / 8, " lo ", " base ", " hi "\n"
#define SF_T_SD2(lo, hi, base, offset) \
  ".insn r 0x2b, 6, (1 << 5) | (" #offset ") / 8, " hi ", " base ", " lo "\n"
#define SF_T_LD2_STEP(lo, hi, base, step) \
  ".insn r 0x2b, 6, (2 << 5) | ((" #step ") / 8 & 31), " lo ", " base ", " hi "\n"
#define SF_T_SD2_STEP(lo, hi, base, step) \
  ".insn r 0x2b, 6, (3 << 5) | ((" #step ") / 8 & 31), " hi ", " base ", " lo "\n"
#define SF_T_XSET(lo, hi) ".insn r 0x2b, 7, 0x0c, x0, " lo ", " hi "\n"
#define SF_T_XLD(base) ".insn r 0x2b, 7, 0x10, x0, " base ", x0\n"
#define SF_T_XSDOT8(sum, lo, hi) ".insn r 0x2b, 7, 0x00, " sum ", " lo ", " hi "\n"
#define SF_T_XUDOT8(sum, lo, hi) ".insn r 0x2b, 7, 0x04, " sum ", " lo ", " hi "\n"
#define SF_T_XUSDOT8(sum, lo, hi) ".insn r 0x2b, 7, 0x08, " sum ", " lo ", " hi "\n"
#define SF_T_XSDOT8_LD(sum, lo, hi, base) ".insn r4 0x2b, 7, 1, " sum ", " lo ", " hi ", " base "\n"
#define SF_T_XUDOT8_LD(sum, lo, hi, base) ".insn r4 0x2b, 7, 2, " sum ", " lo ", " hi ", " base "\n"
#define SF_T_XUSDOT8_LD(sum, lo, hi, base) \
  ".insn r4 0x2b, 7, 3, " sum ", " lo ", " hi ", " base "\n"
#define SF_T_SEND(direction, word) ".insn i 0x2b, 5, x0, " word ", (4 << 5) | (" #direction ")\n"
#define SF_T_RECV(word, direction) ".insn i 0x2b, 5, " word ", x0, (5 << 5) | (" #direction ")\n"

#endif
