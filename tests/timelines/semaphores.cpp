// Posts and waits: distance, coincidence, amounts, what is left behind.
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {

Table semaphore_timelines() {
  return {
      {.name = "Posts at several distances",
       .situation =
           "3 x 3: PE 0 posts itself, PE 2 (two columns) and PE 8 (two of each); PE 4 posts "
           "itself and waits at once.",
       .arithmetic =
           "Arrival = issue + 2 + |dx| + |dy|. PE 0: own post 1 + 2 = 3, PE 2's 3 + 4 = 7, PE 8's "
           "5 + 6 = 11. PE 0's wait at 6 finds its post of 3: no stall. PE 2 waits 2-6 and issues "
           "at 7; PE 8 waits 2-10 and issues at 11, ecall 12: 13 cycles. PE 4 posts at 2, arrival "
           "4: waits in 3.",
       .machine = array(3, 3),
       .pes = {{.program = "li a1, 1; gp.post zero, 8; li a2, 2; gp.post a2, 8; li a2, 8; "
                           "gp.post a2, 8; gp.wait 8, a1; li a7, 93; ecall",
                .issues = "0-8"},
               {},
               {.program = "li a1, 1; li a7, 93; gp.wait 8, a1; ecall",
                .issues = "0-1 7-8",
                .stalls = "sem_wait_post 5"},
               {},
               {.program = "li a1, 1; li a2, 4; gp.post a2, 15; gp.wait 15, a1; li a7, 93; ecall",
                .issues = "0-2 4-6",
                .stalls = "sem_wait_post 1"},
               {},
               {},
               {},
               {.program = "li a1, 1; li a7, 93; gp.wait 8, a1; ecall",
                .issues = "0-1 11-12",
                .stalls = "sem_wait_post 9"}},
       .cycles = 13},

      {.name = "Two posts in one cycle",
       .situation = "Both neighbours post PE 1's semaphore 9 in the same cycle; it waits for 2.",
       .arithmetic =
           "Issued at 1, distance 1: both arrive at 4. The wait is there from 1: 3 stalls, issues "
           "at 4; li 5, ecall 6: 7 cycles.",
       .machine = array(1, 3),
       .pes = {{.program = "li a2, 1; gp.post a2, 9; li a7, 93; ecall", .issues = "0-3"},
               {.program = "li a1, 2; gp.wait 9, a1; li a7, 93; ecall",
                .issues = "0 4-6",
                .stalls = "sem_wait_post 3"},
               {.program = "li a2, 1; gp.post a2, 9; li a7, 93; ecall", .issues = "0-3"}},
       .cycles = 7},

      {.name = "Amounts above one",
       .situation = "Three posts a cycle apart; a wait for 2, then one for 1.",
       .arithmetic =
           "Arrivals 1 + 3, 2 + 3, 3 + 3 = 4 5 6. The wait for 2 is there from 2, issues at 5 (3 "
           "stalls) and subtracts 2; the next, at 6, meets the arrival of 6 in its cycle: no "
           "stall. li 7, ecall 8: 9 cycles.",
       .machine = array(1, 2),
       .pes = {{.program = "li a2, 1; gp.post a2, 8 * 3; li a7, 93; ecall", .issues = "0-5"},
               {.program = "li a1, 2; li a2, 1; gp.wait 8, a1; gp.wait 8, a2; li a7, 93; ecall",
                .issues = "0-1 5-8",
                .stalls = "sem_wait_post 3"}},
       .cycles = 9},

      {.name = "A wait that is already satisfied",
       .situation =
           "Three posts lie there; a wait for 2 and a wait for 1 take no time, and what they "
           "subtract is gone: the next needs a fourth post.",
       .arithmetic =
           "Arrivals 4 5 6 and, posted at 12, 12 + 3 = 15. Waits at 10 and 11 issue at once; the "
           "third is there from 12 and issues at 15: 3 stalls. li 16, ecall 17: 18 cycles.",
       .machine = array(1, 2),
       .pes = {{.program = "li a2, 1; gp.post a2, 8 * 3; nop * 8; gp.post a2, 8; li a7, 93; ecall",
                .issues = "0-14"},
               {.program = "li a1, 2; li a2, 1; nop * 8; gp.wait 8, a1; gp.wait 8, a2; "
                           "gp.wait 8, a2; li a7, 93; ecall",
                .issues = "0-11 15-17",
                .stalls = "sem_wait_post 3"}},
       .cycles = 18},

      {.name = "A post that outlives its sender and its receiver",
       .situation = "1 x 4: PE 0 posts PE 3 and ends; PE 3 ended long before.",
       .arithmetic =
           "Posted at 1, arrives at 1 + 2 + 3 = 6; the last ecall is at 3. The run lasts until "
           "the arrival: max(3 + 1, 6) = 6 cycles.",
       .machine = array(1, 4),
       .pes = {{.program = "li a2, 3; gp.post a2, 8; li a7, 93; ecall", .issues = "0-3"}},
       .cycles = 6},
  };
}

}  // namespace simfarm::timelines
