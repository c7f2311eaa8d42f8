// Shapes: strides of zero and below, tiles, fill, padding, nothing at all.
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {
namespace {

std::vector<u8> repeated(const std::vector<u8>& unit, u32 times) {
  std::vector<u8> bytes;
  for (u32 i = 0; i < times; ++i) bytes.insert(bytes.end(), unit.begin(), unit.end());
  return bytes;
}

std::vector<u8> joined(const std::vector<std::vector<u8>>& parts) {
  std::vector<u8> bytes;
  for (const auto& part : parts) bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
}

Machine one_slot() {
  Machine machine = array(1, 1);
  machine.dma.in_flight = 1;
  return machine;
}

}  // namespace

Table shape_timelines() {
  return {
      {.name = "Inner stride zero",
       .situation = "One word replayed into 64 contiguous bytes.",
       .arithmetic =
           "One read of 4 bytes at 8, arrived 9: the elements after the first are not read again. "
           "One write, 8 beats at 9-16: completion 17.",
       .machine = array(1, 1),
       .pes = {queues_one({.element = 4,
                           .source = local + 0x100,
                           .destination = local + 0x200,
                           .sizes = {16},
                           .source_strides = {0},
                           .destination_strides = {4}},
                          17, {{0x100, ramp(4)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-17",
                    .beats = {"0.0 local read port 0: 8", "0.1 local write port 0: 9-16"},
                    .bins = "idle 6, setup 4, transfer 9",
                    .read = 4,
                    .written = 64}},
       .cycles = 19,
       .local_after = {{0, {0x200, repeated(ramp(4), 16)}}}},

      {.name = "Two words, each replayed four times",
       .situation =
           "Inner stride zero, outer stride one word: neighbours are still read as one run.",
       .arithmetic =
           "The second word follows the first at the next address: one read of 8 bytes at 8, "
           "arrived 9. One write of 32 bytes, 4 beats at 9-12: completion 13.",
       .machine = array(1, 1),
       .pes = {queues_one({.element = 4,
                           .source = local + 0x100,
                           .destination = local + 0x200,
                           .sizes = {2, 4},
                           .source_strides = {4, 0},
                           .destination_strides = {16, 4}},
                          13, {{0x100, ramp(8)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-13",
                    .beats = {"0.0 local read port 0: 8", "0.1 local write port 0: 9-12"},
                    .bins = "idle 6, setup 4, transfer 5",
                    .read = 8,
                    .written = 32}},
       .cycles = 15,
       .local_after = {{0, {0x200, joined({repeated(ramp(4), 4), repeated(ramp(4, 5), 4)})}}}},

      {.name = "Outer stride zero",
       .situation = "A row of 64 bytes written twice: read again for each row.",
       .arithmetic =
           "The second row's first element neither equals nor follows the element before it: a "
           "new read. As 128 aligned bytes: reads 8-15 16-23, writes 16-23 24-31, completion 32, "
           "128 bytes read.",
       .machine = array(1, 1),
       .pes = {queues_one({.source = local + 0x100,
                           .destination = local + 0x200,
                           .sizes = {2, 8},
                           .source_strides = {0, 8},
                           .destination_strides = {64, 8}},
                          32, {{0x100, ramp(64)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-32",
                    .beats = {"0.0 local read port 0: 8-15", "0.2 local read port 0: 16-23",
                              "0.1 local write port 0: 16-23", "0.3 local write port 0: 24-31"},
                    .bins = "idle 6, setup 4, transfer 24",
                    .read = 128,
                    .written = 128}},
       .cycles = 34,
       .local_after = {{0, {0x200, repeated(ramp(64), 2)}}}},

      {.name = "A negative stride",
       .situation = "Four elements of 8 bytes in reverse.",
       .arithmetic =
           "Descending elements are reads of their own. The write is cut after three: reads 0-2 "
           "at 8 9 10, arrived 11; write 3 of 24 bytes 11-13, written 14; read 4 at 14, write 5 "
           "at 15: completion 16.",
       .machine = array(1, 1),
       .pes = {queues_one({.source = local + 0x118,
                           .destination = local + 0x200,
                           .sizes = {4},
                           .source_strides = {-8},
                           .destination_strides = {8}},
                          16, {{0x100, ramp(32)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-16",
                    .beats = {"0.0 local read port 0: 8", "0.1 local read port 0: 9",
                              "0.2 local read port 0: 10", "0.3 local write port 0: 11-13",
                              "0.4 local read port 0: 14", "0.5 local write port 0: 15"},
                    .bins = "idle 6, setup 4, transfer 8",
                    .read = 32,
                    .written = 32}},
       .cycles = 18,
       .local_after = {{0, {0x200, joined({ramp(8, 25), ramp(8, 17), ramp(8, 9), ramp(8)})}}}},

      {.name = "Destination stride zero",
       .situation = "Three elements onto one place: each is written, the last stays.",
       .arithmetic =
           "One read of 24 bytes 8-10, arrived 11; three writes at 11 12 13: completion 14.",
       .machine = array(1, 1),
       .pes = {queues_one({.source = local + 0x100,
                           .destination = local + 0x200,
                           .sizes = {3},
                           .source_strides = {8},
                           .destination_strides = {0}},
                          14, {{0x100, ramp(24)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-14",
                    .beats = {"0.0 local read port 0: 8-10", "0.1 local write port 0: 11",
                              "0.2 local write port 0: 12", "0.3 local write port 0: 13"},
                    .bins = "idle 6, setup 4, transfer 6",
                    .read = 24,
                    .written = 24}},
       .cycles = 16,
       .local_after = {{0, {0x200, joined({ramp(8, 17), repeated({0}, 8)})}}}},

      {.name = "A tile",
       .situation = "Two rows of 16 bytes, 64 apart, gathered into 32 contiguous bytes.",
       .arithmetic =
           "Reads of 2 beats 8 9 and 10 11, arrived 12; one write needing both, 12-15: completion "
           "16.",
       .machine = array(1, 1),
       .pes = {queues_one({.source = local + 0x100,
                           .destination = local + 0x200,
                           .sizes = {2, 2},
                           .source_strides = {64, 8},
                           .destination_strides = {16, 8}},
                          16, {{0x100, ramp(128)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-16",
                    .beats = {"0.0 local read port 0: 8-9", "0.1 local read port 0: 10-11",
                              "0.2 local write port 0: 12-15"},
                    .bins = "idle 6, setup 4, transfer 8",
                    .read = 32,
                    .written = 32}},
       .cycles = 18,
       .local_after = {{0, {0x200, joined({ramp(16), ramp(16, 65)})}}}},

      {.name = "Fill",
       .situation = "64 aligned bytes of one value.",
       .arithmetic = "No reads. The write issues at 8, 8 beats at 8-15: completion 16.",
       .machine = array(1, 1),
       .pes = {queues_one({.kind = Kind::fill,
                           .element = 2,
                           .destination = local + 0x200,
                           .sizes = {32},
                           .destination_strides = {2},
                           .fill = 0x1234},
                          16)},
       .engines = {{.pe = 0,
                    .transfers = "4-16",
                    .beats = {"0.0 local write port 0: 8-15"},
                    .bins = "idle 6, setup 4, transfer 8",
                    .written = 64}},
       .cycles = 18,
       .local_after = {{0, {0x200, repeated({0x34, 0x12}, 32)}}}},

      {.name = "Padding in a row",
       .situation = "Two elements of 8 bytes with one before and one after.",
       .arithmetic =
           "Padding does not break the write: one read of 16 bytes 8 9, arrived 10, one write of "
           "32 bytes 10-13: completion 14. 16 bytes read, 32 written.",
       .machine = array(1, 1),
       .pes = {queues_one({.source = local + 0x100,
                           .destination = local + 0x200,
                           .sizes = {2},
                           .source_strides = {8},
                           .destination_strides = {8},
                           .before = {1},
                           .after = {1},
                           .fill = 0xee},
                          14, {{0x100, ramp(16)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-14",
                    .beats = {"0.0 local read port 0: 8-9", "0.1 local write port 0: 10-13"},
                    .bins = "idle 6, setup 4, transfer 6",
                    .read = 16,
                    .written = 32}},
       .cycles = 16,
       .local_after = {{0, {0x200, joined({{0xee}, repeated({0}, 7), ramp(16), {0xee}})}}}},

      {.name = "Padding rows",
       .situation = "One row of 64 bytes with a row of padding above and one below.",
       .arithmetic =
           "Writes without a source take slots in order: write 0 (above), read 1, write 3 (below) "
           "all issue at 8. The write port takes write 0 at 8-15, then, by burst, write 2 (its "
           "read 8-15 arrived at 16) at 16-23 and write 3 at 24-31: completion 32.",
       .machine = array(1, 1),
       .pes = {queues_one({.source = local + 0x100,
                           .destination = local + 0x200,
                           .sizes = {1, 8},
                           .source_strides = {64, 8},
                           .destination_strides = {64, 8},
                           .before = {1, 0},
                           .after = {1, 0}},
                          32, {{0x100, ramp(64)}, {0x200, ramp(192)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-32",
                    .beats = {"0.0 local write port 0: 8-15", "0.1 local read port 0: 8-15",
                              "0.2 local write port 0: 16-23", "0.3 local write port 0: 24-31"},
                    .bins = "idle 6, setup 4, transfer 24",
                    .read = 64,
                    .written = 192}},
       .cycles = 34,
       .local_after = {{0, {0x200, joined({repeated({0}, 64), ramp(64), repeated({0}, 64)})}}}},

      {.name = "In-flight limit",
       .situation =
           "dma.in_flight = 1; two rows of 32 contiguous bytes, each padded to 128 on the right: "
           "one read feeds two writes, and the padding between them waits for its slot.",
       .arithmetic =
           "Padding breaks neither writes nor reads: read 0 is all 64 source bytes. Writes: 1 "
           "(row 0 and 32 bytes of padding), 2 (padding), 3 (row 1 and padding), 4 (padding). "
           "Read 0 8-15. Writes 1 and 3 issue by themselves at 16: 16-23 and 24-31. Write 2 needs "
           "the slot that read 0 holds until both are written, 32: in 24-31 it is the lowest "
           "unfinished burst, not issued: in_flight_limit 8. Write 2 32-39, write 4, with the "
           "slot from 40, 40-47: completion 48.",
       .machine = one_slot(),
       .pes = {queues_one({.source = local + 0x100,
                           .destination = local + 0x200,
                           .sizes = {2, 4},
                           .source_strides = {32, 8},
                           .destination_strides = {128, 8},
                           .after = {0, 12}},
                          48, {{0x100, ramp(64)}, {0x200, ramp(255)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-48",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 local write port 0: 16-23",
                              "0.3 local write port 0: 24-31", "0.2 local write port 0: 32-39",
                              "0.4 local write port 0: 40-47"},
                    .bins = "idle 6, setup 4, transfer 32, in_flight_limit 8",
                    .read = 64,
                    .written = 256}},
       .cycles = 50,
       .local_after =
           {{0, {0x200, joined({ramp(32), repeated({0}, 96), ramp(32, 33), repeated({0}, 96)})}}}},

      {.name = "A size of zero",
       .situation = "Nothing is moved, padding included; the release happens.",
       .arithmetic = "Completion = start + set-up = 8. Wait 8, ecall 9: 10 cycles.",
       .machine = array(1, 1),
       .pes = {queues_one({.source = local + 0x100,
                           .destination = local + 0x200,
                           .sizes = {0},
                           .source_strides = {8},
                           .destination_strides = {8},
                           .before = {2}},
                          8)},
       .engines = {{.pe = 0, .transfers = "4-8", .bins = "idle 6, setup 4"}},
       .cycles = 10},
  };
}

}  // namespace simfarm::timelines
