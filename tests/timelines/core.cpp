// Xgp's own arithmetic and 64-bit accesses, and the drain before a synchronising instruction.
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {

Table core_timelines() {
  return {
      {.name = "Xgp arithmetic",
       .situation =
           "Every Xgp instruction without memory, each using the result of the one before.",
       .arithmetic = "All are single-cycle: nine instructions at 0-8, the ecall at 9; 10 cycles.",
       .machine = array(1, 1),
       .pes = {{.program = "li a2, 1; gp.xset a2, a2; gp.xsdot8 a3, a2, a2; "
                           "gp.xudot8 a3, a2, a2; gp.xusdot8 a3, a2, a2; gp.rqmul a4, a3, a3; "
                           "gp.rshr a5, a4, a2; addi a5, a5, 1; li a7, 93; ecall",
                .issues = "0-9"}},
       .cycles = 10},

      {.name = "gp.ld2 then its high register",
       .situation =
           "The first gp.ld2's hi is used by the next instruction, the second's lo one later.",
       .arithmetic =
           "gp.ld2 at 1, load_use in 2, addi at 3. gp.ld2 at 4, li at 5, addi at 6. li 7, ecall "
           "8: 8 instructions and 1 stall, 9 cycles. a0 = hi + 1 - lo.",
       .machine = array(1, 1),
       .pes = {{.program = "lui a2, 0x10000; gp.ld2 a3, a4, 8(a2); addi a0, a4, 1; "
                           "gp.ld2 a3, a4, 0(a2); li a5, 1; sub a0, a0, a3; li a7, 93; ecall",
                .issues = "0-1 3-8",
                .stalls = "load_use 1",
                .exit = 0x100f'0e0d + 1 - 0x0403'0201,
                .local = {{0, ramp(16)}}}},
       .cycles = 9},

      {.name = "gp.ld2 with post-increment",
       .situation =
           "The incremented base is there for the next instruction, the data one cycle late.",
       .arithmetic =
           "gp.ld2 at 1, its base used at 2. gp.ld2 at 3, load_use in 4, its lo used at 5; li 6, "
           "ecall 7. 7 instructions + 1 = 8 cycles. a0 = second lo = 0x0c0b0a09.",
       .machine = array(1, 1),
       .pes = {{.program = "lui a2, 0x10000; gp.ld2 a3, a4, (a2), 8; addi a5, a2, 0; "
                           "gp.ld2 a3, a4, (a2), 8; addi a0, a3, 0; li a7, 93; ecall",
                .issues = "0-3 5-7",
                .stalls = "load_use 1",
                .exit = 0x0c0b0a09,
                .local = {{0, ramp(16)}}}},
       .cycles = 8},

      {.name = "gp.ld2 then its high register overwritten",
       .situation =
           "A load's destination that the next instruction writes costs the same cycle as a use.",
       .arithmetic = "gp.ld2 at 1, load_use in 2, li at 3 4, ecall 5: 6 cycles.",
       .machine = array(1, 1),
       .pes = {{.program = "lui a2, 0x10000; gp.ld2 a3, a4, 0(a2); li a4, 5; li a7, 93; ecall",
                .issues = "0-1 3-5",
                .stalls = "load_use 1",
                .local = {{0, ramp(8)}}}},
       .cycles = 6},

      {.name = "gp.sd2 then gp.ld2",
       .situation = "A 64-bit store and both post-increment forms follow one another at once.",
       .arithmetic =
           "No stall but the last use: gp.sd2 at 3, gp.sd2 post at 4, gp.ld2 at 5, load_use in 6, "
           "add at 7, li 8, ecall 9: 10 cycles. a0 = 7 + 9.",
       .machine = array(1, 1),
       .pes = {{.program = "lui a2, 0x10000; li a3, 7; li a4, 9; gp.sd2 a3, a4, 8(a2); "
                           "gp.sd2 a4, a3, (a2), 8; gp.ld2 a5, a6, 0(a2); add a0, a5, a6; "
                           "li a7, 93; ecall",
                .issues = "0-5 7-9",
                .stalls = "load_use 1",
                .exit = 16}},
       .cycles = 10},

      {.name = "gp.lut8 then its result",
       .situation = "A look-up is a load: its result is one cycle late.",
       .arithmetic =
           "lw at 1 costs gp.lut8 a load_use in 2; gp.lut8 at 3, load_use in 4, addi at 5; a "
           "second one with li between: gp.lut8 6, li 7, add 8; ecall 9: 8 instructions + 2 "
           "stalls = 10 cycles. Indices 0 1 2 3 of a ramp from 1 give 0x04030201, twice that is "
           "a0.",
       .machine = array(1, 1),
       .pes = {{.program = "lui a2, 0x10000; lw a3, 256(a2); gp.lut8 a4, a2, a3; addi a5, a4, 0; "
                           "gp.lut8 a4, a2, a3; li a7, 93; add a0, a4, a5; ecall",
                .issues = "0-1 3 5-9",
                .stalls = "load_use 2",
                .exit = 0x08060402,
                .local = {{0, ramp(16)}, {256, words({0x03020100})}}}},
       .cycles = 10},

      {.name = "gp.xld then gp.xsdot8",
       .situation = "X and the incremented pointer of gp.xld are there for the next instruction.",
       .arithmetic =
           "gp.xld at 2, gp.xsdot8 at 3, gp.xld at 4 (pointer from 2), gp.xsdot8 at 5, li 6, "
           "ecall 7: 8 cycles. With 0x01010101 in lo and 0 in hi the dots are 1+2+3+4 and "
           "9+10+11+12: a0 = 52.",
       .machine = array(1, 1),
       .pes = {{.program = "lui a2, 0x10000; lw a3, 16(a2); gp.xld (a2); gp.xsdot8 a0, a3, zero; "
                           "gp.xld (a2); gp.xsdot8 a0, a3, zero; li a7, 93; ecall",
                .issues = "0-7",
                .exit = 52,
                .local = {{0, ramp(16)}, {16, words({0x01010101})}}}},
       .cycles = 8},

      {.name = "Mac&Load back to back",
       .situation =
           "Four gp.xsdot8.ld in a row on one accumulator and one pointer; then the accumulator "
           "is used.",
       .arithmetic =
           "gp.xld at 3, four Mac&Loads at 4-7, each with the X that the one before loaded, addi "
           "at 8 without a stall (the accumulator is not loaded), li 9, ecall 10: 11 cycles. lo = "
           "0x01010101, hi = 0: sums of bytes 1-4, 9-12, 17-20, 25-28 = 10 + 42 + 74 + 106 = 232; "
           "plus 1.",
       .machine = array(1, 1),
       .pes = {{.program = "lui a2, 0x10000; lw a3, 64(a2); li a0, 0; gp.xld (a2); "
                           "gp.xsdot8.ld a0, a3, zero, (a2); gp.xsdot8.ld a0, a3, zero, (a2); "
                           "gp.xsdot8.ld a0, a3, zero, (a2); gp.xsdot8.ld a0, a3, zero, (a2); "
                           "addi a0, a0, 1; li a7, 93; ecall",
                .issues = "0-10",
                .exit = 233,
                .local = {{0, ramp(40)}, {64, words({0x01010101})}}}},
       .cycles = 11},

      {.name = "Drain before a synchronising instruction",
       .situation =
           "Every kind of load right before a gp.post, a store before one, a load one instruction "
           "before one, and a load before the last ecall.",
       .arithmetic =
           "Each load directly before costs one load_use (V2): lw 2-post 4, cv.lw 5-post 7, "
           "gp.ld2 8-post 10, gp.lut8 11-post 13, gp.xld 14-post 16, gp.xsdot8.ld 17-post 19. The "
           "store at 20 and its post at 21 touch; so do lw 22, li 23, post 24. lw 25, drain, "
           "ecall 27. 21 instructions + 7 = 28 cycles; the last post arrives at 24 + 2 = 26, "
           "earlier.",
       .machine = array(1, 1),
       .pes = {{.program = "lui a2, 0x10000; addi a3, a2, 0; "
                           "lw a4, 0(a2); gp.post zero, 8; "
                           "cv.lw a4, (a3), 4; gp.post zero, 8; "
                           "gp.ld2 a4, a5, 0(a2); gp.post zero, 8; "
                           "gp.lut8 a4, a2, zero; gp.post zero, 8; "
                           "gp.xld (a2); gp.post zero, 8; "
                           "gp.xsdot8.ld a4, a5, a5, (a2); gp.post zero, 8; "
                           "sw a4, 0(a2); gp.post zero, 8; "
                           "lw a4, 0(a2); li a7, 93; gp.post zero, 8; "
                           "lw a4, 0(a2); ecall",
                .issues = "0-2 4-5 7-8 10-11 13-14 16-17 19-25 27",
                .stalls = "load_use 7"}},
       .cycles = 28},
  };
}

}  // namespace simfarm::timelines
