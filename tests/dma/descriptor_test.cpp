#include "dma/descriptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "dma/box.h"
#include "tests/dma/descriptor_support.h"

namespace simfarm::dma {
namespace {

using test::Board;
using test::small_copy;
using test::small_gather;
using test::small_multicast;
using ::testing::HasSubstr;

TEST(Descriptor, ReadsEveryField) {
  Board board;
  Descriptor d = small_copy();
  d.dims = 4;
  d.element_bytes = 8;
  d.source = 0x4000'1000;
  d.sizes = {2, 3, 1, 2};
  d.source_strides = {-64, 0, 8, 16};
  d.destination_strides = {512, 64, -32, 8};
  d.next = 0x1000'0600;
  d.acquire = {15, 65535};
  d.release_own = {7, 2};
  d.extended = true;
  d.pad_before = {0, 1, 0, 1};
  d.pad_after = {1, 0, 2, 0};
  d.fill = {1, 2, 3, 4, 5, 6, 7, 8};
  board.place(d);
  const auto parsed = parse(d.address, board.local, board.context);
  ASSERT_TRUE(parsed) << parsed.error().message;
  EXPECT_EQ(*parsed, d);
  EXPECT_EQ(parsed->source_elements(), 12u);
  EXPECT_EQ(parsed->destination_elements(), 3u * 4 * 3 * 3);
}

// The layout's bytes, written out: docs/machine.md, section 4.
TEST(Descriptor, LiesInMemoryAsTheManualSays) {
  AddressMap map;
  Descriptor d = small_multicast();
  d.operation = Operation::copy;
  d.dims = 3;
  d.element_bytes = 2;
  d.include_self = true;
  d.extended = true;
  d.next = map.local.base + 5 * 64;
  d.acquire = {12, 0x1234};
  d.release_own = {3, 0x0506};
  d.release_receivers = {9, 0x0708};
  d.sizes = {0x1111, 0x2222, 0x3333, 0};
  d.source_strides = {-2, 0x0102'0304, 0, 0};
  d.destination_strides = {6, 0, -4, 0};
  d.rectangle = {1, 2, 3, 4};
  d.pad_before = {9, 0, 0, 0};
  d.pad_after = {0, 0, 10, 0};
  d.fill = {0xaa, 0xbb};
  const auto bytes = encode(d, map);
  ASSERT_EQ(bytes.size(), 128u);
  const std::vector<u8> expected{
      0x60, 0x3f, 0x3c, 0x09,  // copy, 3 dims, 2 bytes, flags 8..13; semaphores 12, 3, 9
      0x00, 0x00, 0x00, 0x40, 0x00, 0x10, 0x00, 0x00, 0x05, 0x00, 0x34, 0x12, 0x11,
      0x11, 0x22, 0x22, 0x33, 0x33, 0x00, 0x00, 0xfe, 0xff, 0xff, 0xff, 0x04, 0x03,
      0x02, 0x01, 0,    0,    0,    0,    0,    0,    0,    0,    0x06, 0,    0,
      0,    0,    0,    0,    0,    0xfc, 0xff, 0xff, 0xff, 0,    0,    0,    0,
      0x06, 0x05, 0x08, 0x07, 1,    2,    3,    4,    9,    0,    0,    0,    0,
      0,    0,    0,    0,    0,    0,    0,    10,   0,    0,    0,    0xaa, 0xbb,
  };
  for (std::size_t i = 0; i < bytes.size(); ++i)
    EXPECT_EQ(bytes[i], i < expected.size() ? expected[i] : 0) << "byte " << i;
  Descriptor gather = small_gather();
  gather.out_of_bounds = OutOfBounds::skip;
  gather.index_stride = -4;
  gather.index_scale = 0x0a0b'0c0d;
  const auto second = encode(gather, map);
  EXPECT_EQ(load_bytes(second, 0, 4), 0x0000'4412u);
  EXPECT_EQ(load_bytes(second, 88, 4), 0x1000'0800u);
  EXPECT_EQ(load_bytes(second, 92, 4), 4u);
  EXPECT_EQ(load_bytes(second, 96, 4), 0xffff'fffcu);
  EXPECT_EQ(load_bytes(second, 100, 4), 0x0a0b'0c0du);
  EXPECT_EQ(load_bytes(second, 104, 4), 100u);
}

TEST(Descriptor, AcceptsItsStartingPoints) {
  Board board;
  EXPECT_EQ(board.refusal(small_copy()), "accepted");
  EXPECT_EQ(board.refusal(small_gather()), "accepted");
  EXPECT_EQ(board.refusal(small_multicast()), "accepted");
}

// One row a limit: what is changed, and the refusal that must name it.
struct Limit {
  Descriptor start;
  std::function<void(Descriptor&)> change;
  const char* message;
};

TEST(Descriptor, NamesTheFieldOfEachLimit) {
  using D = Descriptor;
  Descriptor fill = small_copy();
  fill.operation = Operation::fill;
  fill.source = 0;
  fill.source_strides = {};
  Descriptor add = small_copy();
  add.operation = Operation::add_i8;
  Descriptor scatter = small_gather();
  scatter.operation = Operation::scatter;
  scatter.source_strides = {32, 1, 0, 0};
  scatter.destination = 0x4000'0000;
  scatter.destination_strides = {0, 1, 0, 0};
  for (const Descriptor& start : {fill, add, scatter})
    EXPECT_EQ(Board().refusal(start), "accepted");

  const Limit limits[] = {
      {small_copy(), [](D& d) { d.sizes[2] = 1; },
       "sizes[2]: not zero, and there are 2 dimensions"},
      {small_copy(), [](D& d) { d.source_strides[3] = 1; }, "source strides[3]: not zero"},
      {small_copy(), [](D& d) { d.destination_strides[2] = 1; },
       "destination strides[2]: not zero"},
      {small_copy(), [](D& d) { d.extended = true, d.pad_before[2] = 1; },
       "padding before[2]: not"},
      {small_copy(), [](D& d) { d.extended = true, d.pad_after[3] = 1; }, "padding after[3]: not"},

      {add, [](D& d) { d.element_bytes = 4; }, "element bytes: 4, copy-add int8 has 1"},
      {add, [](D& d) { d.operation = Operation::add_i32; },
       "element bytes: 1, copy-add int32 has 4"},
      {fill, [](D& d) { d.source = 64; }, "source: 0x40, a fill has none"},
      {fill, [](D& d) { d.source_strides[1] = 1; }, "source strides[1]: a fill has none"},
      {fill, [](D& d) { d.extended = true, d.pad_before[0] = 1; },
       "padding before[0]: only a copy"},
      {add, [](D& d) { d.extended = true, d.pad_after[1] = 1; }, "padding after[1]: only a copy"},
      {fill, [](D& d) { d.extended = true, d.fill[1] = 1; }, "fill value: byte 1 is not zero"},

      {small_copy(), [](D& d) { d.out_of_bounds = OutOfBounds::skip; }, "out-of-bounds mode: only"},
      {small_copy(), [](D& d) { d.extended = true, d.index_base = 4; }, "index base: only gather"},
      {small_copy(), [](D& d) { d.extended = true, d.index_count = 4; },
       "index count: only gather"},
      {small_copy(), [](D& d) { d.extended = true, d.index_stride = 4; },
       "index stride: only gather"},
      {small_copy(), [](D& d) { d.extended = true, d.index_scale = 4; },
       "index scale: only gather"},
      {small_copy(), [](D& d) { d.extended = true, d.index_limit = 4; },
       "index limit: only gather"},

      {small_gather(), [](D& d) { d.extended = false; }, "extended: gather and scatter need"},
      {scatter, [](D& d) { d.out_of_bounds = OutOfBounds::fill; }, "out-of-bounds mode: a scatter"},
      {small_gather(), [](D& d) { d.source_strides[0] = 8; },
       "source strides[0]: not zero, the ind"},
      {scatter, [](D& d) { d.destination_strides[0] = 8; },
       "destination strides[0]: not zero, the"},
      {small_gather(), [](D& d) { d.index_count = 5; }, "index count: 5, sizes[0] is 4"},
      {small_gather(), [](D& d) { d.index_base += 2; }, "index base: 0x10000802 is not a multiple"},
      {small_gather(), [](D& d) { d.index_stride = 6; }, "index stride: 6 is not a multiple of 4"},
      {small_gather(),
       [](D& d) {
         d.element_bytes = 4, d.source_strides[1] = d.destination_strides[1] = 4, d.index_scale = 6;
       },
       "index scale: 6 is not a multiple of 4, the element size"},
      {small_gather(), [](D& d) { d.index_base = 0x1000'7ff8; },
       "index base: the list 0x10007ff8..0x10008007 leaves local memory"},
      {small_gather(), [](D& d) { d.index_stride = -0x400; },
       "index base: the list 0xffffc00..0x10000803 leaves local memory"},

      {small_copy(), [](D& d) { d.include_self = true; }, "include self: only a multicast"},
      {small_copy(), [](D& d) { d.rectangle[2] = 1; }, "rectangle: only a multicast"},
      {small_copy(),
       [](D& d) {
         d.release_receivers = {8, 1};
       },
       "receivers' release: only a multi"},
      {small_multicast(),
       [](D& d) {
         d.rectangle = {2, 0, 1, 0};
       },
       "rectangle: columns 2..1"},
      {small_multicast(),
       [](D& d) {
         d.rectangle = {0, 3, 0, 2};
       },
       "rows 3..2 run backwards"},
      {small_multicast(),
       [](D& d) {
         d.rectangle = {0, 0, 4, 0};
       },
       "leave the 4 x 4 array"},
      {small_multicast(),
       [](D& d) {
         d.rectangle = {0, 0, 0, 4};
       },
       "leave the 4 x 4 array"},
      {small_multicast(),
       [](D& d) {
         d.include_self = true, d.rectangle = {2, 0, 3, 3};
       },
       "include self: the rectangle does not hold PE 5"},

      {small_copy(),
       [](D& d) {
         d.release_own = {8, 1};
       },
       "own release semaphore: 8"},
      {small_multicast(),
       [](D& d) {
         d.release_receivers = {7, 1};
       },
       "receivers' release semaphore: 7"},
      {small_copy(), [](D& d) { d.acquire.semaphore = 3; }, "acquire semaphore: 3, but no acquire"},
      {small_copy(), [](D& d) { d.release_own.semaphore = 3; }, "own release semaphore: 3, but no"},
      {small_multicast(),
       [](D& d) {
         d.release_receivers = {9, 0};
       },
       "receivers' release semaphore: 9, but no receivers' release is present"},

      {small_copy(), [](D& d) { d.element_bytes = 4, d.source += 2; },
       "source: 0x40000002 is not a"},
      {small_copy(), [](D& d) { d.element_bytes = 8, d.destination += 4; },
       "destination: 0x10001004"},
      {small_copy(), [](D& d) { d.element_bytes = 2; },
       "source strides[1]: 1 is not a multiple of 2"},
      {small_copy(), [](D& d) { d.element_bytes = 2, d.source_strides[1] = 2; },
       "destination strides[1]: 1 is not a multiple of 2"},

      {small_copy(), [](D& d) { d.source = 0x403f'ff99; },
       "source: the box 0x403fff99..0x40400000 is not inside local memory, OCM or DRAM"},
      {small_copy(), [](D& d) { d.source_strides[0] = -32; },
       "source: the box 0x3fffffa0..0x40000007 is not inside"},
      {small_copy(), [](D& d) { d.source = 0x0040'0000; }, "source: the box 0x400000"},
      {small_copy(), [](D& d) { d.destination = 0; }, "destination: the box 0x0..0x1f is not"},
      {small_copy(), [](D& d) { d.destination = 0x1000'7fe1; }, "destination: the box 0x10007fe1"},
      {small_copy(), [](D& d) { d.destination = 0xffff'fff0; },
       "destination: the box 0xfffffff0..0x10000000f is not"},
      {small_copy(),
       [](D& d) { d.destination = 0x1000'7fe0, d.extended = true, d.pad_after[0] = 1; },
       "destination: the box 0x10007fe0..0x10008007 is not"},
      {small_multicast(), [](D& d) { d.destination = 0x7fe1; },
       "destination: the box of local offsets 0x7fe1..0x8000 leaves local memory of 32768 bytes"},
      {small_multicast(), [](D& d) { d.destination = 8, d.destination_strides[0] = -8; },
       "destination: the box of local offsets -0x10..0xf leaves"},
      {small_copy(),
       [](D& d) {
         d.dims = 4, d.sizes = {4096, 1025, 1, 1}, d.source_strides = {},
         d.destination_strides = {};
       },
       "sizes: 4198400 elements in the destination box, at most 4194304 are possible"},
      {small_copy(),
       [](D& d) {
         d.dims = 4, d.extended = true,
         d.sizes = d.pad_before = d.pad_after = {65535, 65535, 65535, 65535},
         d.source_strides = d.destination_strides = {};
       },
       "sizes: 18446744073709551615 elements"},
  };
  for (const Limit& limit : limits) {
    Descriptor d = limit.start;
    limit.change(d);
    const std::string refusal = Board().refusal(d);
    EXPECT_THAT(refusal, HasSubstr(limit.message));
    EXPECT_THAT(refusal, ::testing::StartsWith("descriptor 0x10000440: "));
  }
}

TEST(Descriptor, NamesBitsThatNoFieldCanHold) {
  struct Case {
    u32 offset, value, bytes;
    const char* message;
  };
  Board board;
  board.place(small_gather());
  for (const Case& c : std::initializer_list<Case>{
           {3, 0x10, 1, "control bits 31:28: 0x1, reserved"},
           {0, 0x16, 1, "operation: 6, from 0 to 5 exist"},
           {0, 0x1f, 1, "operation: 15"},
           {1, 0xc4, 1, "out-of-bounds mode: 3"},
           {1, 0x0c, 1, "acquire amount: 0, from 1 to 65535"},
           {1, 0x14, 1, "own release amount: 0"},
           {1, 0x24, 1, "receivers' release amount: 0"},
           {14, 9, 2, "acquire amount: 9, but no acquire is present"},
           {56, 1, 2, "own release amount: 1, but no"},
           {58, 1, 2, "receivers' release amount: 1, but no"},
           {12, 512, 2, "next: a descriptor at local offset 0x8000 leaves local memory"},
           {108, 1, 1, "byte 108: 0x1, reserved"},
           {127, 0x80, 1, "byte 127: 0x80, reserved"},
       }) {
    auto local = board.local;
    store_bytes(local, 0x440 + c.offset, c.bytes, c.value);
    const auto parsed = parse(0x1000'0440, local, board.context);
    ASSERT_FALSE(parsed) << c.message;
    EXPECT_THAT(parsed.error().message, HasSubstr(c.message));
  }
}

TEST(Descriptor, MustLieInLocalMemory) {
  Board board;
  const auto at = [&](u32 address) {
    const auto parsed = parse(address, board.local, board.context);
    return parsed ? "accepted" : parsed.error().message;
  };
  EXPECT_EQ(at(0x1000'0020), "descriptor 0x10000020: address: not a multiple of 64");
  EXPECT_EQ(at(0x1000'8000), "descriptor 0x10008000: address: not inside local memory");
  EXPECT_EQ(at(0x4000'0000), "descriptor 0x40000000: address: not inside local memory");
  EXPECT_EQ(at(0x1000'7fc0), "accepted");  // all zeros: a copy of nothing
  board.local[0x7fc1] = 0x04;
  EXPECT_EQ(at(0x1000'7fc0),
            "descriptor 0x10007fc0: extended: the second half leaves local memory");
}

TEST(Descriptor, AcceptsTheEdgesOfItsLimits) {
  Board board;
  Descriptor d = small_copy();
  d.source = 0x403f'ff98;  // 3 * 32 + 8 bytes to OCM's end
  EXPECT_EQ(board.refusal(d), "accepted");
  d = small_copy();
  d.destination = 0x1000'7fe0;
  EXPECT_EQ(board.refusal(d), "accepted");
  d = small_copy();
  d.sizes[0] = 0;  // nothing moves: no address is touched
  d.source = 0;
  EXPECT_EQ(board.refusal(d), "accepted");
  EXPECT_EQ(d.destination_elements(), 0u);
  d = small_multicast();
  d.rectangle = {1, 1, 1, 1};  // the initiator alone, without itself: no receiver
  EXPECT_EQ(board.refusal(d), "accepted");
  d = small_copy();
  d.dims = 4;
  d.sizes = {4096, 1024, 1, 1};
  d.source_strides = d.destination_strides = {};
  EXPECT_EQ(board.refusal(d), "accepted");
}

TEST(Descriptor, UnifiedMachinesReadProgramBytesAsLocalMemory) {
  AddressMap map;
  map.unified = true;
  map.instructions = {0, 32u << 10};
  map.local = {0, 32u << 10};
  Board board{.map = map};
  Descriptor d = small_copy();
  d.address = 0;
  d.source = 64;
  d.destination = 0x1000;
  const auto bytes = encode(d, map);
  std::ranges::copy(bytes, board.local.begin());
  const auto chain = parse_chain(0, board.local, board.context);
  ASSERT_TRUE(chain) << chain.error().message;
  EXPECT_EQ(chain->size(), 1u);
}

TEST(Chain, FollowsNextToItsEnd) {
  Board board;
  Descriptor d = small_copy();
  for (u32 i = 0; i < max_chain; ++i) {
    d.address = board.address(0x400 + 64 * i);
    d.next = i + 1 == max_chain ? 0 : d.address + 64;
    d.sizes[0] = static_cast<u16>(i + 1);
    board.place(d);
  }
  const auto chain = parse_chain(board.address(0x400), board.local, board.context);
  ASSERT_TRUE(chain) << chain.error().message;
  ASSERT_EQ(chain->size(), max_chain);
  EXPECT_EQ(chain->back().sizes[0], 16);

  d.next = board.address(0x400 + 64 * max_chain);
  board.place(d);
  const auto longer = parse_chain(board.address(0x400), board.local, board.context);
  ASSERT_FALSE(longer);
  EXPECT_EQ(longer.error().message,
            "descriptor 0x100007c0: next: the chain has more than 16 descriptors");

  d.next = board.address(0x440);
  board.place(d);
  const auto loop = parse_chain(board.address(0x400), board.local, board.context);
  ASSERT_FALSE(loop);
  EXPECT_EQ(loop.error().message, "descriptor 0x100007c0: next: back to 0x10000440 of the chain");
}

TEST(Chain, NamesTheDescriptorThatIsWrong) {
  Board board;
  Descriptor d = small_copy();
  d.next = board.address(0x600);
  board.place(d);
  store_bytes(board.local, 0x600, 4, 7);
  const auto chain = parse_chain(d.address, board.local, board.context);
  ASSERT_FALSE(chain);
  EXPECT_EQ(chain.error().message, "descriptor 0x10000600: operation: 7, from 0 to 5 exist");
}

TEST(Box, ReachesBothWays) {
  Descriptor d = small_copy();
  EXPECT_EQ(source_extent(d), (Extent{0x4000'0000, 0x4000'0000 + 3 * 32 + 8}));
  d.source_strides = {-32, -1, 0, 0};
  EXPECT_EQ(source_extent(d), (Extent{0x4000'0000 - 3 * 32 - 7, 0x4000'0001}));
  // The farthest corner that the fields can express stays far from 64 bits' end.
  d.dims = 4;
  d.sizes = {65535, 65535, 65535, 65535};
  d.source_strides = {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN};
  EXPECT_EQ(source_extent(d).low, 0x4000'0000 - 4 * (i64{1} << 31) * 65534);
}

TEST(Print, ShowsWhatTheDescriptorHas) {
  Descriptor d = small_gather();
  d.release_own = {2, 1};
  EXPECT_EQ(print(d),
            "address              0x10000440\n"
            "operation            gather\n"
            "element bytes        1\n"
            "sizes                4 8\n"
            "source               0x40000000\n"
            "source strides       0 1\n"
            "destination          0x10001000\n"
            "destination strides  8 1\n"
            "own release          1 on semaphore 2\n"
            "fill value           00\n"
            "out of bounds        trap\n"
            "index base           0x10000800\n"
            "index count          4\n"
            "index stride         4\n"
            "index scale          32\n"
            "index limit          100\n");
  EXPECT_THAT(print(small_multicast()), HasSubstr("columns 0..3, rows 0..3, without self\n"));
}

}  // namespace
}  // namespace simfarm::dma
