// Gather and scatter: the index list first, then what it points at.
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {
namespace {

constexpr u32 list = 0x180;  ///< local offset of the index list

/// Three elements of 8 bytes between a table and a contiguous block.
Transfer three(Kind kind, Index index, u64 fill = 0) {
  const bool gather = kind == Kind::gather;
  return {.kind = kind,
          .source = local + 0x100,
          .destination = local + 0x200,
          .sizes = {3},
          .source_strides = {gather ? 0 : 8},
          .destination_strides = {gather ? 8 : 0},
          .fill = fill,
          .index = index};
}

Index three_indices(u32 limit, Bounds bounds = Bounds::trap, i32 stride = 4) {
  return {.base = local + list,
          .count = 3,
          .stride = stride,
          .scale = 8,
          .limit = limit,
          .bounds = bounds};
}

std::vector<u8> joined(const std::vector<std::vector<u8>>& parts) {
  std::vector<u8> bytes;
  for (const auto& part : parts) bytes.insert(bytes.end(), part.begin(), part.end());
  return bytes;
}

}  // namespace

Table indexed_timelines() {
  return {
      {.name = "Gather",
       .situation = "Elements 5, 2 and 3 of a local table into 24 contiguous bytes.",
       .arithmetic =
           "Index read: 12 bytes, 2 beats 8 9, arrived 10: reads from 10 on. Element 5 is a read "
           "(10, arrived 11), 2 and 3 are neighbours and another (11 12, arrived 13). One write "
           "needing both, 13-15: completion 16. 12 + 24 bytes read.",
       .machine = array(1, 1),
       .pes = {queues_one(three(Kind::gather, three_indices(6)), 16,
                          {{0x100, ramp(48)}, {list, words({5, 2, 3})}})},
       .engines = {{.pe = 0,
                    .transfers = "4-16",
                    .beats = {"0.0 local read port 0: 8-9", "0.1 local read port 0: 10",
                              "0.2 local read port 0: 11-12", "0.3 local write port 0: 13-15"},
                    .bins = "idle 6, setup 4, transfer 8",
                    .read = 36,
                    .written = 24}},
       .cycles = 18,
       .local_after = {{0, {0x200, joined({ramp(8, 41), ramp(16, 17)})}}}},

      {.name = "Gather with spread indices",
       .situation = "The same, the indices 8 bytes apart.",
       .arithmetic =
           "Three index reads of one beat, 8 9 10, the last arrived 11. Reads 11 and 12 13, "
           "arrived 14; write 14-16: completion 17.",
       .machine = array(1, 1),
       .pes = {queues_one(three(Kind::gather, three_indices(6, Bounds::trap, 8)), 17,
                          {{0x100, ramp(48)}, {list, words({5, 99, 2, 99, 3})}})},
       .engines = {{.pe = 0,
                    .transfers = "4-17",
                    .beats = {"0.0 local read port 0: 8", "0.1 local read port 0: 9",
                              "0.2 local read port 0: 10", "0.3 local read port 0: 11",
                              "0.4 local read port 0: 12-13", "0.5 local write port 0: 14-16"},
                    .bins = "idle 6, setup 4, transfer 9",
                    .read = 36,
                    .written = 24}},
       .cycles = 19,
       .local_after = {{0, {0x200, joined({ramp(8, 41), ramp(16, 17)})}}}},

      {.name = "Gather of rows from OCM",
       .situation = "Rows 3 and 1 of a table of 64-byte rows: an embedding look-up.",
       .arithmetic =
           "Index read: 8 bytes, one beat at 8, arrived 9. Reads 1 and 3: banks 3 and 1 9-12, "
           "passed 23; bus 23 24; writes 24-31, 32-39: completion 40.",
       .machine = array(1, 1),
       .pes = {queues_one(
           {.kind = Kind::gather,
            .source = ocm,
            .destination = local + 0x200,
            .sizes = {2, 8},
            .source_strides = {0, 8},
            .destination_strides = {64, 8},
            .index = Index{.base = local + list, .count = 2, .scale = 64, .limit = 4}},
           40, {{list, words({3, 1})}})},
       .shared = {{ocm, ramp(255)}},
       .engines = {{.pe = 0,
                    .transfers = "4-40",
                    .beats = {"0.0 local read port 0: 8", "0.1 ocm bank 3: 9-12",
                              "0.3 ocm bank 1: 9-12", "0.1 row bus 0: 23", "0.3 row bus 0: 24",
                              "0.2 local write port 0: 24-31", "0.4 local write port 0: 32-39"},
                    .bins = "idle 6, setup 4, transfer 32",
                    .read = 136,
                    .written = 128}},
       .cycles = 42,
       .local_after = {{0, {0x240, ramp(64, 65)}}, {0, {0x200, ramp(63, 193)}}}},

      {.name = "Gather, out of bounds skipped",
       .situation = "Indices 0, 9 and 2 of four: the second element is neither read nor written.",
       .arithmetic =
           "Index read 8 9. Reads 10 and 11; the places on both sides of the hole are writes of "
           "their own: 11 and 12: completion 13. 12 + 16 bytes read, 16 written.",
       .machine = array(1, 1),
       .pes = {queues_one(three(Kind::gather, three_indices(4, Bounds::skip)), 13,
                          {{0x100, ramp(48)}, {list, words({0, 9, 2})}, {0x200, ramp(24, 100)}})},
       .engines = {{.pe = 0,
                    .transfers = "4-13",
                    .beats = {"0.0 local read port 0: 8-9", "0.1 local read port 0: 10",
                              "0.2 local write port 0: 11", "0.3 local read port 0: 11",
                              "0.4 local write port 0: 12"},
                    .bins = "idle 6, setup 4, transfer 5",
                    .read = 28,
                    .written = 16}},
       .cycles = 15,
       .local_after = {{0, {0x200, joined({ramp(8), ramp(8, 108), ramp(8, 17)})}}}},

      {.name = "Gather, out of bounds filled",
       .situation = "The same with the fill value for the second element (and index -1).",
       .arithmetic =
           "Reads 10 and 11, the last arrived 12; the hole does not break the write, which needs "
           "both: 24 bytes, 12-14: completion 15.",
       .machine = array(1, 1),
       .pes = {queues_one(
           three(Kind::gather, three_indices(4, Bounds::fill), 0x7777'7777'7777'7777), 15,
           {{0x100, ramp(48)}, {list, words({0, 0xffff'ffff, 2})}})},
       .engines = {{.pe = 0,
                    .transfers = "4-15",
                    .beats = {"0.0 local read port 0: 8-9", "0.1 local read port 0: 10",
                              "0.2 local read port 0: 11", "0.3 local write port 0: 12-14"},
                    .bins = "idle 6, setup 4, transfer 7",
                    .read = 28,
                    .written = 24}},
       .cycles = 17,
       .local_after = {{0, {0x200, joined({ramp(8), std::vector<u8>(8, 0x77), ramp(8, 17)})}}}},

      {.name = "Scatter",
       .situation = "24 contiguous bytes to elements 5, 2 and 3 of a local table.",
       .arithmetic =
           "Index read 8 9; the read, 24 bytes, 10-12, arrived 13. Element 5 is a write (13), 2 "
           "and 3 another (14 15): completion 16.",
       .machine = array(1, 1),
       .pes = {queues_one(three(Kind::scatter, three_indices(6)), 16,
                          {{0x100, ramp(24)}, {list, words({5, 2, 3})}})},
       .engines = {{.pe = 0,
                    .transfers = "4-16",
                    .beats = {"0.0 local read port 0: 8-9", "0.1 local read port 0: 10-12",
                              "0.2 local write port 0: 13", "0.3 local write port 0: 14-15"},
                    .bins = "idle 6, setup 4, transfer 8",
                    .read = 36,
                    .written = 24}},
       .cycles = 18,
       .local_after =
           {{0, {0x200, joined({std::vector<u8>(16), ramp(16, 9), std::vector<u8>(8), ramp(8)})}}}},

      {.name = "Scatter, out of bounds skipped",
       .situation =
           "The second of three elements has index 6 of 6: it is neither read nor written.",
       .arithmetic =
           "Index read 8 9. Elements 0 and 2 are not neighbours in memory: reads 10 and 11, one "
           "beat each. Write to element 5 at 11, to element 3 at 12: completion 13.",
       .machine = array(1, 1),
       .pes = {queues_one(three(Kind::scatter, three_indices(6, Bounds::skip)), 13,
                          {{0x100, ramp(24)}, {list, words({5, 6, 3})}})},
       .engines = {{.pe = 0,
                    .transfers = "4-13",
                    .beats = {"0.0 local read port 0: 8-9", "0.1 local read port 0: 10",
                              "0.2 local write port 0: 11", "0.3 local read port 0: 11",
                              "0.4 local write port 0: 12"},
                    .bins = "idle 6, setup 4, transfer 5",
                    .read = 28,
                    .written = 16}},
       .cycles = 15,
       .local_after =
           {{0, {0x200, joined({std::vector<u8>(24), ramp(8, 17), std::vector<u8>(8), ramp(8)})}}}},
  };
}

}  // namespace simfarm::timelines
