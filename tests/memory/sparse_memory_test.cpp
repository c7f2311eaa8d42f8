#include "memory/sparse_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "memory/poison.h"

namespace simfarm {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

constexpr Region dram{0x8000'0000, u64{1} << 30};
constexpr u32 page = SparseMemory::page_bytes;

std::vector<u8> read(const SparseMemory& memory, u32 address, std::size_t count) {
  std::vector<u8> bytes(count, 0xee);
  memory.read(address, bytes);
  return bytes;
}

TEST(SparseMemory, ReadsZeroWhereNothingWrote) {
  SparseMemory memory(dram);
  EXPECT_THAT(read(memory, dram.base, 64), Each(0));
  EXPECT_THAT(read(memory, 0xbfff'ffc0, 64), Each(0));
  EXPECT_EQ(memory.backed_pages(), 0u);
}

TEST(SparseMemory, WritesAcrossPages) {
  SparseMemory memory(dram);
  const u32 at = dram.base + 3 * page - 2;
  memory.write(at, std::vector<u8>{1, 2, 3, 4});
  EXPECT_THAT(read(memory, at - 1, 6), ElementsAre(0, 1, 2, 3, 4, 0));
  EXPECT_EQ(memory.backed_pages(), 2u);
}

TEST(SparseMemory, KnowsWhatNothingWrote) {
  SparseMemory memory(dram);
  EXPECT_TRUE(memory.untouched(dram.base, dram.bytes));
  memory.zero(dram.base, dram.bytes);  // it reads as zero anyway
  EXPECT_TRUE(memory.untouched(dram.base, dram.bytes));
  memory.write(dram.base + 3 * page, std::vector<u8>{0});
  EXPECT_FALSE(memory.untouched(dram.base, dram.bytes));
  EXPECT_TRUE(memory.untouched(dram.base + 2 * page, page));
  EXPECT_FALSE(memory.untouched(dram.base + 2 * page, page + 1));
  EXPECT_FALSE(memory.untouched(dram.base + 4 * page - 1, 1));
  EXPECT_TRUE(memory.untouched(dram.base + 4 * page, page));
}

TEST(SparseMemory, HoldsTheLastByteOfTheAddressSpace) {
  SparseMemory memory({0xffff'0000, 0x1'0000});
  memory.write(0xffff'ffff, std::vector<u8>{7});
  EXPECT_THAT(read(memory, 0xffff'fffe, 2), ElementsAre(0, 7));
}

TEST(SparseMemory, ZeroesPoisonButNotEmptyPages) {
  SparseMemory plain(dram);
  plain.zero(dram.base, u64{1} << 30);
  EXPECT_EQ(plain.backed_pages(), 0u);
  SparseMemory poisoned(dram, 1);
  poisoned.zero(dram.base + 10, page);
  EXPECT_THAT(read(poisoned, dram.base + 10, page), Each(0));
  EXPECT_NE(read(poisoned, dram.base, 10), std::vector<u8>(10));
}

TEST(SparseMemory, PoisonDoesNotDependOnTheOrderOfTouching) {
  // Regression: what an untouched byte reads must stay the same when its page becomes backed.
  std::mt19937 random(4);
  SparseMemory memory(dram, 99), other(dram, 100);
  for (int i = 0; i < 50; ++i) {
    const u32 at = dram.base + static_cast<u32>(random() % (3 * page));
    const auto before = read(memory, at, 40);
    std::vector<u8> expected(40);
    poison(99, at, expected);
    EXPECT_EQ(before, expected);
    EXPECT_NE(before, read(other, at, 40));
  }
  for (int i = 0; i < 50; ++i) {
    const u32 at = dram.base + 3 * page + static_cast<u32>(random() % (3 * page));
    const auto before = read(memory, at, 40);
    memory.write(at + 40, std::vector<u8>{before[0]});
    EXPECT_EQ(read(memory, at, 40), before);
  }
}

TEST(Poison, StoragesAndSeedsDiffer) {
  EXPECT_NE(poison_seed(1, 0), poison_seed(1, 1));
  EXPECT_NE(poison_seed(1, 0), poison_seed(2, 0));
  EXPECT_NE(poison_word(1, 0), poison_word(1, 1));
  // Half of all bits are set, within five standard deviations of 64,000 fair ones.
  u32 set = 0;
  for (u64 i = 0; i < 1000; ++i) set += static_cast<u32>(__builtin_popcountll(poison_word(7, i)));
  EXPECT_NEAR(set, 32'000, 5 * 126);
}

TEST(SparseMemoryDeathTest, StopsOnAccessOutside) {
  SparseMemory memory({0x4000'0000, 4096});
  std::vector<u8> bytes(2);
  EXPECT_DEATH(memory.read(0x4000'0fff, bytes), "access outside a shared memory");
}

}  // namespace
}  // namespace simfarm
