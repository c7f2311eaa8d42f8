#include "dma/indices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/dma/descriptor_support.h"

namespace simfarm::dma {
namespace {

using test::Board;
using test::small_gather;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Indices : ::testing::Test {
  void place(std::initializer_list<i32> values) {
    u32 at = d.index_base;
    for (const i32 value : values) {
      board.place_i32(at, value);
      at += static_cast<u32>(d.index_stride);
    }
  }
  std::string refusal() {
    const auto indices = read_indices(d, board.local, board.context);
    return indices ? "accepted" : indices.error().message;
  }
  Board board;
  Descriptor d = small_gather();
};

TEST_F(Indices, AreReadInOrder) {
  place({3, 0, 99, 3});
  const auto indices = read_indices(d, board.local, board.context);
  ASSERT_TRUE(indices) << indices.error().message;
  EXPECT_THAT(*indices, ElementsAre(3, 0, 99, 3));
}

TEST_F(Indices, FollowANegativeStride) {
  d.index_base = 0x1000'0900;
  d.index_stride = -12;
  place({4, 5, 6, 7});
  const auto indices = read_indices(d, board.local, board.context);
  ASSERT_TRUE(indices) << indices.error().message;
  EXPECT_THAT(*indices, ElementsAre(4, 5, 6, 7));
}

TEST_F(Indices, AreNotReadWithoutElements) {
  d.sizes[1] = 0;
  place({-1, -1, -1, -1});
  const auto indices = read_indices(d, board.local, board.context);
  ASSERT_TRUE(indices);
  EXPECT_TRUE(indices->empty());
}

TEST_F(Indices, OutOfBoundsTrapUnlessTheModeSaysOtherwise) {
  place({3, 100, 0, 0});
  EXPECT_EQ(refusal(),
            "descriptor 0x10000440: index 1: 100 at 0x10000804, below 100 are in bounds");
  place({3, -1, 0, 0});
  EXPECT_THAT(refusal(), HasSubstr("index 1: -1 at"));
  d.out_of_bounds = OutOfBounds::skip;
  EXPECT_EQ(refusal(), "accepted");
  d.out_of_bounds = OutOfBounds::fill;
  EXPECT_EQ(refusal(), "accepted");
  EXPECT_FALSE(in_bounds(d, -1));
  EXPECT_TRUE(in_bounds(d, 99));
  EXPECT_FALSE(in_bounds(d, 100));
}

TEST_F(Indices, MustAddressOneMemory) {
  d.index_limit = 0x7fff'ffff;
  const i32 last = (4 << 20) / 32 - 1;  // of OCM's units of 32 bytes
  place({0, last, 0, 0});
  EXPECT_EQ(refusal(), "accepted");
  place({0, last + 1, 0, 0});
  EXPECT_EQ(refusal(),
            "descriptor 0x10000440: index 1: 131072 at 0x10000804, the source box "
            "0x40400000..0x40400007 is not inside local memory, OCM or DRAM");
  place({0, 0x4000'0000 / 32, 0, 0});  // the first bytes of DRAM
  EXPECT_THAT(refusal(), HasSubstr("the source box 0x80000000..0x80000007 is in another memory"));
  d.index_scale = -0x7fff'ffff;
  place({0, 0, 0x7fff'fffe, 0});
  EXPECT_THAT(refusal(), HasSubstr("index 2"));
}

TEST_F(Indices, MoveTheDestinationOfAScatter) {
  d.operation = Operation::scatter;
  d.destination_strides[0] = 0;
  d.index_limit = 0x7fff'ffff;
  place({0, (0x8000 - 0x1000) / 32 - 1, 0, 0});
  EXPECT_EQ(refusal(), "accepted");
  place({0, (0x8000 - 0x1000) / 32, 0, 0});
  EXPECT_THAT(refusal(), HasSubstr("the destination box 0x10008000..0x10008007 is not inside"));
  // Pushed, destinations are offsets.
  d.multicast = true;
  d.destination = 0x1000;
  EXPECT_THAT(refusal(),
              HasSubstr("the destination box 0x8000..0x8007 leaves local memory of 32768"));
  place({0, 3, 2, 1});
  EXPECT_EQ(refusal(), "accepted");
}

}  // namespace
}  // namespace simfarm::dma
