// Links: latency, credits, depth, back-pressure, wrap-around.
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {
namespace {

Machine with_depth(Machine machine, u32 depth) {
  machine.link.depth = depth;
  return machine;
}

Machine torus(u32 rows, u32 columns) {
  Machine machine = array(rows, columns);
  machine.torus_rows = machine.torus_columns = true;
  return machine;
}

}  // namespace

Table link_timelines() {
  return {
      {.name = "Link latency",
       .situation =
           "One word to the east neighbour, who has been waiting since cycle 0 and uses it in the "
           "next instruction.",
       .arithmetic =
           "Sent at 1, receivable at 1 + 2 = 3: gp.recv waits 0-2 and issues at 3, addi at 4 (a "
           "gp.recv is no load), li 5, ecall 6: 7 cycles.",
       .machine = array(1, 2),
       .pes = {{.program = "li a1, 5; gp.send 1, a1; li a7, 93; ecall", .issues = "0-3"},
               {.program = "gp.recv a0, 3; addi a0, a0, 1; li a7, 93; ecall",
                .issues = "3-6",
                .stalls = "link_empty 3",
                .exit = 6}},
       .cycles = 7},

      {.name = "All four directions",
       .situation =
           "PE 0 of 2 x 2 sends east and south, PE 3 sends north and west; 1 and 2 receive.",
       .arithmetic =
           "PE 1 is east of 0 (receives from west, 3) and north of 3 (receives from south, 2). PE "
           "2 is south of 0 (from north, 0) and west of 3 (from east, 1). East and north words "
           "leave at 1 and arrive at 3, south and west leave at 2 and arrive at 4. PE 1 waits "
           "0-2, receives at 3 and 4; PE 2 waits 0-3, receives at 4 and 5.",
       .machine = array(2, 2),
       .pes = {{.program = "li a1, 5; gp.send 1, a1; gp.send 2, a1; li a7, 93; ecall",
                .issues = "0-4"},
               {.program = "gp.recv a1, 3; gp.recv a2, 2; sub a0, a2, a1; li a7, 93; ecall",
                .issues = "3-7",
                .stalls = "link_empty 3",
                .exit = 4},
               {.program = "gp.recv a1, 0; gp.recv a2, 1; sub a0, a2, a1; li a7, 93; ecall",
                .issues = "4-8",
                .stalls = "link_empty 4",
                .exit = 4},
               {.program = "li a1, 9; gp.send 0, a1; gp.send 3, a1; li a7, 93; ecall",
                .issues = "0-4"}},
       .cycles = 9},

      {.name = "A full link",
       .situation = "Six words to a receiver that starts late: four fill the link.",
       .arithmetic =
           "Sends at 0-3 use the four credits. The first gp.recv issues at 8, its credit is back "
           "at 8 + 2 = 10: the fifth send waits 4-9 (6 cycles) and issues at 10, the sixth at 11 "
           "(credit of the pop at 9). The receiver pops at 8-11 what lies there, at 12 the word "
           "sent at 10, at 13 that of 11: no wait. li 14, ecall 15: 16 cycles.",
       .machine = array(1, 2),
       .pes = {{.program = "gp.send 1, zero * 6; li a7, 93; ecall",
                .issues = "0-3 10-13",
                .stalls = "link_full 6"},
               {.program = "nop * 8; gp.recv a1, 3 * 6; li a7, 93; ecall", .issues = "0-15"}},
       .cycles = 16},

      {.name = "A link at full rate",
       .situation =
           "Six words, the receiver ready from the start: push and pop in the same cycles.",
       .arithmetic =
           "Sends at 0-5; pops at 2-7. The fifth send, at 4, uses the credit of the pop at 2, "
           "back at 4: depth 4 = latency 2 + credit latency 2 sustains a word a cycle. In 2-5 the "
           "link is pushed and popped at once. The receiver waits 0 and 1, li 8, ecall 9: 10 "
           "cycles.",
       .machine = array(1, 2),
       .pes = {{.program = "gp.send 1, zero * 6; li a7, 93; ecall", .issues = "0-7"},
               {.program = "gp.recv a1, 3 * 6; li a7, 93; ecall",
                .issues = "2-9",
                .stalls = "link_empty 2"}},
       .cycles = 10},

      {.name = "A link of depth 2 at half rate",
       .situation = "The same with link.depth = 2: two words every four cycles.",
       .arithmetic =
           "Sends 0 1, pops 2 3, credits 4 5; sends 4 5, pops 6 7, credits 8 9; sends 8 9, pops "
           "10 11. The sender waits in 2 3 and 6 7 (4), li 10, ecall 11; the receiver in 0 1, 4 "
           "5, 8 9 (6), li 12, ecall 13: 14 cycles.",
       .machine = with_depth(array(1, 2), 2),
       .pes = {{.program = "gp.send 1, zero * 6; li a7, 93; ecall",
                .issues = "0-1 4-5 8-11",
                .stalls = "link_full 4"},
               {.program = "gp.recv a1, 3 * 6; li a7, 93; ecall",
                .issues = "2-3 6-7 10-13",
                .stalls = "link_empty 6"}},
       .cycles = 14},

      {.name = "Back-pressure over three PEs",
       .situation =
           "link.depth = 1; PE 0 sends three words, PE 1 forwards them, PE 2 is busy until 10.",
       .arithmetic =
           "PE 0 sends at 0; PE 1 receives at 2 (waits 0 1) and forwards at 3, arriving at 5. The "
           "pop at 2 gives PE 0 its credit at 4: send 4 (waits 1-3), PE 1 receives at 6 (waits 4 "
           "5), credit at 8: PE 0 sends at 8 (waits 5-7). PE 1's second send needs PE 2's pop at "
           "10, credit at 12: waits 7-11, issues 12; it receives the third word at 13. PE 2 "
           "receives the second at 14 (waits 11-13), credit at 16: PE 1 sends at 16 (waits 14 "
           "15); PE 2 receives it at 18 (waits 15-17), li 19, ecall 20: 21 cycles.",
       .machine = with_depth(array(1, 3), 1),
       .pes = {{.program = "gp.send 1, zero * 3; li a7, 93; ecall",
                .issues = "0 4 8-10",
                .stalls = "link_full 6"},
               {.program = "gp.recv a1, 3; gp.send 1, a1; gp.recv a1, 3; gp.send 1, a1; "
                           "gp.recv a1, 3; gp.send 1, a1; li a7, 93; ecall",
                .issues = "2-3 6 12-13 16-18",
                .stalls = "link_empty 4, link_full 7"},
               {.program = "nop * 10; gp.recv a1, 3 * 3; li a7, 93; ecall",
                .issues = "0-10 14 18-20",
                .stalls = "link_empty 6"}},
       .cycles = 21},

      {.name = "A load before a gp.recv that waits anyway",
       .situation =
           "The drain cycle comes first and is charged to load_use, the rest to link_empty.",
       .arithmetic =
           "PE 1: lui 0, lw 1, load_use 2, gp.recv could issue at 3; the word sent at 4 is there "
           "at 6: link_empty 3-5, issue 6, li 7, ecall 8: 9 cycles.",
       .machine = array(1, 2),
       .pes = {{.program = "nop * 4; gp.send 1, zero; li a7, 93; ecall", .issues = "0-6"},
               {.program = "lui a2, 0x10000; lw a3, 0(a2); gp.recv a0, 3; li a7, 93; ecall",
                .issues = "0-1 6-8",
                .stalls = "load_use 1, link_empty 3"}},
       .cycles = 9},

      {.name = "Torus",
       .situation =
           "3 x 1 with both axes wrapped: PE 0 sends north to PE 2, PE 1 sends east to itself.",
       .arithmetic =
           "Wrapped links have the same latency: sent at 1, received at 3. PE 2 waits 0-2, PE 1 "
           "waits in 2. Both: li 4, ecall 5: 6 cycles.",
       .machine = torus(3, 1),
       .pes = {{.program = "li a1, 7; gp.send 0, a1; li a7, 93; ecall", .issues = "0-3"},
               {.program = "li a1, 9; gp.send 1, a1; gp.recv a0, 3; li a7, 93; ecall",
                .issues = "0-1 3-5",
                .stalls = "link_empty 1",
                .exit = 9},
               {.program = "gp.recv a0, 2; li a7, 93; ecall",
                .issues = "3-5",
                .stalls = "link_empty 3",
                .exit = 7}},
       .cycles = 6},
  };
}

}  // namespace simfarm::timelines
