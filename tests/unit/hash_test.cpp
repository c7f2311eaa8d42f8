#include "base/hash.h"

#include <gtest/gtest.h>

#include <vector>

namespace simfarm {
namespace {

TEST(Hash, DoesNotDependOnThePieces) {
  std::vector<u8> bytes(1000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<u8>(i * 7);
  const std::span<const u8> all(bytes);
  Digester pieces;
  for (std::size_t at = 0; at < 1000; at += 125) pieces.add(all.subspan(at, 125));
  pieces.add(all.subspan(0, 0));
  EXPECT_EQ(pieces.finish(), digest(all));
  pieces.add(u64{1});
  EXPECT_NE(pieces.finish(), digest(all));
}

TEST(Hash, KeepsItsValues) {
  // XXH3's published values of no bytes: stored digests stay comparable.
  EXPECT_EQ(hash64({}), 0x2d06'8005'38d3'94c2u);
  EXPECT_EQ(to_string(digest({})), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(Digester().finish(), digest({}));
}

TEST(Hash, DiffersByOneBit) {
  std::vector<u8> bytes(64);
  const Digest before = digest(bytes);
  bytes[63] ^= 1;
  EXPECT_NE(digest(bytes), before);
  EXPECT_NE(hash64(bytes, 1), hash64(bytes, 2));
}

}  // namespace
}  // namespace simfarm
