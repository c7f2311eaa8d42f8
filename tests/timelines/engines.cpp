// One engine's order of work: queue, chains, acquire, set-up behind the transfer before.
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {
namespace {

Machine with_queue(u32 slots) {
  Machine machine = array(1, 1);
  machine.dma.queue = slots;
  return machine;
}

/// 8 bytes inside local memory: read one beat, write one beat.
Transfer short_copy(Use own = {0, 1}, u32 next = 0, Use acquire = {}) {
  Transfer transfer = line(local + 0x100, local + 0x200, 8);
  transfer.own = own;
  transfer.next = next;
  transfer.acquire = acquire;
  return transfer;
}

/// The beats of a short copy on engine 0 whose first burst issues at `first`.
void add_short(std::vector<std::string>& beats, u32 number, u32 first) {
  const std::string transfer = std::to_string(number);
  beats.push_back(transfer + ".0 local read port 0: " + std::to_string(first));
  beats.push_back(transfer + ".1 local write port 0: " + std::to_string(first + 1));
}

std::vector<std::string> short_beats(const std::vector<u32>& firsts) {
  std::vector<std::string> beats;
  for (u32 i = 0; i < firsts.size(); ++i) add_short(beats, i, firsts[i]);
  return beats;
}

}  // namespace

Table engine_timelines() {
  return {
      {.name = "A queue of one",
       .situation =
           "Three short copies with dma.queue = 1: the third gp.dma waits for the second's start.",
       .arithmetic =
           "First: gp.dma 5, start 6 (frees the slot for the gp.dma of cycle 6), read 10, write "
           "issued 11, completion 12. Second: starts in the cycle after the first's last issue, "
           "12; the gp.dma waiting since 7 issues in that cycle (5 stalls); read 16, write 17, "
           "completion 18. Third: start 18, read 22, write 23, completion 24. The wait for 3, "
           "there from 13, issues at 24 (11 stalls); ecall 25: 26 cycles.",
       .machine = with_queue(1),
       .pes = {{.program =
                    "lui a2, 0x10000; lui a3, 0x10001; lui a4, 0x10002; li a1, 3; li a7, 93; "
                    "gp.dma a2; gp.dma a3; gp.dma a4; gp.wait 0, a1; ecall",
                .issues = "0-6 12 24-25",
                .stalls = "dma_queue_full 5, sem_wait_dma 11",
                .local = {{0, descriptor(short_copy())},
                          {0x1000, descriptor(short_copy())},
                          {0x2000, descriptor(short_copy())}}}},
       .engines = {{.pe = 0,
                    .transfers = "6-12 12-18 18-24",
                    .beats = short_beats({10, 16, 22}),
                    .bins = "idle 8, setup 12, transfer 6",
                    .read = 24,
                    .written = 24}},
       .cycles = 26},

      {.name = "A queue of four",
       .situation =
           "The first of five descriptors waits for a post; the fifth gp.dma finds the queue "
           "full.",
       .arithmetic =
           "gp.dma at 4-7 fill the queue; the fifth waits 8-11. The post of cycle 9, distance 1, "
           "arrives at 12: the first transfer starts, and the gp.dma issues, at 12: read 16, "
           "write issued 17. The others start 6 cycles apart: 18 24 30 36, reads 22 28 34 40, the "
           "last completion at 42. The wait for 5 is there from 13: 29 stalls. Engine: "
           "acquire_wait 5-11, set-up 5 * 4.",
       .machine = array(1, 2),
       .pes = {{.program = "lui a2, 0x10000; lui a3, 0x10001; li a1, 5; li a7, 93; gp.dma a2; "
                           "gp.dma a3 * 4; gp.wait 0, a1; ecall",
                .issues = "0-7 12 42-43",
                .stalls = "dma_queue_full 4, sem_wait_dma 29",
                .local = {{0, descriptor(short_copy({0, 1}, 0, {8, 1}))},
                          {0x1000, descriptor(short_copy())}}},
               {.program = "nop * 9; gp.post zero, 8; li a7, 93; ecall", .issues = "0-11"}},
       .engines = {{.pe = 0,
                    .transfers = "12-18 18-24 24-30 30-36 36-42",
                    .beats = short_beats({16, 22, 28, 34, 40}),
                    .bins = "idle 7, acquire_wait 7, setup 20, transfer 10",
                    .read = 40,
                    .written = 40}},
       .cycles = 44},

      {.name = "Set-up behind a write in flight",
       .situation =
           "A copy into OCM, then a short local copy: the second starts as soon as the first's "
           "write has issued, and completes before it.",
       .arithmetic =
           "First: gp.dma 4, start 5, read 9-16, write issued 17: bus 17, bank 18-21, completion "
           "32. Second: start 18, read 22, write 23, completion 24. Wait for semaphore 1 at 6 "
           "issues at 24 (18 stalls), for 0 at 25 issues at 32 (7). Engine: the first has "
           "unfinished bursts until 32, so the second shows in no bin: set-up 5-8, transfer 9-31.",
       .machine = array(1, 1),
       .pes = {{.program =
                    "lui a2, 0x10000; lui a3, 0x10001; li a1, 1; li a7, 93; gp.dma a2; gp.dma a3; "
                    "gp.wait 1, a1; gp.wait 0, a1; ecall",
                .issues = "0-5 24 32-33",
                .stalls = "sem_wait_dma 25",
                .local = {{0, descriptor(line(local + 0x100, ocm, 64))},
                          {0x1000, descriptor(short_copy({1, 1}))}}}},
       .engines = {{.pe = 0,
                    .transfers = "5-32 18-24",
                    .beats = {"0.0 local read port 0: 9-16", "0.1 row bus 0: 17",
                              "0.1 ocm bank 0: 18-21", "1.0 local read port 0: 22",
                              "1.1 local write port 0: 23"},
                    .bins = "idle 7, setup 4, transfer 23",
                    .read = 72,
                    .written = 72}},
       .cycles = 34},

      {.name = "One slot for two transfers",
       .situation = "The same with dma.in_flight = 1: slots count across an engine's transfers.",
       .arithmetic =
           "The first's read holds the only slot until its write is written, 32. The second "
           "starts at 18 as before, but its read issues at 32, write 33, completion 34. Wait for "
           "semaphore 1 from 6: 28 stalls; for 0 at 35: none. ecall 36: 37 cycles.",
       .machine =
           [] {
             Machine machine = array(1, 1);
             machine.dma.in_flight = 1;
             return machine;
           }(),
       .pes = {{.program =
                    "lui a2, 0x10000; lui a3, 0x10001; li a1, 1; li a7, 93; gp.dma a2; gp.dma a3; "
                    "gp.wait 1, a1; gp.wait 0, a1; ecall",
                .issues = "0-5 34-36",
                .stalls = "sem_wait_dma 28",
                .local = {{0, descriptor(line(local + 0x100, ocm, 64))},
                          {0x1000, descriptor(short_copy({1, 1}))}}}},
       .engines = {{.pe = 0,
                    .transfers = "5-32 18-34",
                    .beats = {"0.0 local read port 0: 9-16", "0.1 row bus 0: 17",
                              "0.1 ocm bank 0: 18-21", "1.0 local read port 0: 32",
                              "1.1 local write port 0: 33"},
                    .bins = "idle 8, setup 4, transfer 25",
                    .read = 72,
                    .written = 72}},
       .cycles = 37},

      {.name = "A chain of three",
       .situation = "Three short copies, chained; only the last releases.",
       .arithmetic =
           "Start 4, read 8, write issued 9. The next starts in the cycle after the last issue: "
           "10, read 14, write 15; start 16, read 20, write 21, completion 22. Set-up 3 * 4, "
           "transfer 3 * 2.",
       .machine = array(1, 1),
       .pes = {queues_one(
           short_copy({}, 0x40), 22,
           {{0x40, descriptor(short_copy({}, 0x80))}, {0x80, descriptor(short_copy())}})},
       .engines = {{.pe = 0,
                    .transfers = "4-10 10-16 16-22",
                    .beats = short_beats({8, 14, 20}),
                    .bins = "idle 6, setup 12, transfer 6",
                    .read = 24,
                    .written = 24}},
       .cycles = 24},

      {.name = "A chain takes no queue slot",
       .situation =
           "dma.queue = 1: a chain of two, then one more gp.dma, which takes the slot and comes "
           "after the whole chain.",
       .arithmetic =
           "gp.dma 4, start 5 frees the slot, gp.dma 5 takes it. Chain: read 9, write 10; start "
           "11, read 15, write issued 16. The queued one comes last: start 17, read 21, write 22, "
           "completion 23. The second of the chain and the queued one release: the wait for 2, "
           "there from 6, issues at 23. ecall 24: 25 cycles.",
       .machine = with_queue(1),
       .pes = {{.program =
                    "lui a2, 0x10000; lui a3, 0x10001; li a1, 2; li a7, 93; gp.dma a2; gp.dma a3; "
                    "gp.wait 0, a1; ecall",
                .issues = "0-5 23-24",
                .stalls = "sem_wait_dma 17",
                .local = {{0, descriptor(short_copy({}, 0x40))},
                          {0x40, descriptor(short_copy())},
                          {0x1000, descriptor(short_copy())}}}},
       .engines = {{.pe = 0,
                    .transfers = "5-11 11-17 17-23",
                    .beats = short_beats({9, 15, 21}),
                    .bins = "idle 7, setup 12, transfer 6",
                    .read = 24,
                    .written = 24}},
       .cycles = 25},

      {.name = "A chain that begins with nothing",
       .situation = "A size of zero, chained to a short copy.",
       .arithmetic =
           "The first has no bursts to issue: the second starts in the next cycle, 5, read 9, "
           "write 10, completion 11; the first completes at 8. Set-up 4-8.",
       .machine = array(1, 1),
       .pes = {queues_one(
           [] {
             Transfer nothing = short_copy({}, 0x40);
             nothing.sizes = {0};
             return nothing;
           }(),
           11, {{0x40, descriptor(short_copy())}})},
       .engines = {{.pe = 0,
                    .transfers = "4-8 5-11",
                    .beats = {"1.0 local read port 0: 9", "1.1 local write port 0: 10"},
                    .bins = "idle 6, setup 5, transfer 2",
                    .read = 8,
                    .written = 8}},
       .cycles = 13},

      {.name = "A chained transfer that acquires",
       .situation = "64 bytes into OCM and, acquiring the first's own release, back again.",
       .arithmetic =
           "First: read 8-15, bus 16, bank 17-20, completion 31, releases semaphore 1. Second: "
           "could head the engine at 17, its acquire holds at 31 (completions come before "
           "starts): start 31, bank 35-38, bus 49, write 50-57, completion 58. It reads what the "
           "first wrote. No acquire_wait: until 31 the first's write is charged.",
       .machine = array(1, 1),
       .pes = {queues_one(
           [] {
             Transfer out = line(local + 0x100, ocm, 64);
             out.own = {1, 1};
             out.next = 0x40;
             return out;
           }(),
           58,
           {{0x40, descriptor([] {
               Transfer back = line(ocm, local + 0x200, 64);
               back.acquire = {1, 1};
               return back;
             }())},
            {0x100, ramp(64)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-31 31-58",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 row bus 0: 16",
                              "0.1 ocm bank 0: 17-20", "1.0 ocm bank 0: 35-38", "1.0 row bus 0: 49",
                              "1.1 local write port 0: 50-57"},
                    .bins = "idle 6, setup 8, transfer 46",
                    .read = 128,
                    .written = 128}},
       .cycles = 60,
       .local_after = {{0, {0x200, ramp(64)}}}},

      {.name = "Acquire by the engine",
       .situation =
           "A descriptor acquires semaphore 8, which its own PE posts a cycle after the gp.dma.",
       .arithmetic =
           "gp.dma 3, post 4, arrival 6: arrivals come before starts, start 6. acquire_wait 4 5, "
           "set-up 6-9, read 10, write 11, completion 12. The wait is there from 5: 7 stalls.",
       .machine = array(1, 1),
       .pes = {{.program = "lui a2, 0x10000; li a1, 1; li a7, 93; gp.dma a2; gp.post zero, 8; "
                           "gp.wait 0, a1; ecall",
                .issues = "0-4 12-13",
                .stalls = "sem_wait_dma 7",
                .local = {{0, descriptor(short_copy({0, 1}, 0, {8, 1}))}}}},
       .engines = {{.pe = 0,
                    .transfers = "6-12",
                    .beats = short_beats({10}),
                    .bins = "idle 6, acquire_wait 2, setup 4, transfer 2",
                    .read = 8,
                    .written = 8}},
       .cycles = 14},

      {.name = "The engine acquires before its PE",
       .situation = "Engine and PE want one unit of semaphore 8 each; posts arrive at 6 and 12.",
       .arithmetic =
           "PE 1 posts at 3 and 9, distance 1. At 6 the engine takes the unit (start 6, "
           "completion 12), the PE waits on from 4 until 12: 8 stalls, completed by a post. The "
           "completion of 12 serves the next wait at 13 without a stall. ecall 14: 15 cycles.",
       .machine = array(1, 2),
       .pes =
           {{.program =
                 "lui a2, 0x10000; li a1, 1; li a7, 93; gp.dma a2; gp.wait 8, a1; gp.wait 0, a1; "
                 "ecall",
             .issues = "0-3 12-14",
             .stalls = "sem_wait_post 8",
             .local = {{0, descriptor(short_copy({0, 1}, 0, {8, 1}))}}},
            {.program = "nop * 3; gp.post zero, 8; nop * 5; gp.post zero, 8; li a7, 93; ecall",
             .issues = "0-11"}},
       .engines = {{.pe = 0,
                    .transfers = "6-12",
                    .beats = short_beats({10}),
                    .bins = "idle 7, acquire_wait 2, setup 4, transfer 2",
                    .read = 8,
                    .written = 8}},
       .cycles = 15},
  };
}

}  // namespace simfarm::timelines
