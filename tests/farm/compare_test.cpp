// What is said about memory that is not what it must be.
#include "farm/compare.h"

#include <gmock/gmock.h>

namespace simfarm::farm {
namespace {

using testing::HasSubstr;

constexpr u64 seed = 11, other_seed = 12;

/// x (input, int8[40]) and y (output, int32[2, 6]) in DRAM.
Case small_case() {
  Case one;
  one.layout = lay_out({{"x", TensorKind::input, DType::int8, {40}},
                        {"y", TensorKind::output, DType::int32, {2, 6}}},
                       {}, AddressMap{})
                   .value();
  one.before = {std::vector<u8>(40, 9), {}};
  one.after = {std::vector<u8>(40, 9), std::vector<u8>(48)};
  for (u8 k = 0; k < 48; ++k) one.after[1][k] = k % 4 == 0 ? k : 0;
  return one;
}

/// Memory after a run that did everything right.
Memory right(const Case& one, u64 poison) {
  Memory memory;
  for (InitialMemory& each : initial_memory(one.layout, one.after, poison))
    memory.push_back(each.bytes);
  return memory;
}

u8& byte(const Case& one, Memory& memory, size_t tensor, u64 offset) {
  return memory[0][one.layout.tensors[tensor].address - one.layout.arenas[0].address + offset];
}

TEST(Compare, FindsNothingWhereAllIsRight) {
  const Case one = small_case();
  EXPECT_EQ(find_difference(one, right(one, seed), seed), std::nullopt);
  EXPECT_EQ(find_disagreement(one, right(one, seed), seed, right(one, other_seed), other_seed),
            std::nullopt);
}

TEST(Compare, TellsTheFirstWrongOutputWithItsSurroundings) {
  const Case one = small_case();
  Memory memory = right(one, seed);
  byte(one, memory, 1, 29) = 0xff;  // element 7 = [1, 1], its second byte
  byte(one, memory, 1, 40) = 0;     // element 10
  EXPECT_EQ(find_difference(one, memory, seed).value_or(""),
            "output y[1, 1] (int32, byte 29 of 48): expected 28, got 65308\n"
            "  bytes 13 to 45:\n"
            "    expected 00 00 00 10 00 00 00 14 00 00 00 18 00 00 00 1c 00 00 00 20 00 00 00 24 "
            "00 00 00 28 00 00 00 2c 00\n"
            "    got      00 00 00 10 00 00 00 14 00 00 00 18 00 00 00 1c ff 00 00 20 00 00 00 24 "
            "00 00 00 00 00 00 00 2c 00\n"
            "                                                             ^^                       "
            "        ^^               \n"
            "  2 of 12 elements are wrong\n");
}

TEST(Compare, KnowsWhatWasNeverWritten) {
  const Case one = small_case();
  Memory memory = right(one, seed);
  for (u64 k = 44; k < 48; ++k)
    byte(one, memory, 1, k) =
        poison_byte(seed, one.layout.tensors[1].address + static_cast<u32>(k));
  EXPECT_THAT(find_difference(one, memory, seed).value_or(""), HasSubstr("never written"));
  EXPECT_THAT(find_difference(one, memory, seed).value_or(""), HasSubstr("1 of 12 elements"));
}

TEST(Compare, TellsChangedInputsAndWrittenGuards) {
  const Case one = small_case();
  Memory memory = right(one, seed);
  byte(one, memory, 0, 39) = 8;
  EXPECT_THAT(find_difference(one, memory, seed).value_or(""),
              HasSubstr("input x[39] (int8, byte 39 of 40): expected 9, got 8"));
  EXPECT_THAT(find_difference(one, memory, seed).value_or(""),
              HasSubstr("may not change an input"));
  memory = right(one, seed);
  byte(one, memory, 0, 40) ^= 1;
  EXPECT_THAT(find_difference(one, memory, seed).value_or(""),
              HasSubstr("0 bytes after the end of x"));
  memory = right(one, seed);
  memory[0].back() ^= 1;
  EXPECT_THAT(find_difference(one, memory, seed).value_or(""),
              HasSubstr("79 bytes after the end of y"));
  memory = right(one, seed);
  memory[0].front() ^= 1;
  EXPECT_THAT(find_difference(one, memory, seed).value_or(""),
              HasSubstr("0x80000000, before the first tensor"));
}

TEST(Compare, TellsWhatTwoRunsDisagreeOnButNotWhatNeitherWrote) {
  const Case one = small_case();
  Memory first = right(one, seed), second = right(one, other_seed);
  const u32 address = one.layout.tensors[1].address;
  for (u32 k = 0; k < 4; ++k) {
    byte(one, first, 1, k) = poison_byte(seed, address + k);
    byte(one, second, 1, k) = poison_byte(other_seed, address + k);
  }
  EXPECT_EQ(find_disagreement(one, first, seed, second, other_seed), std::nullopt);
  byte(one, first, 1, 8) = 1;
  EXPECT_THAT(find_disagreement(one, first, seed, second, other_seed).value_or(""),
              HasSubstr("y[0, 2] (int32, byte 8 of 48): 1 in one run, 8 in a second run"));
}

}  // namespace
}  // namespace simfarm::farm
