// Ends: work in flight, deadlock, the cycle limit, traps; and what the counters say then.
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {
namespace {

using Outcome::Kind::cycle_limit;
using Outcome::Kind::deadlock;
using Outcome::Kind::trap;

}  // namespace

Table ending_timelines() {
  return {
      {.name = "The console costs a cycle",
       .situation = "ecall 64 writes two bytes.",
       .arithmetic = "Six instructions, six cycles; a0 = a2 = 2 afterwards.",
       .machine = array(1, 1),
       .pes = {{.program = "lui a1, 0x10000; li a2, 2; li a7, 64; ecall; li a7, 93; ecall",
                .issues = "0-5",
                .exit = 2,
                .local = {{0, {'h', 'i'}}}}},
       .cycles = 6},

      {.name = "A transfer outlives its PE",
       .situation = "The PE queues a copy and ends.",
       .arithmetic =
           "gp.dma 2, start 3, read 7-14, write 15-22, completion 23: the run's cycles, though "
           "the ecall was at 3.",
       .machine = array(1, 1),
       .pes = {{.program = "lui a2, 0x10000; li a7, 93; gp.dma a2; ecall",
                .issues = "0-3",
                .local = {{0, descriptor(line(local + 0x100, local + 0x200, 64))},
                          {0x100, ramp(64)}}}},
       .engines = {{.pe = 0,
                    .transfers = "3-23",
                    .beats = {"0.0 local read port 0: 7-14", "0.1 local write port 0: 15-22"},
                    .bins = "idle 3, setup 4, transfer 16",
                    .read = 64,
                    .written = 64}},
       .cycles = 23,
       .local_after = {{0, {0x200, ramp(64)}}}},

      {.name = "Deadlock: two receivers",
       .situation = "1 x 2: each waits for a word of the other.",
       .arithmetic =
           "PE 0 blocks at 0, PE 1 issues a nop at 0 and blocks at 1: the first cycle in which "
           "nothing happens is 1.",
       .machine = array(1, 2),
       .pes = {{.program = "gp.recv a1, 1; li a7, 93; ecall",
                .issues = "",
                .stalls = "link_empty 1"},
               {.program = "nop; gp.recv a1, 3; li a7, 93; ecall", .issues = "0"}},
       .cycles = 1,
       .end = {deadlock}},

      {.name = "Deadlock: a post too few",
       .situation = "1 x 2: PE 1 waits for two posts, PE 0 sends one and ends.",
       .arithmetic =
           "PE 0's ecall at 3; the post of 1 arrives at 1 + 3 = 4: until then something is on its "
           "way. Deadlock at 4; PE 1 waited 1-3 for nothing.",
       .machine = array(1, 2),
       .pes = {{.program = "li a2, 1; gp.post a2, 8; li a7, 93; ecall", .issues = "0-3"},
               {.program = "li a1, 2; gp.wait 8, a1; li a7, 93; ecall",
                .issues = "0",
                .stalls = "sem_wait_none 3"}},
       .cycles = 4,
       .end = {deadlock}},

      {.name = "Deadlock: a link that nobody empties",
       .situation = "1 x 2: PE 0 sends five words to a PE that has ended.",
       .arithmetic =
           "Sends 0-3, the fifth blocks at 4; the last word is on its way until 5: deadlock at 5, "
           "link_full 1.",
       .machine = array(1, 2),
       .pes = {{.program = "gp.send 1, zero * 5; li a7, 93; ecall",
                .issues = "0-3",
                .stalls = "link_full 1"},
               {}},
       .cycles = 5,
       .end = {deadlock}},

      {.name = "Deadlock: an engine's acquire",
       .situation = "A descriptor acquires what nobody posts; its PE has ended.",
       .arithmetic =
           "gp.dma 2, ecall 3. The engine waits from 3, the PE is done at 4: deadlock at 4.",
       .machine = array(1, 1),
       .pes = {{.program = "lui a2, 0x10000; li a7, 93; gp.dma a2; ecall",
                .issues = "0-3",
                .local = {{0, descriptor([] {
                             Transfer transfer = line(local + 0x100, local + 0x200, 8);
                             transfer.acquire = {9, 1};
                             return transfer;
                           }())}}}},
       .engines = {{.pe = 0, .transfers = "", .bins = "idle 3, acquire_wait 1"}},
       .cycles = 4,
       .end = {deadlock}},

      {.name = "The cycle limit",
       .situation = "A jump to itself, limit 9.",
       .arithmetic =
           "A jump takes 1 + 1: issued 0 2 4 6 8, refills 1 3 5 7. The refill of cycle 9 is not "
           "counted.",
       .machine = array(1, 1),
       .pes = {{.program = "jal zero, 0", .issues = "0 2 4 6 8", .stalls = "branch 4"}},
       .cycles = 9,
       .end = {cycle_limit},
       .cycle_limit = 9},

      {.name = "The cycle limit in a wait",
       .situation = "A DRAM read, limit 50.",
       .arithmetic =
           "The wait, there from 4, never completes: sem_wait_none 46. Engine: idle 4, set-up 4, "
           "the read's latency 42.",
       .machine = array(1, 1),
       .pes = {{.program = queue_and_wait,
                .issues = "0-3",
                .stalls = "sem_wait_none 46",
                .local = {{0, descriptor(line(dram, local + 0x200, 64))}}}},
       .engines = {{.pe = 0,
                    .transfers = "4-",
                    .beats = {"0.0 dram channel: 8-9"},
                    .bins = "idle 4, setup 4, transfer 42"}},
       .cycles = 50,
       .end = {cycle_limit},
       .cycle_limit = 50},

      {.name = "The earliest trap",
       .situation = "1 x 2: PE 1 loads from address 0 at 5, PE 0 would trap at 6.",
       .arithmetic =
           "The smallest (cycle, PE) is (5, 1). Instructions before cycle 5 count: five each.",
       .machine = array(1, 2),
       .pes = {{.program = "nop * 6; ebreak", .issues = "0-4"},
               {.program = "nop * 5; lw a0, 0(zero)", .issues = "0-4"}},
       .cycles = 5,
       .end = {trap, TrapKind::load_fault, 1}},

      {.name = "Two traps in one cycle",
       .situation = "1 x 2: both at 3.",
       .arithmetic = "The lower PE is the outcome.",
       .machine = array(1, 2),
       .pes = {{.program = "nop * 3; ebreak", .issues = "0-2"},
               {.program = "nop * 3; lw a0, 0(zero)", .issues = "0-2"}},
       .cycles = 3,
       .end = {trap, TrapKind::breakpoint, 0}},

      {.name = "A trap during a transfer",
       .situation = "1 x 2: PE 1 traps at 12 while PE 0 waits for 64 bytes.",
       .arithmetic =
           "Counters at 12: PE 0 waited 4-11 for nothing (8); its engine idled 0-3, set up 4-7 "
           "and read 8-11.",
       .machine = array(1, 2),
       .pes = {{.program = queue_and_wait,
                .issues = "0-3",
                .stalls = "sem_wait_none 8",
                .local = {{0, descriptor(line(local + 0x100, local + 0x200, 64))}}},
               {.program = "nop * 12; ebreak", .issues = "0-11"}},
       .engines = {{.pe = 0,
                    .transfers = "4-",
                    .beats = {"0.0 local read port 0: 8-11"},
                    .bins = "idle 4, setup 4, transfer 4"}},
       .cycles = 12,
       .end = {trap, TrapKind::breakpoint, 1}},

      {.name = "A link off the edge",
       .situation = "gp.send east on 1 x 1 without torus.",
       .arithmetic = "A trap in its cycle, 1.",
       .machine = array(1, 1),
       .pes = {{.program = "nop; gp.send 1, zero", .issues = "0"}},
       .cycles = 1,
       .end = {trap, TrapKind::edge_link, 0}},

      {.name = "A post to nobody",
       .situation = "gp.post to PE 4 of 2 x 2.",
       .arithmetic = "A trap in its cycle, 1; the other PEs have issued their first instruction.",
       .machine = array(2, 2),
       .pes = {{.program = "li a1, 4; gp.post a1, 8", .issues = "0"},
               {.issues = "0"},
               {.issues = "0"},
               {.issues = "0"}},
       .cycles = 1,
       .end = {trap, TrapKind::bad_target, 0}},

      {.name = "A wait for nothing",
       .situation = "gp.wait with an amount of 0.",
       .arithmetic = "A trap in its cycle, 0.",
       .machine = array(1, 1),
       .pes = {{.program = "gp.wait 0, zero", .issues = ""}},
       .cycles = 0,
       .end = {trap, TrapKind::bad_semaphore, 0}},

      {.name = "A bad descriptor",
       .situation = "A destination stride that is not a multiple of the element size.",
       .arithmetic = "A trap at the gp.dma, 3; nothing is queued.",
       .machine = array(1, 1),
       .pes = {{.program = queue_and_wait,
                .issues = "0-2",
                .local = {{0, descriptor([] {
                             Transfer transfer = line(local + 0x100, local + 0x200, 64);
                             transfer.destination_strides = {12};
                             return transfer;
                           }())}}}},
       .cycles = 3,
       .end = {trap, TrapKind::bad_descriptor, 0}},

      {.name = "An index out of bounds",
       .situation = "A gather of one element, index 4 of 4, mode trap.",
       .arithmetic = "A trap at the gp.dma, 3.",
       .machine = array(1, 1),
       .pes = {{.program = queue_and_wait,
                .issues = "0-2",
                .local = {{0, descriptor({.kind = Kind::gather,
                                          .source = local + 0x100,
                                          .destination = local + 0x200,
                                          .sizes = {1},
                                          .source_strides = {0},
                                          .destination_strides = {8},
                                          .index = Index{.base = local + 0x180,
                                                         .count = 1,
                                                         .scale = 8,
                                                         .limit = 4}})},
                          {0x180, words({4})}}}},
       .cycles = 3,
       .end = {trap, TrapKind::bad_descriptor, 0}},
  };
}

}  // namespace simfarm::timelines
