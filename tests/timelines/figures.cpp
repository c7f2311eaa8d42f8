// Machines with other figures than the shipped ones.
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {

Table figure_timelines() {
  Machine links = array(1, 2);
  links.link = {.depth = 2, .latency = 3, .credit_latency = 1};
  Machine signals = array(1, 2);
  signals.post.latency = 7;
  signals.barrier.latency = 1;
  Machine quick = array(1, 1);
  quick.dma.setup = 1;
  Machine wide = array(1, 3);
  wide.bus.hop_latency = 3;
  wide.ocm.bytes_per_beat = 32;
  wide.ocm.latency = 1;
  Machine narrow = array(1, 1);
  narrow.dram.bytes_per_beat = 8;
  narrow.dram.latency = 20;
  return {
      {.name = "Another link",
       .situation = "link.depth = 2, latency 3, credit latency 1; four words.",
       .arithmetic =
           "Sends 0 1, received 3 4, credits 4 5: sends 4 5 (waits 2 3), received 7 8. The "
           "receiver waits 0-2 and 5 6; li 9, ecall 10: 11 cycles.",
       .machine = links,
       .pes = {{.program = "gp.send 1, zero * 4; li a7, 93; ecall",
                .issues = "0-1 4-7",
                .stalls = "link_full 2"},
               {.program = "gp.recv a1, 3 * 4; li a7, 93; ecall",
                .issues = "3-4 7-10",
                .stalls = "link_empty 5"}},
       .cycles = 11},

      {.name = "Another post and barrier",
       .situation =
           "post.latency = 7, barrier.latency = 1: a post across one column, then a barrier of "
           "both.",
       .arithmetic =
           "Post 1, arrival 1 + 7 + 1 = 9: PE 1 waits 1-8. Barrier: PE 0 arrives at 2, PE 1 at "
           "10; 10 + 1 + (1 + 2) = 14. Stalls 12 and 4; li 15, ecall 16: 17 cycles.",
       .machine = signals,
       .pes = {{.program = "li a2, 1; gp.post a2, 8; gp.bar 0; li a7, 93; ecall",
                .issues = "0-1 14-16",
                .stalls = "barrier 12"},
               {.program = "li a1, 1; gp.wait 8, a1; gp.bar 0; li a7, 93; ecall",
                .issues = "0 9 14-16",
                .stalls = "sem_wait_post 8, barrier 4"}},
       .cycles = 17},

      {.name = "Set-up of one cycle",
       .situation = "dma.setup = 1; 8 bytes, local to local.",
       .arithmetic = "Start 4, read 5, write 6, completion 7.",
       .machine = quick,
       .pes = {queues_one(line(local + 0x100, local + 0x200, 8), 7)},
       .engines = {{.pe = 0,
                    .transfers = "4-7",
                    .beats = {"0.0 local read port 0: 5", "0.1 local write port 0: 6"},
                    .bins = "idle 6, setup 1, transfer 2",
                    .read = 8,
                    .written = 8}},
       .cycles = 9},

      {.name = "Another OCM and bus",
       .situation = "32 bytes a beat, OCM latency 1, 3 cycles a hop: 64 bytes to column 2.",
       .arithmetic =
           "Bank 8 9, passed 9 + 1 + 1 = 11; bus 11, passed 12 + 2 * 3 = 18; write 18-25: "
           "completion 26.",
       .machine = wide,
       .pes = {{}, {}, queues_one(line(ocm, local + 0x200, 64), 26)},
       .engines = {{.pe = 2,
                    .transfers = "4-26",
                    .beats = {"0.0 ocm bank 0: 8-9", "0.0 row bus 0: 11",
                              "0.1 local write port 2: 18-25"},
                    .bins = "idle 6, setup 4, transfer 18",
                    .read = 64,
                    .written = 64}},
       .cycles = 28},

      {.name = "Another DRAM",
       .situation = "8 bytes a beat, latency 20: 64 bytes.",
       .arithmetic = "Channel 8-15, passed 16 + 20 = 36; bus 36; write 37-44: completion 45.",
       .machine = narrow,
       .pes = {queues_one(line(dram, local + 0x200, 64), 45)},
       .engines = {{.pe = 0,
                    .transfers = "4-45",
                    .beats = {"0.0 dram channel: 8-15", "0.0 row bus 0: 36",
                              "0.1 local write port 0: 37-44"},
                    .bins = "idle 6, setup 4, transfer 37",
                    .read = 64,
                    .written = 64}},
       .cycles = 47},
  };
}

}  // namespace simfarm::timelines
