// Multicast pushes: one bus beat a row, a port a receiver, releases at each receiver's own time.
#include "tests/timelines/timeline.h"

namespace simfarm::timelines {
namespace {

constexpr u32 target = 0x200;  ///< local offset

/// A push of `bytes` bytes that releases own semaphore 0 and receivers' semaphore 8.
Transfer push(Rectangle to, u32 source = local + 0x100, u32 bytes = 64, u32 destination = target) {
  Transfer transfer = line(source, destination, bytes);
  transfer.multicast = to;
  transfer.receivers = {8, 1};
  return transfer;
}

/// A receiver that waits for semaphore 8 from cycle 2 on.
Pe receives(Cycle release, u32 amount = 1) {
  return {.program = "li a1, " + std::to_string(amount) + "; li a7, 93; gp.wait 8, a1; ecall",
          .issues = "0-1 " + std::to_string(release) + "-" + std::to_string(release + 1),
          .stalls = "sem_wait_push " + std::to_string(release - 2)};
}

}  // namespace

Table multicast_timelines() {
  return {
      {.name = "Multicast along the row",
       .situation = "1 x 4: PE 0 pushes 64 bytes to its whole row, itself left out.",
       .arithmetic =
           "Read 8-15. One beat of the bus at 16, passed 17. Ports ready at 17 + distance: PE 1 "
           "18-25, PE 2 19-26, PE 3 20-27. Release: bus 17, reaches PE k at 18 + k; later is the "
           "last port beat passed: 26, 27, 28. Completion, and own release, at the latest: 28. "
           "Every receiver's bytes count: 192 written.",
       .machine = array(1, 4),
       .pes = {queues_one(push({0, 0, 3, 0}), 28, {{0x100, ramp(64)}}), receives(26), receives(27),
               receives(28)},
       .engines = {{.pe = 0,
                    .transfers = "4-28",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 row bus 0: 16",
                              "0.1 local write port 1: 18-25", "0.1 local write port 2: 19-26",
                              "0.1 local write port 3: 20-27", "0.2 row bus 0: 17"},
                    .bins = "idle 6, setup 4, transfer 20",
                    .read = 64,
                    .written = 192}},
       .cycles = 30,
       .local_after = {{1, {target, ramp(64)}},
                       {3, {target, ramp(64)}},
                       {0, {target, std::vector<u8>(64)}}}},

      {.name = "Multicast that includes its sender",
       .situation =
           "The same with the sender among the receivers; it waits for its receiver's release, "
           "then for its own.",
       .arithmetic =
           "The sender's port needs no bus: ready at 16, 16-23, released at 24 without a beat. "
           "The others as before; own release at the maximum, 28. PE 0 waits 4-23 for semaphore 8 "
           "and 25-27 for 0, both completed by its own engine: sem_wait_dma 20 + 3.",
       .machine = array(1, 4),
       .pes =
           {{.program =
                 "lui a2, 0x10000; li a1, 1; li a7, 93; gp.dma a2; gp.wait 8, a1; gp.wait 0, a1; "
                 "ecall",
             .issues = "0-3 24 28-29",
             .stalls = "sem_wait_dma 23",
             .local = {{0, descriptor(push({0, 0, 3, 0, true}))}, {0x100, ramp(64)}}},
            receives(26),
            receives(27),
            receives(28)},
       .engines = {{.pe = 0,
                    .transfers = "4-28",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 row bus 0: 16",
                              "0.1 local write port 0: 16-23", "0.1 local write port 1: 18-25",
                              "0.1 local write port 2: 19-26", "0.1 local write port 3: 20-27",
                              "0.2 row bus 0: 17"},
                    .bins = "idle 6, setup 4, transfer 20",
                    .read = 64,
                    .written = 256}},
       .cycles = 30,
       .local_after = {{0, {target, ramp(64)}}, {2, {target, ramp(64)}}}},

      {.name = "Multicast to a rectangle",
       .situation = "2 x 2, all four, the sender PE 0 included.",
       .arithmetic =
           "Own bus 16, passed 17. Row 1's bus ready 17 + 1 = 18, passed 19. Ports: PE 0 16-23; "
           "PE 1 ready 17 + 1, 18-25; PE 2 ready 19, 19-26; PE 3 ready 20, 20-27. Release: bus "
           "17, passed 18; row 1's bus ready at 18 + 1 and when the write has passed it, 19: beat "
           "19. All port times are later: 24 26 27 28.",
       .machine = array(2, 2),
       .pes = {queues_one(push({0, 0, 1, 1, true}), 28, {{0x100, ramp(64)}}), receives(26),
               receives(27), receives(28)},
       .engines = {{.pe = 0,
                    .transfers = "4-28",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 row bus 0: 16",
                              "0.1 row bus 1: 18", "0.1 local write port 0: 16-23",
                              "0.1 local write port 1: 18-25", "0.1 local write port 2: 19-26",
                              "0.1 local write port 3: 20-27", "0.2 row bus 0: 17",
                              "0.2 row bus 1: 19"},
                    .bins = "idle 6, setup 4, transfer 20",
                    .read = 64,
                    .written = 256}},
       .cycles = 30,
       .local_after = {{3, {target, ramp(64)}}}},

      {.name = "Multicast into another row",
       .situation = "2 x 2: PE 3 pushes to row 0 only.",
       .arithmetic =
           "Its own bus is used all the same: row 1's bus 16, passed 17; row 0's ready 18, passed "
           "19. PE 1, no column away, 19-26, released 27; PE 0, one column away, 20-27, released "
           "28. Release beats 17 and 19.",
       .machine = array(2, 2),
       .pes = {receives(28),
               receives(27),
               {},
               queues_one(push({0, 0, 1, 0}), 28, {{0x100, ramp(64)}})},
       .engines = {{.pe = 3,
                    .transfers = "4-28",
                    .beats = {"0.0 local read port 3: 8-15", "0.1 row bus 1: 16",
                              "0.1 row bus 0: 18", "0.1 local write port 1: 19-26",
                              "0.1 local write port 0: 20-27", "0.2 row bus 1: 17",
                              "0.2 row bus 0: 19"},
                    .bins = "idle 6, setup 4, transfer 20",
                    .read = 64,
                    .written = 128}},
       .cycles = 30,
       .local_after = {{0, {target, ramp(64)}}, {1, {target, ramp(64)}}}},

      {.name = "Multicast of two bursts",
       .situation = "1 x 2: 128 bytes to the neighbour.",
       .arithmetic =
           "Reads 8-15 16-23; bus 16 and 24; the neighbour's port 18-25, then, ready at 26, "
           "26-33: released 34. The release beat waits until every write has passed the bus, 25: "
           "beat 25, reaches it at 27. Completion 34.",
       .machine = array(1, 2),
       .pes = {queues_one(push({1, 0, 1, 0}, local + 0x100, 128), 34), receives(34)},
       .engines = {{.pe = 0,
                    .transfers = "4-34",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 row bus 0: 16",
                              "0.1 local write port 1: 18-25", "0.2 local read port 0: 16-23",
                              "0.3 row bus 0: 24", "0.3 local write port 1: 26-33",
                              "0.4 row bus 0: 25"},
                    .bins = "idle 6, setup 4, transfer 26",
                    .read = 128,
                    .written = 128}},
       .cycles = 36},

      {.name = "Multicast straight from OCM",
       .situation =
           "1 x 2: PE 0 pushes 64 bytes of OCM to PE 1; its own local memory is not touched.",
       .arithmetic =
           "Bank 8-11, passed 22; bus 22, arrived 23; bus again 23, passed 24; PE 1's port ready "
           "25, 25-32, released 33; release beat 24. Completion 33.",
       .machine = array(1, 2),
       .pes = {queues_one(push({1, 0, 1, 0}, ocm), 33), receives(33)},
       .shared = {{ocm, ramp(64)}},
       .engines = {{.pe = 0,
                    .transfers = "4-33",
                    .beats = {"0.0 ocm bank 0: 8-11", "0.0 row bus 0: 22", "0.1 row bus 0: 23",
                              "0.1 local write port 1: 25-32", "0.2 row bus 0: 24"},
                    .bins = "idle 6, setup 4, transfer 25",
                    .read = 64,
                    .written = 64}},
       .cycles = 35,
       .local_after = {{1, {target, ramp(64)}}}},

      {.name = "Multicast copy-add",
       .situation = "1 x 2: 16 int32 added into the neighbour's memory.",
       .arithmetic =
           "Read 8-15; bus 16; PE 1's read port 18-25, then its write port 26-33: released 34. "
           "Release beat 17.",
       .machine = array(1, 2),
       .pes = {queues_one(
                   [] {
                     Transfer add = push({1, 0, 1, 0});
                     add.kind = Kind::add_i32;
                     add.element = 4;
                     add.sizes = {16};
                     add.source_strides = add.destination_strides = {4};
                     return add;
                   }(),
                   34, {{0x100, words({1, 2, 3})}}),
               [] {
                 Pe pe = receives(34);
                 pe.local = {{target, words({10, 20})}};
                 return pe;
               }()},
       .engines = {{.pe = 0,
                    .transfers = "4-34",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 row bus 0: 16",
                              "0.1 local read port 1: 18-25", "0.1 local write port 1: 26-33",
                              "0.2 row bus 0: 17"},
                    .bins = "idle 6, setup 4, transfer 26",
                    .read = 64,
                    .written = 64}},
       .cycles = 36,
       .local_after = {{1, {target, words({11, 22, 3})}}}},

      {.name = "Two pushes to one receiver",
       .situation = "1 x 3: PE 0 and PE 2 push 64 bytes each to PE 1, which waits for both.",
       .arithmetic =
           "Reads 8-15. Bus: PE 0's write 16, PE 0's release 17 (ready then, and older), PE 2's "
           "write 18 (bus_wait 16 17), its release 19. PE 1's port: PE 0's 18-25; PE 2's, ready "
           "at 19 + 1 = 20, waits 20-25 (destination_wait 6), 26-33. Releases 26 and 34: PE 1's "
           "wait for 2 issues at 34. PE 0 completes at 26, PE 2 at 34.",
       .machine = array(1, 3),
       .pes = {queues_one(push({1, 0, 1, 0}), 26), receives(34, 2),
               queues_one(push({1, 0, 1, 0}, local + 0x100, 64, 0x300), 34)},
       .engines = {{.pe = 0,
                    .transfers = "4-26",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 row bus 0: 16",
                              "0.1 local write port 1: 18-25", "0.2 row bus 0: 17"},
                    .bins = "idle 14, setup 4, transfer 18",
                    .read = 64,
                    .written = 64},
                   {.pe = 2,
                    .transfers = "4-34",
                    .beats = {"0.0 local read port 2: 8-15", "0.1 row bus 0: 18",
                              "0.1 local write port 1: 26-33", "0.2 row bus 0: 19"},
                    .bins = "idle 6, setup 4, bus_wait 2, destination_wait 6, transfer 18",
                    .read = 64,
                    .written = 64}},
       .cycles = 36},

      {.name = "Multicast over three rows",
       .situation = "3 x 1: PE 0 pushes to rows 1 and 2.",
       .arithmetic =
           "Own bus 16, passed 17. Row 1's bus ready 18, passed 19: port 19-26, released 27. Row "
           "2's ready 17 + 2 = 19, passed 20: port 20-27, released 28. Release: own bus 17, "
           "passed 18; row 1's ready 19 (both rules), row 2's ready 18 + 2 = 20: beats 19 and 20.",
       .machine = array(3, 1),
       .pes = {queues_one(push({0, 1, 0, 2}), 28, {{0x100, ramp(64)}}), receives(27), receives(28)},
       .engines = {{.pe = 0,
                    .transfers = "4-28",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 row bus 0: 16",
                              "0.1 row bus 1: 18", "0.1 row bus 2: 19",
                              "0.1 local write port 1: 19-26", "0.1 local write port 2: 20-27",
                              "0.2 row bus 0: 17", "0.2 row bus 1: 19", "0.2 row bus 2: 20"},
                    .bins = "idle 6, setup 4, transfer 20",
                    .read = 64,
                    .written = 128}},
       .cycles = 30,
       .local_after = {{1, {target, ramp(64)}}, {2, {target, ramp(64)}}}},

      {.name = "Multicast fill",
       .situation = "1 x 2: 64 bytes of one value into the neighbour.",
       .arithmetic =
           "No read: bus 8, passed 9; PE 1's port ready 10, 10-17, released 18; release beat 9. "
           "Completion 18.",
       .machine = array(1, 2),
       .pes = {queues_one(
                   [] {
                     Transfer fill = push({1, 0, 1, 0});
                     fill.kind = Kind::fill;
                     fill.source = 0;
                     fill.source_strides = {};
                     fill.fill = 0x0101'0101'0101'0101;
                     return fill;
                   }(),
                   18),
               receives(18)},
       .engines = {{.pe = 0,
                    .transfers = "4-18",
                    .beats = {"0.0 row bus 0: 8", "0.0 local write port 1: 10-17",
                              "0.1 row bus 0: 9"},
                    .bins = "idle 6, setup 4, transfer 10",
                    .written = 64}},
       .cycles = 20,
       .local_after = {{1, {target, std::vector<u8>(64, 1)}}}},

      {.name = "A release behind other traffic",
       .situation =
           "1 x 3: PE 0 pushes 8 bytes to PE 1; PE 2, started a cycle earlier, keeps the row bus "
           "busy with six words to OCM just after the data have passed.",
       .arithmetic =
           "PE 2: gp.dma 2, start 3, read of 24 bytes 7-9; six writes: bus 10-15, passed two "
           "columns later, banks 0-5 at 13-18, completion 18 + 11 = 29. PE 0: start 4, read 8, "
           "bus 9, PE 1's port 11, passed 12. Its release is ready at 10 and younger than all of "
           "PE 2's writes: bus 16, passed 17, one column: released at 18, six cycles after the "
           "data. Engine 0: 12-15 bus_wait.",
       .machine = array(1, 3),
       .pes = {queues_one(push({1, 0, 1, 0}, local + 0x100, 8), 18, {{0x100, ramp(8)}}),
               receives(18),
               {.program = "lui a2, 0x10000; li a1, 1; gp.dma a2; li a7, 93; gp.wait 0, a1; ecall",
                .issues = "0-3 29-30",
                .stalls = "sem_wait_dma 25",
                .local = {{0, descriptor({.element = 4,
                                          .source = local + 0x100,
                                          .destination = ocm,
                                          .sizes = {6},
                                          .source_strides = {4},
                                          .destination_strides = {64}})}}}},
       .engines = {{.pe = 0,
                    .transfers = "4-18",
                    .beats = {"0.0 local read port 0: 8", "0.1 row bus 0: 9",
                              "0.1 local write port 1: 11", "0.2 row bus 0: 16"},
                    .bins = "idle 17, setup 4, bus_wait 4, transfer 6",
                    .read = 8,
                    .written = 8},
                   {.pe = 2,
                    .transfers = "3-29",
                    .beats = {"0.0 local read port 2: 7-9", "0.1 row bus 0: 10",
                              "0.2 row bus 0: 11", "0.3 row bus 0: 12", "0.4 row bus 0: 13",
                              "0.5 row bus 0: 14", "0.6 row bus 0: 15", "0.1 ocm bank 0: 13",
                              "0.2 ocm bank 1: 14", "0.3 ocm bank 2: 15", "0.4 ocm bank 3: 16",
                              "0.5 ocm bank 4: 17", "0.6 ocm bank 5: 18"},
                    .bins = "idle 5, setup 4, transfer 22",
                    .read = 24,
                    .written = 24}},
       .cycles = 31},

      {.name = "The transfer after a push",
       .situation = "1 x 2: a push of 64 bytes, then a short local copy.",
       .arithmetic =
           "Push: gp.dma 4, start 5, read 9-16, write issued 17: bus 17, PE 1's port 19-26, "
           "released 27; release beat 18. The release holds nobody up: the copy starts in the "
           "cycle after the write's issue, 18; read 22, write 23, completion 24. Waits: 6-23 for "
           "the copy, 25 26 for the push.",
       .machine = array(1, 2),
       .pes = {{.program =
                    "lui a2, 0x10000; lui a3, 0x10001; li a1, 1; li a7, 93; gp.dma a2; gp.dma a3; "
                    "gp.wait 1, a1; gp.wait 0, a1; ecall",
                .issues = "0-5 24 27-28",
                .stalls = "sem_wait_dma 20",
                .local = {{0, descriptor(push({1, 0, 1, 0}))}, {0x1000, descriptor([] {
                                                                  Transfer copy =
                                                                      line(local + 0x100,
                                                                           local + 0x300, 8);
                                                                  copy.own = {1, 1};
                                                                  return copy;
                                                                }())}}},
               receives(27)},
       .engines = {{.pe = 0,
                    .transfers = "5-27 18-24",
                    .beats = {"0.0 local read port 0: 9-16", "0.1 row bus 0: 17",
                              "0.1 local write port 1: 19-26", "0.2 row bus 0: 18",
                              "1.0 local read port 0: 22", "1.1 local write port 0: 23"},
                    .bins = "idle 7, setup 4, transfer 18",
                    .read = 72,
                    .written = 72}},
       .cycles = 29},

      {.name = "A release without data",
       .situation = "1 x 2: a push of size zero: a signal over the bus.",
       .arithmetic =
           "The release beat is ready at start + set-up: bus 8, passed 9, at PE 1 (one column) "
           "10. Completion 10.",
       .machine = array(1, 2),
       .pes = {queues_one(push({1, 0, 1, 0}, local + 0x100, 0), 10), receives(10)},
       .engines = {{.pe = 0,
                    .transfers = "4-10",
                    .beats = {"0.0 row bus 0: 8"},
                    .bins = "idle 6, setup 4, transfer 2"}},
       .cycles = 12},

      {.name = "A multicast without receivers",
       .situation = "1 x 1: the rectangle holds the sender alone, which is not included.",
       .arithmetic = "Nothing moves: completion at start + set-up = 8.",
       .machine = array(1, 1),
       .pes = {queues_one(push({0, 0, 0, 0}), 8, {{0x100, ramp(64)}})},
       .engines = {{.pe = 0, .transfers = "4-8", .bins = "idle 6, setup 4"}},
       .cycles = 10,
       .local_after = {{0, {target, std::vector<u8>(64)}}}},

      {.name = "A multicast to the sender alone",
       .situation = "1 x 1: the sender included; no bus.",
       .arithmetic = "Read 8-15, own port 16-23: both releases at 24, no beat.",
       .machine = array(1, 1),
       .pes =
           {{.program =
                 "lui a2, 0x10000; li a1, 1; li a7, 93; gp.dma a2; gp.wait 8, a1; gp.wait 0, a1; "
                 "ecall",
             .issues = "0-3 24-26",
             .stalls = "sem_wait_dma 20",
             .local = {{0, descriptor(push({0, 0, 0, 0, true}))}, {0x100, ramp(64)}}}},
       .engines = {{.pe = 0,
                    .transfers = "4-24",
                    .beats = {"0.0 local read port 0: 8-15", "0.1 local write port 0: 16-23"},
                    .bins = "idle 7, setup 4, transfer 16",
                    .read = 64,
                    .written = 64}},
       .cycles = 27,
       .local_after = {{0, {target, ramp(64)}}}},
  };
}

}  // namespace simfarm::timelines
