// What the fast engine suspects races by, piece by piece, and what becomes of a suspicion.
#include <gtest/gtest.h>

#include <set>

#include "engine/fast/under_way.h"
#include "tests/support/random.h"
#include "tests/support/run.h"
#include "tests/support/transfers.h"

namespace simfarm::test {
namespace {

using fast::ByteRanges;
using fast::PlacedRanges;
using fast::UnderWay;

/// Rows of bytes, or pieces here and there, with what is in them byte by byte.
struct Pieces {
  std::set<i64> bytes;
  std::shared_ptr<const ByteRanges> ranges;
};
Pieces random_pieces(Random& random) {
  Pieces pieces;
  auto ranges = std::make_shared<ByteRanges>();
  const bool rows = random.one_in(2);
  const i64 pitch = random.between(4, 12), length = random.between(1, 4);
  i64 at = random.between(-10, 30);
  for (u64 k = random.below(8); k-- > 0;) {
    const i64 begin = rows ? at : random.between(-20, 60);
    const i64 size = rows ? length : random.between(1, 9);
    ranges->add(begin, size);
    for (i64 byte = begin; byte < begin + size; ++byte) pieces.bytes.insert(byte);
    at += pitch;
  }
  ranges->finish();
  pieces.ranges = std::move(ranges);
  return pieces;
}

bool in_common(const std::set<i64>& a, const std::set<i64>& b, i64 shift) {
  return std::any_of(b.begin(), b.end(), [&](i64 byte) { return a.contains(byte + shift); });
}

TEST(ByteRanges, MeetWhereAByteIsInBoth) {
  Random random(1);
  u32 meet = 0;
  for (u32 round = 0; round < 20'000; ++round) {
    const Pieces a = random_pieces(random), b = random_pieces(random);
    const i64 shift = random.between(-30, 30);
    const bool expected = in_common(a.bytes, b.bytes, shift);
    ASSERT_EQ(a.ranges->meet(*b.ranges, shift), expected) << round;
    u64 length = 0;
    for (const ByteRanges::Range& range : a.ranges->ranges())
      length += static_cast<u64>(range.end - range.begin);
    ASSERT_EQ(length, a.bytes.size());
    meet += expected;
  }
  EXPECT_GT(meet, 4000u);
  EXPECT_LT(meet, 16'000u);
}

TEST(UnderWay, ConflictsWithWhatIsNotComplete) {
  using dma::Operation;
  using Space = AddressMap::Space;
  struct One {
    UnderWay::Side side;
    std::set<i64> bytes;
    bool writes = false;
  };
  Random random(2);
  UnderWay under_way(machine_of(1, 2));
  std::vector<One> all;
  u32 found = 0;
  for (Cycle now = 0; now < 4000; ++now) {
    const Pieces pieces = random_pieces(random);
    if (pieces.ranges->empty()) continue;
    static constexpr Space spaces[] = {Space::local, Space::ocm, Space::dram};
    static constexpr Operation operations[] = {Operation::copy, Operation::add_i32,
                                               Operation::add_i8};
    One one;
    one.writes = random.one_in(4);
    one.side.space = spaces[random.below(3)];
    one.side.pe = static_cast<PeId>(random.below(2));
    one.side.bytes = {pieces.ranges, random.between(0, 200)};
    if (one.writes) one.side.operation = operations[random.below(3)];
    one.side.completion = now + random.below(12);
    for (const i64 byte : pieces.bytes) one.bytes.insert(byte + one.side.bytes.shift);
    const bool expected = std::any_of(all.begin(), all.end(), [&](const One& older) {
      const UnderWay::Side &a = one.side, &b = older.side;
      if (b.completion <= now || a.space != b.space) return false;
      if (a.space == Space::local && a.pe != b.pe) return false;
      if (!one.writes && !older.writes) return false;
      if (one.writes && older.writes && a.operation != Operation::copy &&
          a.operation == b.operation)
        return false;
      return in_common(one.bytes, older.bytes, 0);
    });
    ASSERT_EQ(one.writes ? under_way.in_the_way_of_write(one.side, now)
                         : under_way.in_the_way_of_read(one.side, now),
              expected)
        << now;
    found += expected;
    if (one.writes)
      under_way.writes(one.side, now);
    else
      under_way.reads(one.side, now);
    all.push_back(std::move(one));
  }
  EXPECT_GT(found, 100u);
}

/// The program of one PE that loads `offset` bytes from a buffer that is being written.
HostReport host_of(i32 offset) {
  Kernel kernel;
  put_descriptors(kernel, local_base, {linear_copy(ocm_base, local_base + 0x1000, 60)});
  kernel.li(t0, local_base).li(t1, 1).li(t2, local_base + 0x1000);
  kernel.dma(t0).lw(t3, t2, offset).wait(0, t1).exit();
  RunInput input;
  input.machine = machine_of(1, 1);
  input.program = program_of(kernel);
  auto made = make_simulation(EngineKind::fast, std::move(input), {.check_races = true});
  const Outcome outcome = (*made)->run();
  EXPECT_EQ(outcome.kind == Outcome::Kind::trap, offset == 56);
  return (*made)->host();
}

TEST(RaceWatch, WhatRanIsReported) {
  const HostReport apart = host_of(64), near = host_of(60), race = host_of(56);
  EXPECT_EQ(apart.engine, EngineKind::fast);
  EXPECT_EQ(apart.trouble, "");
  EXPECT_EQ(near.engine, EngineKind::fast);
  EXPECT_EQ(near.trouble, "the program works next to bytes that its DMA moves");
  EXPECT_EQ(race.engine, EngineKind::reference);
  EXPECT_EQ(race.trouble, "the program may race with its DMA");
}

TEST(RaceWatch, TransfersThatTheEndCutsOffConflictAsWell) {
  dma::Descriptor push = linear_copy(dram_base, 0x1000, 4000);
  push.multicast = true;
  push.rectangle = {0, 0, 2, 0};
  push.release_receivers = {9, 1};
  Kernel pushes, ends;
  put_descriptors(pushes, local_base, {push});
  pushes.li(t0, local_base).dma(t0).exit(0);
  ends.exit(0);
  for (Cycle limit = 1; limit < 12; ++limit)
    run_kernels(machine_of(1, 3), {pushes, pushes, ends},
                {.cycle_limit = limit, .check_races = true});
}

}  // namespace
}  // namespace simfarm::test
