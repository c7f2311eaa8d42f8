// Transfers inside one local memory: beats of the two ports, cuts at 64 bytes, slots.
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {
namespace {

Machine with_in_flight(u32 slots) {
  Machine machine = array(1, 1);
  machine.dma.in_flight = slots;
  return machine;
}

/// 16 bytes read as a column each, written as a row: 16 reads of one element.
Transfer gather_columns() {
  return {.element = 1,
          .source = local + 0x100,
          .destination = local + 0x200,
          .sizes = {4, 4},
          .source_strides = {1, 4},
          .destination_strides = {4, 1}};
}

const std::vector<u8> transposed{1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 4, 8, 12, 16};

}  // namespace

Table local_copy_timelines() {
  return {
      {.name = "One beat, local to local",
       .situation = "8 aligned bytes inside one PE's local memory.",
       .arithmetic =
           "gp.dma at 3, start 4, set-up 4-7. The read's beat at 8, arrived 9; the write's at 9, "
           "written 10: completion 10. The wait, there from 4, issues at 10, ecall 11: 12 cycles.",
       .machine = array(1, 1),
       .pes = {queues_one(line(local + 0x100, local + 0x200, 8), 10, {{0x100, ramp(8)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-10",
                    .beats = {"0.0 local read port 0: 8", "0.1 local write port 0: 9"},
                    .bins = "idle 6, setup 4, transfer 2",
                    .read = 8,
                    .written = 8}},
       .cycles = 12,
       .local_after = {{0, {0x200, ramp(8)}}}},

      {.name = "A wait in the cycle of the completion",
       .situation = "The same; the PE has other work until cycle 10.",
       .arithmetic =
           "Completions come before PEs inside a cycle: the wait of cycle 10 issues in it, "
           "without a stall. ecall 11: 12 cycles.",
       .machine = array(1, 1),
       .pes = {{.program = "lui a2, 0x10000; li a1, 1; li a7, 93; gp.dma a2; nop * 6; "
                           "gp.wait 0, a1; ecall",
                .issues = "0-11",
                .local = {{0, descriptor(line(local + 0x100, local + 0x200, 8))}}}},
       .engines = {{.pe = 0,
                    .transfers = "4-10",
                    .beats = {"0.0 local read port 0: 8", "0.1 local write port 0: 9"},
                    .bins = "idle 6, setup 4, transfer 2",
                    .read = 8,
                    .written = 8}},
       .cycles = 12},

      {.name = "64 aligned bytes",
       .situation = "One burst: store and forward, 8 bytes a beat.",
       .arithmetic =
           "Read 8 beats at 8-15, arrived 16; write 16-23, written 24. Wait 24, ecall 25: 26 "
           "cycles.",
       .machine = array(1, 1),
       .pes = {queues_one(line(local + 0x100, local + 0x200, 64), 24, {{0x100, ramp(64)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-24",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 local write port 0: 16-23"},
                    .bins = "idle 6, setup 4, transfer 16",
                    .read = 64,
                    .written = 64}},
       .cycles = 26,
       .local_after = {{0, {0x200, ramp(64)}}}},

      {.name = "128 aligned bytes",
       .situation = "Two bursts: the second is read while the first is written.",
       .arithmetic =
           "Reads 8-15 and 16-23 (both issue at 8, the port takes the lower burst first), writes "
           "16-23 and 24-31: completion 32, a burst every 8 cycles. Numbers: read 0, write 1, "
           "read 2, write 3.",
       .machine = array(1, 1),
       .pes = {queues_one(line(local + 0x100, local + 0x200, 128), 32)},
       .engines = {{.pe = 0,
                    .transfers = "4-32",
                    .beats = {"0.0 local read port 0: 8-15", "0.2 local read port 0: 16-23",
                              "0.1 local write port 0: 16-23", "0.3 local write port 0: 24-31"},
                    .bins = "idle 6, setup 4, transfer 24",
                    .read = 128,
                    .written = 128}},
       .cycles = 34},

      {.name = "64 misaligned bytes",
       .situation =
           "16 words from 0x...104 to 0x...238: both sides are cut at 64-byte boundaries, each by "
           "its own addresses.",
       .arithmetic =
           "Reads: 60 bytes from 104 touch 8 units of 8, then 4 bytes at 140, 1 unit. Writes: 8 "
           "bytes at 238, 1 unit, needing the first read; 56 bytes from 240, 7 units, needing "
           "both. Order: read 0, write 1, read 2, write 3. Read 0 8-15, arrived 16; read 2 at 16, "
           "arrived 17. Write 1 at 16; write 3 at 17-23: completion 24.",
       .machine = array(1, 1),
       .pes = {queues_one({.element = 4,
                           .source = local + 0x104,
                           .destination = local + 0x238,
                           .sizes = {16},
                           .source_strides = {4},
                           .destination_strides = {4}},
                          24, {{0x104, ramp(64)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-24",
                    .beats = {"0.0 local read port 0: 8-15", "0.2 local read port 0: 16",
                              "0.1 local write port 0: 16", "0.3 local write port 0: 17-23"},
                    .bins = "idle 6, setup 4, transfer 16",
                    .read = 64,
                    .written = 64}},
       .cycles = 26,
       .local_after = {{0, {0x238, ramp(64)}}}},

      {.name = "Transposing on the write side",
       .situation = "4 x 4 bytes, read as one run, written element by element.",
       .arithmetic =
           "One read of 16 bytes, 2 beats at 8 9, arrived 10. No two elements are neighbours at "
           "the destination: 16 writes of one beat, all ready at 10, at 10-25 in order: "
           "completion 26.",
       .machine = array(1, 1),
       .pes = {queues_one({.element = 1,
                           .source = local + 0x100,
                           .destination = local + 0x200,
                           .sizes = {4, 4},
                           .source_strides = {4, 1},
                           .destination_strides = {1, 4}},
                          26, {{0x100, ramp(16)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-26",
                    .beats = {"0.0 local read port 0: 8-9", "0.1 local write port 0: 10",
                              "0.2 local write port 0: 11", "0.3 local write port 0: 12",
                              "0.4 local write port 0: 13", "0.5 local write port 0: 14",
                              "0.6 local write port 0: 15", "0.7 local write port 0: 16",
                              "0.8 local write port 0: 17", "0.9 local write port 0: 18",
                              "0.10 local write port 0: 19", "0.11 local write port 0: 20",
                              "0.12 local write port 0: 21", "0.13 local write port 0: 22",
                              "0.14 local write port 0: 23", "0.15 local write port 0: 24",
                              "0.16 local write port 0: 25"},
                    .bins = "idle 6, setup 4, transfer 18",
                    .read = 16,
                    .written = 16}},
       .cycles = 28,
       .local_after = {{0, {0x200, transposed}}}},

      {.name = "Transposing on the read side",
       .situation =
           "The same result with 16 reads of one byte: writes are cut so that none needs more "
           "reads than the three slots.",
       .arithmetic =
           "Writes of 3 3 3 3 3 1 bytes; bytes 6-8 touch two units of 8, the others one. Reads "
           "0-2 at 8 9 10, arrived 9 10 11; write 3 at 11, written 12: only then are their slots "
           "free. Reads 4-6 12 13 14, write 7 15. Reads 8-10 16 17 18, write 11 19 20. Reads "
           "12-14 21 22 23, write 15 24. Reads 16-18 25 26 27, write 19 28. Read 20 29, write 21 "
           "30: completion 31. Something is granted in every cycle of 8-30.",
       .machine = array(1, 1),
       .pes = {queues_one(gather_columns(), 31, {{0x100, ramp(16)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-31",
                    .beats = {"0.0 local read port 0: 8",   "0.1 local read port 0: 9",
                              "0.2 local read port 0: 10",  "0.3 local write port 0: 11",
                              "0.4 local read port 0: 12",  "0.5 local read port 0: 13",
                              "0.6 local read port 0: 14",  "0.7 local write port 0: 15",
                              "0.8 local read port 0: 16",  "0.9 local read port 0: 17",
                              "0.10 local read port 0: 18", "0.11 local write port 0: 19-20",
                              "0.12 local read port 0: 21", "0.13 local read port 0: 22",
                              "0.14 local read port 0: 23", "0.15 local write port 0: 24",
                              "0.16 local read port 0: 25", "0.17 local read port 0: 26",
                              "0.18 local read port 0: 27", "0.19 local write port 0: 28",
                              "0.20 local read port 0: 29", "0.21 local write port 0: 30"},
                    .bins = "idle 6, setup 4, transfer 23",
                    .read = 16,
                    .written = 16}},
       .cycles = 33,
       .local_after = {{0, {0x200, transposed}}}},

      {.name = "Transposing on the read side, sixteen slots",
       .situation = "The same with dma.in_flight = 16: the whole row is one write.",
       .arithmetic =
           "Reads at 8-23, the last arrived at 24; one write of 16 bytes needing all 16, 2 beats "
           "at 24 25: completion 26.",
       .machine = with_in_flight(16),
       .pes = {queues_one(gather_columns(), 26, {{0x100, ramp(16)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-26",
                    .beats = {"0.0 local read port 0: 8", "0.1 local read port 0: 9",
                              "0.2 local read port 0: 10", "0.3 local read port 0: 11",
                              "0.4 local read port 0: 12", "0.5 local read port 0: 13",
                              "0.6 local read port 0: 14", "0.7 local read port 0: 15",
                              "0.8 local read port 0: 16", "0.9 local read port 0: 17",
                              "0.10 local read port 0: 18", "0.11 local read port 0: 19",
                              "0.12 local read port 0: 20", "0.13 local read port 0: 21",
                              "0.14 local read port 0: 22", "0.15 local read port 0: 23",
                              "0.16 local write port 0: 24-25"},
                    .bins = "idle 6, setup 4, transfer 18",
                    .read = 16,
                    .written = 16}},
       .cycles = 28,
       .local_after = {{0, {0x200, transposed}}}},

      {.name = "One slot",
       .situation = "128 aligned bytes with dma.in_flight = 1: nothing overlaps.",
       .arithmetic =
           "Read 8-15, write 16-23, written 24: only then the second read 24-31 and write 32-39: "
           "completion 40.",
       .machine = with_in_flight(1),
       .pes = {queues_one(line(local + 0x100, local + 0x200, 128), 40)},
       .engines = {{.pe = 0,
                    .transfers = "4-40",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 local write port 0: 16-23",
                              "0.2 local read port 0: 24-31", "0.3 local write port 0: 32-39"},
                    .bins = "idle 6, setup 4, transfer 32",
                    .read = 128,
                    .written = 128}},
       .cycles = 42},

      {.name = "copy-add, local",
       .situation = "16 int32 added to local memory: the destination is read and then written.",
       .arithmetic =
           "Read 8-15, arrived 16. The write takes the read port 16-23 and, passed at 24, the "
           "write port 24-31: completion 32. Only read bursts count as bytes read.",
       .machine = array(1, 1),
       .pes = {queues_one({.kind = Kind::add_i32,
                           .element = 4,
                           .source = local + 0x100,
                           .destination = local + 0x200,
                           .sizes = {16},
                           .source_strides = {4},
                           .destination_strides = {4}},
                          32, {{0x100, words({1, 0xffffffff})}, {0x200, words({41, 41, 7})}})},
       .engines = {{.pe = 0,
                    .transfers = "4-32",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 local read port 0: 16-23",
                              "0.1 local write port 0: 24-31"},
                    .bins = "idle 6, setup 4, transfer 24",
                    .read = 64,
                    .written = 64}},
       .cycles = 34,
       .local_after = {{0, {0x200, words({42, 40, 7})}}}},

      {.name = "copy-add, two bursts on one read port",
       .situation =
           "128 bytes of int8 added to local memory: reads of the source and of the destination "
           "share the read port.",
       .arithmetic =
           "Read 0 8-15. At 16 the port is wanted by write 1 (reading its destination) and read "
           "2: the lower burst first, 16-23. Read 2 24-31, arrived 32; write 1's write port "
           "24-31. Write 3: read port 32-39, write port 40-47: completion 48. 100 + 100 saturates "
           "to 127.",
       .machine = array(1, 1),
       .pes = {queues_one({.kind = Kind::add_i8,
                           .element = 1,
                           .source = local + 0x100,
                           .destination = local + 0x200,
                           .sizes = {128},
                           .source_strides = {1},
                           .destination_strides = {1}},
                          48, {{0x100, {100, 2, 0x80}}, {0x200, {100, 3, 0xff}}})},
       .engines = {{.pe = 0,
                    .transfers = "4-48",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 local read port 0: 16-23",
                              "0.2 local read port 0: 24-31", "0.1 local write port 0: 24-31",
                              "0.3 local read port 0: 32-39", "0.3 local write port 0: 40-47"},
                    .bins = "idle 6, setup 4, transfer 40",
                    .read = 128,
                    .written = 128}},
       .cycles = 50,
       .local_after = {{0, {0x200, {127, 5, 0x80}}}}},
  };
}

}  // namespace simfarm::timelines
