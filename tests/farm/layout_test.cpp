#include "farm/layout.h"

#include <gmock/gmock.h>

namespace simfarm::farm {
namespace {

std::vector<PlacedTensor> three() {
  return {{"a", TensorKind::input, DType::int8, {3, 5}},
          {"shared", TensorKind::inout, DType::int16, {2, 3, 4}, Place::ocm},
          {"c", TensorKind::output, DType::int64, {10}}};
}

TEST(Layout, PlacesTensorsAlignedBetweenGuards) {
  const AddressMap map;
  const Layout layout = lay_out(three(), {}, map).value();
  EXPECT_EQ(layout.tensors[0].address, 0x8000'0040u);
  EXPECT_EQ(layout.tensors[0].bytes, 15u);
  EXPECT_EQ(layout.tensors[1].address, 0x4000'0040u);
  // 15 bytes are padded to 64, a guard of 64 follows.
  EXPECT_EQ(layout.tensors[2].address, 0x8000'00c0u);
  ASSERT_EQ(layout.arenas.size(), 2u);
  EXPECT_EQ(layout.arenas[0].address, 0x8000'0000u);
  EXPECT_EQ(layout.arenas[0].bytes, 0xc0u + 128u + 64u);
  EXPECT_EQ(layout.arenas[1].bytes, 64u + 64u + 64u);
}

TEST(Layout, SaysWhichTensorDoesNotFit) {
  AddressMap map;
  map.ocm.bytes = 128;
  EXPECT_THAT(lay_out(three(), {}, map).error().message,
              testing::HasSubstr("tensor shared (int16[2, 3, 4]): the machine's OCM of 128 bytes"));
  map.ocm.bytes = 192;
  EXPECT_TRUE(lay_out(three(), {}, map));
}

TEST(Layout, ArgumentBlockIsThatOfTheMachineSpecification) {
  const Layout layout = lay_out(three(), {-2, 77}, AddressMap{}).value();
  const std::vector<u8> block = argument_block(layout);
  ASSERT_EQ(block.size(), 16u + 3 * 48 + 2 * 4);
  const auto word = [&](u32 offset) {
    u32 value = 0;
    for (u32 k = 0; k < 4; ++k) value |= u32{block[offset + k]} << (8 * k);
    return value;
  };
  EXPECT_EQ(word(0), 1u);
  EXPECT_EQ(word(4), 3u);
  EXPECT_EQ(word(8), 2u);
  EXPECT_EQ(word(12), block.size());
  const u32 shared = 16 + 48;
  const std::vector<u32> want = {0x4000'0040, 48, 3, 3, 2, 3, 4, 0, 24, 8, 2, 0};
  for (u32 k = 0; k < want.size(); ++k) EXPECT_EQ(word(shared + 4 * k), want[k]) << k;
  EXPECT_EQ(word(16 + 3 * 48), 0xffff'fffeu);
  EXPECT_EQ(word(16 + 3 * 48 + 4), 77u);
}

TEST(Layout, PoisonFillsAllButTheInputs) {
  const Layout layout = lay_out(three(), {}, AddressMap{}).value();
  const std::vector<std::vector<u8>> contents = {
      std::vector<u8>(15, 0xaa), std::vector<u8>(48, 0xbb), {}};
  const std::vector<InitialMemory> plain = initial_memory(layout, contents, std::nullopt);
  ASSERT_EQ(plain.size(), 2u);
  EXPECT_EQ(plain[0].address, layout.tensors[0].address);
  EXPECT_EQ(plain[0].bytes, contents[0]);

  const std::vector<InitialMemory> poisoned = initial_memory(layout, contents, 5);
  ASSERT_EQ(poisoned.size(), 2u);
  for (u32 k = 0; k < poisoned[0].bytes.size(); ++k) {
    const bool input = k >= 64 && k < 64 + 15;
    EXPECT_EQ(poisoned[0].bytes[k], input ? 0xaa : poison_byte(5, 0x8000'0000u + k)) << k;
  }
  EXPECT_EQ(poisoned[1].bytes[64], 0xbb);
  EXPECT_EQ(poisoned[1].bytes[63], poison_byte(5, 0x4000'003fu));
}

TEST(Layout, PoisonDependsOnSeedAndAddressInEveryByte) {
  u32 same_seed = 0, same_next = 0;
  for (u32 address = 0; address < 4096; ++address) {
    same_seed += poison_byte(1, address) == poison_byte(2, address);
    same_next += poison_byte(1, address) == poison_byte(1, address + 1);
  }
  // 1 in 256 by chance: 16 of 4096.
  EXPECT_LT(same_seed, 40u);
  EXPECT_LT(same_next, 40u);
}

}  // namespace
}  // namespace simfarm::farm
