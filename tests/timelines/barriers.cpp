// Barriers: groups, late arrivals, ended PEs.
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {

Table barrier_timelines() {
  return {
      {.name = "Barrier over all",
       .situation = "2 x 2; the PEs arrive at 0, 1, 2 and 3.",
       .arithmetic =
           "Last arrival a = 3, extent rows + columns = 4: completes at 3 + 4 + 4 = 11. PE k "
           "stalls 11 - k and issues at 11; li 12, ecall 13: 14 cycles.",
       .machine = array(2, 2),
       .pes = {{.program = "gp.bar 0; li a7, 93; ecall", .issues = "11-13", .stalls = "barrier 11"},
               {.program = "nop; gp.bar 0; li a7, 93; ecall",
                .issues = "0 11-13",
                .stalls = "barrier 10"},
               {.program = "nop * 2; gp.bar 0; li a7, 93; ecall",
                .issues = "0-1 11-13",
                .stalls = "barrier 9"},
               {.program = "nop * 3; gp.bar 0; li a7, 93; ecall",
                .issues = "0-2 11-13",
                .stalls = "barrier 8"}},
       .cycles = 14},

      {.name = "Barriers of rows, then of columns",
       .situation = "2 x 3. Row 0 arrives at 0 1 2, row 1 at 5 0 0; then every column meets.",
       .arithmetic =
           "Row 0: a = 2, extent 3: 2 + 4 + 3 = 9. Row 1: a = 5: 12. Columns: row 0 arrives at "
           "10, row 1 at 13; extent 2: 13 + 4 + 2 = 19. Stalls, first + second: PE 0 9 + 9, PE 1 "
           "8 + 9, PE 2 7 + 9, PE 3 7 + 6, PE 4 and 5 12 + 6. li 20, ecall 21: 22 cycles.",
       .machine = array(2, 3),
       .pes = {{.program = "gp.bar 1; gp.bar 2; li a7, 93; ecall",
                .issues = "9 19-21",
                .stalls = "barrier 18"},
               {.program = "nop; gp.bar 1; gp.bar 2; li a7, 93; ecall",
                .issues = "0 9 19-21",
                .stalls = "barrier 17"},
               {.program = "nop * 2; gp.bar 1; gp.bar 2; li a7, 93; ecall",
                .issues = "0-1 9 19-21",
                .stalls = "barrier 16"},
               {.program = "nop * 5; gp.bar 1; gp.bar 2; li a7, 93; ecall",
                .issues = "0-4 12 19-21",
                .stalls = "barrier 13"},
               {.program = "gp.bar 1; gp.bar 2; li a7, 93; ecall",
                .issues = "12 19-21",
                .stalls = "barrier 18"},
               {.program = "gp.bar 1; gp.bar 2; li a7, 93; ecall",
                .issues = "12 19-21",
                .stalls = "barrier 18"}},
       .cycles = 22},

      {.name = "Barriers of a single PE",
       .situation = "1 x 1: all, row, column, with nobody to wait for.",
       .arithmetic =
           "all: arrival 0 + 4 + (1 + 1) = 6. row: arrival 7 + 4 + 1 = 12. column: arrival 13 + 4 "
           "+ 1 = 18. Stalls 6 + 5 + 5; li 19, ecall 20: 21 cycles.",
       .machine = array(1, 1),
       .pes = {{.program = "gp.bar 0; gp.bar 1; gp.bar 2; li a7, 93; ecall",
                .issues = "6 12 18-20",
                .stalls = "barrier 16"}},
       .cycles = 21},

      {.name = "A PE that ends leaves the barrier",
       .situation = "1 x 3: PE 2 ends at 1, PE 0 arrives at 4, PE 1 ends at 6 without arriving.",
       .arithmetic =
           "PE 1's end is the last thing missing: a = 6, 6 + 4 + (1 + 3) = 14. PE 0 stalls 4-13 "
           "(10), issues at 14; li 15, ecall 16: 17 cycles.",
       .machine = array(1, 3),
       .pes = {{.program = "nop * 4; gp.bar 0; li a7, 93; ecall",
                .issues = "0-3 14-16",
                .stalls = "barrier 10"},
               {.program = "nop * 5; li a7, 93; ecall", .issues = "0-6"},
               {}},
       .cycles = 17},

      {.name = "An earlier end does not delay a barrier",
       .situation = "1 x 2: PE 1 has ended at 1 when PE 0 arrives at 4.",
       .arithmetic =
           "a = 4, the only member's arrival: 4 + 4 + (1 + 2) = 11. PE 0 stalls 7; li 12, ecall "
           "13: 14 cycles.",
       .machine = array(1, 2),
       .pes = {{.program = "nop * 4; gp.bar 0; li a7, 93; ecall",
                .issues = "0-3 11-13",
                .stalls = "barrier 7"},
               {}},
       .cycles = 14},
  };
}

}  // namespace simfarm::timelines
