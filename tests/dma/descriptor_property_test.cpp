// Parsing and encoding are inverse to each other, on random descriptors and on random bytes.
#include <gtest/gtest.h>

#include "dma/box.h"
#include "dma/indices.h"
#include "tests/dma/descriptor_support.h"
#include "tests/support/random_descriptor.h"

namespace simfarm::dma {
namespace {

using test::Board;
using test::Random;

TEST(DescriptorProperty, RandomLegalDescriptorsComeBackAsTheyWere) {
  Random random(1);
  std::array<u32, 6> operations{};
  for (u32 i = 0; i < 20'000; ++i) {
    Board board;
    const auto transfer =
        random_transfer(random, board.context, 64 * static_cast<u32>(random.below(62)));
    const Descriptor& d = transfer.descriptor;
    test::place(transfer, board.map, board.local);
    const auto parsed = parse(d.address, board.local, board.context);
    ASSERT_TRUE(parsed) << "case " << i << ": " << parsed.error().message << '\n' << print(d);
    ASSERT_EQ(*parsed, d) << "case " << i;
    const auto indices = read_indices(*parsed, board.local, board.context);
    ASSERT_TRUE(indices) << "case " << i << ": " << indices.error().message << '\n' << print(d);
    if (d.source_elements() > 0) {
      ASSERT_EQ(*indices, transfer.indices);
    }
    ++operations[static_cast<u32>(d.operation)];
  }
  for (const u32 count : operations) EXPECT_GT(count, 2000u);
}

/// Parses the bytes at `offset`; what is accepted must be written back as the same bytes. Returns
/// whether it was accepted.
bool accepted_means_reproduced(const Board& board, u32 offset) {
  const auto parsed = parse(board.address(offset), board.local, board.context);
  if (!parsed) {
    EXPECT_TRUE(parsed.error().message.starts_with("descriptor 0x1000")) << parsed.error().message;
    return false;
  }
  const auto bytes = encode(*parsed, board.map);
  const std::span<const u8> there = std::span(board.local).subspan(offset, bytes.size());
  EXPECT_TRUE(std::ranges::equal(bytes, there)) << print(*parsed);
  (void)read_indices(*parsed, board.local, board.context);
  return true;
}

TEST(DescriptorProperty, RandomBytesAreAcceptedOnlyWhenTheyAreReproduced) {
  Random random(2);
  Board board;
  u32 accepted = 0;
  for (u32 i = 0; i < 50'000; ++i) {
    for (u32 k = 0; k < 128; ++k)
      board.local[k] = static_cast<u8>(random.one_in(4) ? random.next() : 0);
    accepted += accepted_means_reproduced(board, 0);
  }
  EXPECT_LT(accepted, 5000u);  // reserved bits and ranges refuse nearly all of them
}

TEST(DescriptorProperty, ChangedBitsAreAcceptedOnlyWhenTheyAreReproduced) {
  Random random(3);
  u32 accepted = 0, refused = 0;
  for (u32 i = 0; i < 20'000; ++i) {
    Board board;
    const auto transfer = random_transfer(random, board.context, 0);
    test::place(transfer, board.map, board.local);
    const u32 bytes = transfer.descriptor.extended ? 128 : 64;
    for (u64 flips = random.between(1, 3); flips-- > 0;)
      board.local[random.below(bytes)] ^= static_cast<u8>(1u << random.below(8));
    ++(accepted_means_reproduced(board, 0) ? accepted : refused);
  }
  EXPECT_GT(accepted, 1000u);
  EXPECT_GT(refused, 1000u);
}

/// Every element's address, the naive way.
Extent walk(u32 base, const std::array<u32, 4>& sizes, const std::array<i32, 4>& strides,
            u32 element) {
  Extent seen{INT64_MAX, INT64_MIN};
  for (u32 a = 0; a < sizes[0]; ++a)
    for (u32 b = 0; b < sizes[1]; ++b)
      for (u32 c = 0; c < sizes[2]; ++c)
        for (u32 d = 0; d < sizes[3]; ++d) {
          const i64 at = base + i64{a} * strides[0] + i64{b} * strides[1] + i64{c} * strides[2] +
                         i64{d} * strides[3];
          seen = {std::min(seen.low, at), std::max(seen.high, at + element)};
        }
  return seen;
}

TEST(DescriptorProperty, ExtentsAreThoseOfTheElements) {
  Random random(4);
  const Board board;
  for (u32 i = 0; i < 2000; ++i) {
    const Descriptor d = random_transfer(random, board.context, 0).descriptor;
    if (d.source_elements() == 0) continue;
    std::array<u32, 4> sources{1, 1, 1, 1}, destinations{1, 1, 1, 1};
    for (u32 k = 0; k < d.dims; ++k) {
      sources[k] = d.sizes[k];
      destinations[k] = d.destination_size(k);
    }
    EXPECT_EQ(source_extent(d), walk(d.source, sources, d.source_strides, d.element_bytes));
    EXPECT_EQ(destination_extent(d),
              walk(d.destination, destinations, d.destination_strides, d.element_bytes));
  }
}

}  // namespace
}  // namespace simfarm::dma
