// A test for each bin of a DMA engine, with every cycle worked out by hand from docs/machine.md,
// section 5. Everywhere a descriptor queued in cycle 0 starts in cycle 1 and can issue its first
// burst in cycle 5; cycle 0 is idle.
#include "tests/dma_engine/engines.h"
#include "tests/support/run.h"
#include "tests/support/transfers.h"

namespace simfarm::test {
namespace {

TEST(DmaBins, SetupAlone) {
  // Nothing to move: complete when the set-up is over.
  Engines engines(machine_of(1, 1));
  EXPECT_EQ(engines.queue(0, 0, linear_copy(ocm_base, local_base, 0)).run(), 5u);
  EXPECT_EQ(engines.bins(0), "idle 1, setup 4");
}

TEST(DmaBins, Transfer) {
  // A fill of 64 local bytes: 8 beats of the write port, cycles 5-12.
  Engines engines(machine_of(1, 1));
  EXPECT_EQ(engines.queue(0, 0, linear_fill(local_base, 64)).run(), 13u);
  EXPECT_EQ(engines.bins(0), "idle 1, setup 4, transfer 8");
}

TEST(DmaBins, AcquireWait) {
  // The post comes in cycle 20: waits in 1-19, starts in 20.
  Engines engines(machine_of(1, 1));
  dma::Descriptor d = linear_copy(ocm_base, local_base, 0);
  d.acquire = {8, 1};
  EXPECT_EQ(engines.queue(0, 0, d).post(20, 0, 8).run(), 24u);
  EXPECT_EQ(engines.bins(0), "idle 1, acquire_wait 19, setup 4");
}

TEST(DmaBins, SourceWait) {
  // Both PEs read OCM bank 0: PE 0 in cycles 5-8, PE 1 in 9-12. PE 1: arrived from the bank at
  // 12 + 1 + 10 = 23, row bus in 23, at column 1 in 25, write port 25-32.
  Engines engines(machine_of(1, 2));
  for (PeId pe : {0u, 1u}) engines.queue(0, pe, linear_copy(ocm_base, local_base, 64));
  EXPECT_EQ(engines.run(), 33u);
  EXPECT_EQ(engines.times(0, 0).complete, 28u);
  EXPECT_EQ(engines.bins(0), "idle 6, setup 4, transfer 23");
  EXPECT_EQ(engines.bins(1), "idle 1, setup 4, transfer 24, source_wait 4");
}

TEST(DmaBins, BusWait) {
  // Both write OCM over the same row bus, to different banks: PE 0 in cycle 5, PE 1 in cycle 6;
  // then 1 hop to column 0, bank in 8-11, complete at 11 + 1 + 10.
  Engines engines(machine_of(1, 2));
  for (PeId pe : {0u, 1u}) engines.queue(0, pe, linear_fill(ocm_base + 64 * pe, 64));
  EXPECT_EQ(engines.run(), 22u);
  EXPECT_EQ(engines.times(0, 0).complete, 20u);
  EXPECT_EQ(engines.bins(1), "idle 1, setup 4, transfer 16, bus_wait 1");
}

TEST(DmaBins, DestinationWait) {
  // Two rows, two buses, one bank: PE 0 has it in cycles 6-9, PE 1 in 10-13.
  Engines engines(machine_of(2, 1));
  for (PeId pe : {0u, 1u}) engines.queue(0, pe, linear_fill(ocm_base, 64));
  EXPECT_EQ(engines.run(), 24u);
  EXPECT_EQ(engines.times(0, 0).complete, 20u);
  EXPECT_EQ(engines.bins(1), "idle 1, setup 4, transfer 15, destination_wait 4");
}

TEST(DmaBins, InFlightLimit) {
  // One slot. Two elements of 8 bytes, read at once (16 bytes, beats in 5 and 6), each the first of
  // a row of 128 bytes whose rest is padding: writes 0 and 2 hold an element each, 1 and 3 nothing
  // but padding. Write 0 in cycles 7-14, write 2 by itself in 15-22: until then the read keeps the
  // slot, which write 1 waits for. Write 1 in 23-30, write 3 in 31-38.
  Machine machine = machine_of(1, 1);
  machine.dma.in_flight = 1;
  dma::Descriptor d = linear_copy(local_base, local_base + 0x1000, 1, 8);
  d.dims = 2;
  d.sizes = {2, 1};
  d.source_strides = {8, 8};
  d.destination_strides = {128, 8};
  d.extended = true;
  d.pad_after = {0, 15};
  Engines engines(machine);
  EXPECT_EQ(engines.queue(0, 0, d).run(), 39u);
  EXPECT_EQ(engines.bins(0), "idle 1, setup 4, transfer 26, in_flight_limit 8");
}

}  // namespace
}  // namespace simfarm::test
