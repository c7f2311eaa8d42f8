// When bytes are read and when they are seen.
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {

Table visibility_timelines() {
  return {
      {.name = "DMA's bytes are seen at the wait",
       .situation =
           "The PE loads the destination long after the completion but before its gp.wait, then "
           "again after it.",
       .arithmetic =
           "Completion 10; lw at 11 still sees 3 (V3). The wait, right after a load, drains in 12 "
           "and issues at 13 (already released); lw 14 sees 7; load_use 15, sub 16, ecall 17: 18 "
           "cycles. a0 = 7 - 3.",
       .machine = array(1, 1),
       .pes = {{.program =
                    "lui a2, 0x10000; li a1, 1; li a7, 93; gp.dma a2; nop * 7; lw a3, 512(a2); "
                    "gp.wait 0, a1; lw a4, 512(a2); sub a0, a4, a3; ecall",
                .issues = "0-11 13-14 16-17",
                .stalls = "load_use 2",
                .exit = 4,
                .local = {{0, descriptor(line(local + 0x100, local + 0x200, 8))},
                          {0x100, words({7, 0})},
                          {0x200, words({3, 0})}}}},
       .engines = {{.pe = 0,
                    .transfers = "4-10",
                    .beats = {"0.0 local read port 0: 8", "0.1 local write port 0: 9"},
                    .bins = "idle 12, setup 4, transfer 2",
                    .read = 8,
                    .written = 8}},
       .cycles = 18},

      {.name = "A push is seen at the receiver's wait",
       .situation =
           "1 x 2: PE 0 pushes 8 bytes; PE 1 loads the place after the release, but before and "
           "after its gp.wait.",
       .arithmetic =
           "Read 8, bus 9, PE 1's port 9 + 1 + 1 = 11, passed 12; release beat 10, there at 12: "
           "released at 12. PE 1: lw 13 sees 3, drain 14, wait 15, lw 16 sees 7, load_use 17, sub "
           "18, ecall 19: 20 cycles.",
       .machine = array(1, 2),
       .pes =
           {queues_one(
                [] {
                  Transfer push = line(local + 0x100, 0x200, 8);
                  push.multicast = Rectangle{1, 0, 1, 0};
                  push.receivers = {8, 1};
                  return push;
                }(),
                12, {{0x100, words({7, 0})}}),
            {.program =
                 "lui a2, 0x10000; li a1, 1; li a7, 93; nop * 10; lw a3, 512(a2); gp.wait 8, a1; "
                 "lw a4, 512(a2); sub a0, a4, a3; ecall",
             .issues = "0-13 15-16 18-19",
             .stalls = "load_use 2",
             .exit = 4,
             .local = {{0x200, words({3, 0})}}}},
       .engines = {{.pe = 0,
                    .transfers = "4-12",
                    .beats = {"0.0 local read port 0: 8", "0.1 row bus 0: 9",
                              "0.1 local write port 1: 11", "0.2 row bus 0: 10"},
                    .bins = "idle 12, setup 4, transfer 4",
                    .read = 8,
                    .written = 8}},
       .cycles = 20},

      {.name = "A local source is frozen at the gp.dma",
       .situation =
           "The PE overwrites the source in the cycle after the gp.dma, before the transfer reads "
           "it.",
       .arithmetic =
           "sw at 4, read beat at 8, completion 10 (wait from 5: 5 stalls). lw 11, drain 12, "
           "ecall 13. a0 is the old 7.",
       .machine = array(1, 1),
       .pes =
           {{.program =
                 "lui a2, 0x10000; li a1, 1; li a7, 93; gp.dma a2; sw a1, 256(a2); gp.wait 0, a1; "
                 "lw a0, 512(a2); ecall",
             .issues = "0-4 10-11 13",
             .stalls = "sem_wait_dma 5, load_use 1",
             .exit = 7,
             .local = {{0, descriptor(line(local + 0x100, local + 0x200, 8))},
                       {0x100, words({7, 0})}}}},
       .engines = {{.pe = 0,
                    .transfers = "4-10",
                    .beats = {"0.0 local read port 0: 8", "0.1 local write port 0: 9"},
                    .bins = "idle 8, setup 4, transfer 2",
                    .read = 8,
                    .written = 8}},
       .cycles = 14},

      {.name = "OCM is read at the start",
       .situation =
           "3 x 1: PE 0 writes OCM, complete at 31; PE 1's read starts at 30 and gets the old "
           "bytes, PE 2's at 31 and gets the new ones.",
       .arithmetic =
           "PE 0 as in 'OCM write at column 0'. PE 1: gp.dma 29, bank 34, bus 45, write 46, "
           "completion 47 (wait from 30: 17 stalls). PE 2: all one later, completion 48, ecall "
           "49: 50 cycles.",
       .machine = array(3, 1),
       .pes =
           {queues_one(line(local + 0x100, ocm, 64), 31, {{0x100, ramp(64)}}),
            {.program =
                 "lui a2, 0x10000; li a1, 1; li a7, 93; nop * 26; gp.dma a2; gp.wait 0, a1; ecall",
             .issues = "0-29 47-48",
             .stalls = "sem_wait_dma 17",
             .local = {{0, descriptor(line(ocm, local + 0x200, 8))}}},
            {.program =
                 "lui a2, 0x10000; li a1, 1; li a7, 93; nop * 27; gp.dma a2; gp.wait 0, a1; ecall",
             .issues = "0-30 48-49",
             .stalls = "sem_wait_dma 17",
             .local = {{0, descriptor(line(ocm, local + 0x200, 8))}}}},
       .shared = {{ocm, std::vector<u8>(64, 0xaa)}},
       .engines =
           {{.pe = 0,
             .transfers = "4-31",
             .beats = {"0.0 local read port 0: 8-15", "0.1 row bus 0: 16", "0.1 ocm bank 0: 17-20"},
             .bins = "idle 23, setup 4, transfer 23",
             .read = 64,
             .written = 64},
            {.pe = 1,
             .transfers = "30-47",
             .beats = {"0.0 ocm bank 0: 34", "0.0 row bus 1: 45", "0.1 local write port 1: 46"},
             .bins = "idle 33, setup 4, transfer 13",
             .read = 8,
             .written = 8},
            {.pe = 2,
             .transfers = "31-48",
             .beats = {"0.0 ocm bank 0: 35", "0.0 row bus 2: 46", "0.1 local write port 2: 47"},
             .bins = "idle 33, setup 4, transfer 13",
             .read = 8,
             .written = 8}},
       .cycles = 50,
       .local_after = {{1, {0x200, std::vector<u8>(8, 0xaa)}}, {2, {0x200, ramp(8)}}}},
  };
}

}  // namespace simfarm::timelines
