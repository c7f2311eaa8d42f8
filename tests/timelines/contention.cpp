// Two engines and one resource: the older transfer first, beat by beat.
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {
namespace {

Machine with_banks(Machine machine, u32 banks) {
  machine.ocm.banks = banks;
  return machine;
}

/// 16 int32 added to the first words of OCM.
Transfer add_words() {
  return {.kind = Kind::add_i32,
          .element = 4,
          .source = local + 0x100,
          .destination = ocm,
          .sizes = {16},
          .source_strides = {4},
          .destination_strides = {4}};
}

}  // namespace

Table contention_timelines() {
  return {
      {.name = "One bank, two readers",
       .situation = "2 x 1: both PEs read 64 bytes of OCM bank 0, started in the same cycle.",
       .arithmetic =
           "Equal start: PE 0 is older. Bank: PE 0 8-11, PE 1 12-15 (source_wait 8-11). Separate "
           "row buses: PE 0 22, PE 1 26; writes 23-30 and 27-34: completions 31 and 35.",
       .machine = array(2, 1),
       .pes = {queues_one(line(ocm, local + 0x200, 64), 31),
               queues_one(line(ocm, local + 0x200, 64), 35)},
       .engines = {{.pe = 0,
                    .transfers = "4-31",
                    .beats = {"0.0 ocm bank 0: 8-11", "0.0 row bus 0: 22",
                              "0.1 local write port 0: 23-30"},
                    .bins = "idle 10, setup 4, transfer 23",
                    .read = 64,
                    .written = 64},
                   {.pe = 1,
                    .transfers = "4-35",
                    .beats = {"0.0 ocm bank 0: 12-15", "0.0 row bus 1: 26",
                              "0.1 local write port 1: 27-34"},
                    .bins = "idle 6, setup 4, source_wait 4, transfer 23",
                    .read = 64,
                    .written = 64}},
       .cycles = 37},

      {.name = "Two banks, two readers",
       .situation =
           "ocm.banks = 2; each PE of 2 x 1 reads 128 bytes, PE 0 banks 0 and 1, PE 1 banks 1 and "
           "0.",
       .arithmetic =
           "PE 0 takes both banks 8-11, PE 1 both 12-15 (source_wait 4). PE 0: bus 22 23, writes "
           "23-30 31-38, completion 39. PE 1: bus 26 27, writes 27-34 35-42, completion 43.",
       .machine = with_banks(array(2, 1), 2),
       .pes = {queues_one(line(ocm, local + 0x200, 128), 39),
               queues_one(line(ocm + 64, local + 0x200, 128), 43)},
       .engines = {{.pe = 0,
                    .transfers = "4-39",
                    .beats = {"0.0 ocm bank 0: 8-11", "0.2 ocm bank 1: 8-11", "0.0 row bus 0: 22",
                              "0.2 row bus 0: 23", "0.1 local write port 0: 23-30",
                              "0.3 local write port 0: 31-38"},
                    .bins = "idle 10, setup 4, transfer 31",
                    .read = 128,
                    .written = 128},
                   {.pe = 1,
                    .transfers = "4-43",
                    .beats = {"0.0 ocm bank 1: 12-15", "0.2 ocm bank 0: 12-15", "0.0 row bus 1: 26",
                              "0.2 row bus 1: 27", "0.1 local write port 1: 27-34",
                              "0.3 local write port 1: 35-42"},
                    .bins = "idle 6, setup 4, source_wait 4, transfer 31",
                    .read = 128,
                    .written = 128}},
       .cycles = 45},

      {.name = "One row bus, two readers",
       .situation = "1 x 2: the PEs read different banks and meet on their row bus.",
       .arithmetic =
           "Both banks 8-11, both ready for the bus at 22: PE 0 22, PE 1 23 (bus_wait 1). PE 0: "
           "write 23-30, completion 31. PE 1: bus passed 23 + 1 + 1 = 25, write 25-32, completion "
           "33.",
       .machine = array(1, 2),
       .pes = {queues_one(line(ocm, local + 0x200, 64), 31),
               queues_one(line(ocm + 64, local + 0x200, 64), 33)},
       .engines = {{.pe = 0,
                    .transfers = "4-31",
                    .beats = {"0.0 ocm bank 0: 8-11", "0.0 row bus 0: 22",
                              "0.1 local write port 0: 23-30"},
                    .bins = "idle 8, setup 4, transfer 23",
                    .read = 64,
                    .written = 64},
                   {.pe = 1,
                    .transfers = "4-33",
                    .beats = {"0.0 ocm bank 1: 8-11", "0.0 row bus 0: 23",
                              "0.1 local write port 1: 25-32"},
                    .bins = "idle 6, setup 4, bus_wait 1, transfer 24",
                    .read = 64,
                    .written = 64}},
       .cycles = 35},

      {.name = "One DRAM channel, two readers",
       .situation = "2 x 1: both PEs read 64 bytes of DRAM.",
       .arithmetic =
           "Channel: PE 0 8 9, PE 1 10 11 (source_wait 2). Passed 110 and 112, buses of their "
           "own, writes 111-118 and 113-120: completions 119 and 121.",
       .machine = array(2, 1),
       .pes = {queues_one(line(dram, local + 0x200, 64), 119),
               queues_one(line(dram, local + 0x200, 64), 121)},
       .engines = {{.pe = 0,
                    .transfers = "4-119",
                    .beats = {"0.0 dram channel: 8-9", "0.0 row bus 0: 110",
                              "0.1 local write port 0: 111-118"},
                    .bins = "idle 8, setup 4, transfer 111",
                    .read = 64,
                    .written = 64},
                   {.pe = 1,
                    .transfers = "4-121",
                    .beats = {"0.0 dram channel: 10-11", "0.0 row bus 1: 112",
                              "0.1 local write port 1: 113-120"},
                    .bins = "idle 6, setup 4, source_wait 2, transfer 111",
                    .read = 64,
                    .written = 64}},
       .cycles = 123},

      {.name = "One bank, two writers",
       .situation = "2 x 1: both PEs write 64 bytes into OCM bank 0, to different addresses.",
       .arithmetic =
           "Local reads 8-15, buses 16, both ready for the bank at 17: PE 0 17-20, PE 1 21-24 "
           "(destination_wait 4): completions 31 and 35.",
       .machine = array(2, 1),
       .pes = {queues_one(line(local + 0x100, ocm, 64), 31),
               queues_one(line(local + 0x100, ocm + 512, 64), 35)},
       .engines =
           {{.pe = 0,
             .transfers = "4-31",
             .beats = {"0.0 local read port 0: 8-15", "0.1 row bus 0: 16", "0.1 ocm bank 0: 17-20"},
             .bins = "idle 10, setup 4, transfer 23",
             .read = 64,
             .written = 64},
            {.pe = 1,
             .transfers = "4-35",
             .beats = {"0.0 local read port 1: 8-15", "0.1 row bus 1: 16", "0.1 ocm bank 0: 21-24"},
             .bins = "idle 6, setup 4, destination_wait 4, transfer 23",
             .read = 64,
             .written = 64}},
       .cycles = 37},

      {.name = "Two copy-adds into one bank",
       .situation = "2 x 1: both PEs add 16 int32 to the same OCM words.",
       .arithmetic =
           "Bank, 8 beats each: PE 0 17-24, PE 1 25-32 (destination_wait 8): completions 24 + 11 "
           "= 35 and 43. No addition is lost: each happens at its completion.",
       .machine = array(2, 1),
       .pes = {queues_one(add_words(), 35, {{0x100, words({1, 2})}}),
               queues_one(add_words(), 43, {{0x100, words({10, 20})}})},
       .shared = {{ocm, words({100, 200})}},
       .engines =
           {{.pe = 0,
             .transfers = "4-35",
             .beats = {"0.0 local read port 0: 8-15", "0.1 row bus 0: 16", "0.1 ocm bank 0: 17-24"},
             .bins = "idle 14, setup 4, transfer 27",
             .read = 64,
             .written = 64},
            {.pe = 1,
             .transfers = "4-43",
             .beats = {"0.0 local read port 1: 8-15", "0.1 row bus 1: 16", "0.1 ocm bank 0: 25-32"},
             .bins = "idle 6, setup 4, destination_wait 8, transfer 27",
             .read = 64,
             .written = 64}},
       .cycles = 45,
       .shared_after = {{ocm, words({111, 222})}}},

      {.name = "A younger transfer in an older one's gap",
       .situation =
           "2 x 1: PE 0 copies 64 bytes inside OCM bank 0; PE 1 begins to read bank 0 while PE "
           "0's bytes are on the way, and is interrupted after two beats.",
       .arithmetic =
           "PE 0: bank 8-11, bus 22, bus 23, bank 24-27, completion 38, as if alone. PE 1: start "
           "18, ready for the bank at 22: beats 22 23, waits 24-27 (source_wait 4), beats 28 29, "
           "passed 40; bus 40, write 41-48: completion 49.",
       .machine = array(2, 1),
       .pes =
           {queues_one(line(ocm, ocm + 512, 64), 38),
            {.program =
                 "lui a2, 0x10000; li a1, 1; li a7, 93; nop * 14; gp.dma a2; gp.wait 0, a1; ecall",
             .issues = "0-17 49-50",
             .stalls = "sem_wait_dma 31",
             .local = {{0, descriptor(line(ocm + 1024, local + 0x200, 64))}}}},
       .engines = {{.pe = 0,
                    .transfers = "4-38",
                    .beats = {"0.0 ocm bank 0: 8-11", "0.0 row bus 0: 22", "0.1 row bus 0: 23",
                              "0.1 ocm bank 0: 24-27"},
                    .bins = "idle 17, setup 4, transfer 30",
                    .read = 64,
                    .written = 64},
                   {.pe = 1,
                    .transfers = "18-49",
                    .beats = {"0.0 ocm bank 0: 22-23 28-29", "0.0 row bus 1: 40",
                              "0.1 local write port 1: 41-48"},
                    .bins = "idle 20, setup 4, source_wait 4, transfer 23",
                    .read = 64,
                    .written = 64}},
       .cycles = 51},
  };
}

}  // namespace simfarm::timelines
