// Single transfers followed beat by beat, every cycle worked out by hand from docs/machine.md,
// section 5. Descriptors are queued in cycle 0: start in cycle 1, first burst in cycle 5.
#include <gmock/gmock.h>

#include "tests/dma_engine/engines.h"
#include "tests/support/run.h"
#include "tests/support/transfers.h"

namespace simfarm::test {
namespace {

using testing::ElementsAre;

constexpr u32 buffer = local_base + 0x1000;

TEST(Timeline, DramToLocal) {
  // 2 beats of 32 bytes in 5 and 6, from the channel at 7 + 100, bus in 107, port in 108-115.
  Engines engines(machine_of(1, 1));
  EXPECT_EQ(engines.queue(0, 0, linear_copy(dram_base, buffer, 64)).run(), 116u);
  EXPECT_THAT(engines.beats(0, 0),
              ElementsAre("5 #0 dram channel", "6 #0 dram channel", "107 #0 row bus 0",
                          "108 #1 local write port 0", "109 #1 local write port 0",
                          "110 #1 local write port 0", "111 #1 local write port 0",
                          "112 #1 local write port 0", "113 #1 local write port 0",
                          "114 #1 local write port 0", "115 #1 local write port 0"));
}

TEST(Timeline, SharedToSharedPassesTheBusTwice) {
  // PE 1 is a hop away. Bank in 5-8, passed 19; bus in 19, passed 21; back in 21, passed 23;
  // channel in 23 and 24, passed 125.
  Engines engines(machine_of(1, 2));
  EXPECT_EQ(engines.queue(0, 1, linear_copy(ocm_base, dram_base, 64)).run(), 125u);
  EXPECT_THAT(engines.beats(1, 0),
              ElementsAre("5 #0 ocm bank 0", "6 #0 ocm bank 0", "7 #0 ocm bank 0",
                          "8 #0 ocm bank 0", "19 #0 row bus 0", "21 #1 row bus 0",
                          "23 #1 dram channel", "24 #1 dram channel"));
}

TEST(Timeline, CopyAddTakesTheBankTwice) {
  // Read port in 5-12; bus in 13; bank in 14-21, passed 32.
  Engines engines(machine_of(1, 1));
  dma::Descriptor d = linear_copy(buffer, ocm_base, 16, 4);
  d.operation = dma::Operation::add_i32;
  EXPECT_EQ(engines.queue(0, 0, d).run(), 32u);
  EXPECT_EQ(engines.beats(0, 0).size(), 8u + 1u + 8u);
}

TEST(Timeline, CopyAddIntoLocalMemoryReadsAndThenWrites) {
  // Source: read port in 5-12. Destination: read port in 13-20, write port in 21-28.
  Engines engines(machine_of(1, 1));
  dma::Descriptor d = linear_copy(buffer, buffer + 4096, 64);
  d.operation = dma::Operation::add_i8;
  EXPECT_EQ(engines.queue(0, 0, d).run(), 29u);
}

TEST(Timeline, AZeroStrideReadsOnceAndReplays) {
  // One element of 4 bytes: read port in 5. Both writes issue in 6: port in 6-13 and 14-21.
  Engines engines(machine_of(1, 1));
  dma::Descriptor d = linear_copy(buffer, buffer + 4096, 32, 4);
  d.source_strides[0] = 0;
  EXPECT_EQ(engines.queue(0, 0, d).run(), 22u);
  EXPECT_EQ(engines.beats(0, 0).size(), 17u);
}

TEST(Timeline, ThirtyThousandWritesOfOneRead) {
  // One element of 8 bytes fills 2 MiB of OCM: read from DRAM in 5, passed 106; bus in 106; 32,768
  // writes pass the bus in 107 and on; the last one the bank in 32,875-32,878.
  Engines engines(machine_of(1, 1));
  dma::Descriptor d = linear_copy(dram_base, ocm_base, 1, 8);
  d.dims = 2;
  d.sizes = {8, 32768};
  d.source_strides = {0, 0};
  d.destination_strides = {262144, 8};
  EXPECT_EQ(engines.queue(0, 0, d).run(), 32'889u);
}

TEST(Timeline, AStrideIsAnElementABurst) {
  // Source elements 256 bytes apart: 4 reads, of banks 0, 4, 0, 4; destination in one piece, but a
  // write depends on 3 reads at most. Reads 0-2 issue in 5: beats in 5 (bank 0), 5 (bank 4) and 6
  // (bank 0); bus in 16, 17, 18. Write of 12 bytes in 19 and 20, done at 21. Read 3 issues in 21:
  // bus in 32; write of 4 bytes in 33.
  Engines engines(machine_of(1, 1));
  dma::Descriptor d = linear_copy(ocm_base, buffer, 4, 4);
  d.source_strides[0] = 256;
  EXPECT_EQ(engines.queue(0, 0, d).run(), 34u);
  EXPECT_THAT(engines.beats(0, 0),
              ElementsAre("5 #0 ocm bank 0", "5 #1 ocm bank 4", "6 #2 ocm bank 0",
                          "16 #0 row bus 0", "17 #1 row bus 0", "18 #2 row bus 0",
                          "19 #3 local write port 0", "20 #3 local write port 0",
                          "21 #4 ocm bank 4", "32 #4 row bus 0", "33 #5 local write port 0"));
}

TEST(Timeline, GatherReadsItsIndicesFirst) {
  // 4 indices, 16 bytes of read port in 5 and 6. Reads 0-2 issue in 7, banks 0, 6, 4; bus in 18,
  // 19, 20; write of 12 bytes in 21 and 22; read 3 issues in 23, bus in 34; write of 4 bytes in 35.
  Engines engines(machine_of(1, 1));
  dma::Descriptor d = linear_copy(ocm_base, buffer, 4, 4);
  d.operation = dma::Operation::gather;
  d.source_strides[0] = 0;
  d.extended = true;
  d.index_base = buffer + 4096;
  d.index_count = 4;
  d.index_stride = 4;
  d.index_scale = 4;
  d.index_limit = 1000;
  for (u32 k = 0; k < 4; ++k)
    engines.world().locals[0].view(d.index_base + 4 * k, 4)[0] = static_cast<u8>(100 * k % 256),
                                                         engines.world().locals[0].view(
                                                             d.index_base + 4 * k, 4)[1] =
                                                             static_cast<u8>(100 * k / 256);
  EXPECT_EQ(engines.queue(0, 0, d).run(), 36u);
  EXPECT_THAT(
      engines.beats(0, 0),
      ElementsAre("5 #0 local read port 0", "6 #0 local read port 0", "7 #1 ocm bank 0",
                  "7 #2 ocm bank 6", "7 #3 ocm bank 4", "18 #1 row bus 0", "19 #2 row bus 0",
                  "20 #3 row bus 0", "21 #4 local write port 0", "22 #4 local write port 0",
                  "23 #5 ocm bank 2", "34 #5 row bus 0", "35 #6 local write port 0"));
  // Reads 1 and 2 wait for the bus behind read 0: a burst behind an older one of its own is not
  // what a cycle is charged to.
  EXPECT_EQ(engines.bins(0), "idle 1, setup 4, transfer 31");
}

TEST(Timeline, AFourthBurstWaitsForASlot) {
  // Fill of 256 bytes of OCM: bus in 5, 6, 7; banks from 6, 7, 8 on; written at 20, 21, 22. The
  // fourth write issues in 20: bus in 20, bank in 21-24, written at 35.
  Engines engines(machine_of(1, 1));
  EXPECT_EQ(engines.queue(0, 0, linear_fill(ocm_base, 256)).run(), 35u);
  EXPECT_EQ(engines.bins(0), "idle 1, setup 4, transfer 30");
}

TEST(Timeline, AReadKeepsItsSlotUntilItsLastWrite) {
  // One slot; the destination is half a block off, and a write depends on one read at most. Read 0
  // in 5-12, its writes of 32 bytes in 13-16 and 17-20; only then read 1, in 21-28, and its writes
  // in 29-32 and 33-36.
  Machine machine = machine_of(1, 1);
  machine.dma.in_flight = 1;
  Engines engines(machine);
  EXPECT_EQ(engines.queue(0, 0, linear_copy(buffer, buffer + 4096 + 32, 128)).run(), 37u);
  EXPECT_THAT(engines.beats(0, 0)[16], "21 #3 local read port 0");
}

TEST(Timeline, ChainedTransfersOverlap) {
  // The first one's write issues in 5, so the second starts in 6 and could write from 10 on, but
  // its elder has the port until 12.
  Engines engines(machine_of(1, 1));
  engines.queue(0, 0, std::vector{linear_fill(buffer, 64), linear_fill(buffer + 64, 64)});
  EXPECT_EQ(engines.run(), 21u);
  EXPECT_EQ(engines.times(0, 0), (Engines::Times{1, 13}));
  EXPECT_EQ(engines.times(0, 1), (Engines::Times{6, 21}));
  EXPECT_EQ(engines.bins(0), "idle 1, setup 4, transfer 16");
}

TEST(Timeline, NothingToMoveStartsACycleApart) {
  Engines engines(machine_of(1, 1));
  const dma::Descriptor nothing = linear_copy(ocm_base, buffer, 0);
  engines.queue(0, 0, std::vector{nothing, nothing, nothing});
  EXPECT_EQ(engines.run(), 7u);
  EXPECT_EQ(engines.times(0, 2), (Engines::Times{3, 7}));
}

dma::Descriptor push(u32 offset, u16 bytes) {
  dma::Descriptor d = linear_fill(0, bytes);
  d.destination = offset;
  d.multicast = d.include_self = true;
  d.rectangle = {0, 0, 1, 1};
  d.release_receivers = {8, 1};
  return d;
}

TEST(Timeline, MulticastToFour) {
  // One write of 8 bytes, issued in 5. Own port in 5. Own bus in 5: at PE 1 in 7, at row 1 in 7;
  // its bus in 7: at PE 2 in 8, at PE 3 in 9. The release follows: own bus in 6, at PE 1 in 8; row
  // 1 in 8, at PE 2 in 9, at PE 3 in 10.
  Engines engines(machine_of(2, 2));
  EXPECT_EQ(engines.queue(0, 0, push(0x1000, 8)).run(), 10u);
  EXPECT_THAT(
      engines.beats(0, 0),
      testing::UnorderedElementsAre("5 #0 row bus 0", "5 #0 local write port 0", "6 #1 row bus 0",
                                    "7 #0 row bus 1", "7 #0 local write port 1", "8 #1 row bus 1",
                                    "8 #0 local write port 2", "9 #0 local write port 3"));
  EXPECT_EQ(engines.release(0, 0, 1), 8u);
  EXPECT_EQ(engines.release(0, 0, 2), 9u);
  EXPECT_EQ(engines.release(0, 0, 3), 10u);
  EXPECT_EQ(engines.times(0, 0).complete, 10u);
}

TEST(Timeline, AReleaseTravelsAlone) {
  // Nothing to move: own bus in 5, at PE 1 in 7; row 1's bus in 7, at PE 2 in 8, at PE 3 in 9. The
  // initiator's own in 5.
  Engines engines(machine_of(2, 2));
  dma::Descriptor d = push(0x1000, 0);
  d.release_own = {};
  EXPECT_EQ(engines.queue(0, 0, d).run(), 9u);
  EXPECT_EQ(engines.release(0, 0, 0), 5u);
  EXPECT_EQ(engines.release(0, 0, 1), 7u);
  EXPECT_EQ(engines.release(0, 0, 2), 8u);
  EXPECT_EQ(engines.release(0, 0, 3), 9u);
  EXPECT_EQ(engines.bins(0), "idle 1, setup 4, transfer 4");
}

TEST(Timeline, AGatherOfNothingReleasesLikeAnEmptyTransfer) {
  // All indices are out of bounds and skipped. The index list is read (port in 5-12), and nothing
  // else; the releases do not wait for it.
  Engines engines(machine_of(2, 2));
  dma::Descriptor d = push(0x1000, 16);
  d.release_own = {};
  d.operation = dma::Operation::gather;
  d.source = ocm_base;
  d.extended = true;
  d.out_of_bounds = dma::OutOfBounds::skip;
  d.index_base = buffer;
  d.index_count = 16;
  d.index_stride = 4;
  EXPECT_EQ(engines.queue(0, 0, d).run(), 13u);
  EXPECT_EQ(engines.release(0, 0, 0), 5u);
  EXPECT_EQ(engines.release(0, 0, 3), 9u);
  EXPECT_EQ(engines.times(0, 0).complete, 13u);
}

TEST(Timeline, AMulticastToItsInitiatorAloneUsesNoBus) {
  Engines engines(machine_of(2, 2));
  dma::Descriptor d = push(0x1000, 64);
  d.rectangle = {0, 0, 0, 0};
  EXPECT_EQ(engines.queue(0, 0, d).run(), 13u);
  EXPECT_EQ(engines.beats(0, 0).size(), 8u);
  // And to nobody: nothing is moved.
  Engines nobody(machine_of(2, 2));
  d.include_self = false;
  EXPECT_EQ(nobody.queue(0, 0, d).run(), 5u);
  EXPECT_TRUE(nobody.beats(0, 0).empty());
}

TEST(Timeline, MulticastFromLocalMemoryOverAllRows) {
  // 3 x 1, PE 1 sends 16 bytes to PEs 0 and 2: read port in 5 and 6; own bus in 7; both other buses
  // a hop later in 9; both ports in 10 and 11.
  Engines engines(machine_of(3, 1));
  dma::Descriptor d = linear_copy(buffer, 0x1000, 16);
  d.multicast = true;
  d.rectangle = {0, 0, 0, 2};
  EXPECT_EQ(engines.queue(0, 1, d).run(), 12u);
  EXPECT_THAT(engines.beats(1, 0),
              ElementsAre("5 #0 local read port 1", "6 #0 local read port 1", "7 #1 row bus 1",
                          "9 #1 row bus 0", "9 #1 row bus 2", "10 #1 local write port 0",
                          "10 #1 local write port 2", "11 #1 local write port 0",
                          "11 #1 local write port 2"));
}

TEST(Timeline, AYoungerTransferFillsTheGaps) {
  // PE 1's read of bank 0 starts later than PE 0's write of it, whose beats come only in 9-12,
  // after the local read (5-8 are its read port); the younger one has the bank before, in 6-8, is
  // interrupted, and goes on in 15.
  Engines engines(machine_of(1, 2));
  engines.queue(0, 0, linear_copy(buffer, ocm_base, 32));
  engines.queue(1, 1, linear_copy(ocm_base, buffer, 64));
  engines.run();
  EXPECT_THAT(engines.beats(0, 0),
              ElementsAre("5 #0 local read port 0", "6 #0 local read port 0",
                          "7 #0 local read port 0", "8 #0 local read port 0", "9 #1 row bus 0",
                          "10 #1 ocm bank 0", "11 #1 ocm bank 0"));
  EXPECT_THAT(engines.beats(1, 0).front(), "6 #0 ocm bank 0");
  EXPECT_EQ(engines.times(0, 0).complete, 22u);
}

}  // namespace
}  // namespace simfarm::test
