#include "decoder/program_code.h"

#include <gtest/gtest.h>

#include <random>

#include "isa/decode.h"

namespace simfarm {
namespace {

Segment code_segment(u32 address, std::vector<u8> bytes, u32 memory_bytes) {
  Segment segment;
  segment.address = address;
  segment.bytes = std::move(bytes);
  segment.memory_bytes = memory_bytes;
  segment.executable = true;
  return segment;
}

TEST(DecodedImage, AgreesWithTheDecoderAtEveryHalfword) {
  std::mt19937 random(3);
  std::vector<u8> bytes(4096);
  for (u8& byte : bytes) byte = static_cast<u8>(random());
  const DecodedImage code(0x400000, bytes);
  for (u32 k = 0; k + 4 <= bytes.size(); k += 2) {
    const u32 word = bytes[k] | bytes[k + 1] << 8 | bytes[k + 2] << 16 | u32{bytes[k + 3]} << 24;
    const Operation* here = code.at(0x400000 + k);
    ASSERT_TRUE(here);
    EXPECT_EQ(code.word_at(0x400000 + k), is_compressed(word) ? word & 0xffff : word);
    const std::optional<Operation> expected = decode_any(word);
    if (expected) {
      EXPECT_EQ(*here, *expected);
    } else {
      EXPECT_EQ(here->op, illegal_op);
    }
  }
}

TEST(DecodedImage, NothingIsFetchedOutsideOrAtOddAddresses) {
  const DecodedImage code(0x1000, {0x13, 0, 0, 0, 0x01, 0x00});
  EXPECT_TRUE(code.at(0x1000));
  EXPECT_TRUE(code.at(0x1004));
  EXPECT_FALSE(code.at(0x1001));
  EXPECT_FALSE(code.at(0x0ffe));
  EXPECT_FALSE(code.at(0x1006));
  EXPECT_FALSE(code.at(0xfffffffe));
  EXPECT_EQ(code.word_at(0x1006), 0u);
  EXPECT_FALSE(DecodedImage().at(0));
}

TEST(DecodedImage, AnInstructionCutOffByTheEndIsNotFetched) {
  const DecodedImage code(0x1000, {0x01, 0x00, 0x13, 0x00});
  EXPECT_TRUE(code.at(0x1000));
  EXPECT_FALSE(code.at(0x1002));
}

TEST(DecodedImage, SegmentsThatTouchAreOnePiece) {
  Image image;
  image.segments.push_back(code_segment(0x1000, {0x01, 0x00, 0x13, 0x05}, 4));
  image.segments.push_back(code_segment(0x1004, {0x10, 0x00}, 4));  // and two bytes of zeros
  image.segments.push_back(code_segment(0x9000, {0x01, 0x00}, 2));
  Segment data = code_segment(0x2000, {0x13, 0, 0, 0}, 4);
  data.executable = false;
  image.segments.push_back(data);
  const DecodedImage code(image);
  ASSERT_EQ(code.pieces().size(), 2u);
  ASSERT_TRUE(code.at(0x1002));
  EXPECT_EQ(code.at(0x1002)->op, Op::ADDI);
  EXPECT_EQ(code.at(0x1002)->imm, 1);
  EXPECT_EQ(code.word_at(0x1002), 0x00100513u);
  ASSERT_TRUE(code.at(0x1006));  // the all-zero halfword is no instruction
  EXPECT_EQ(code.at(0x1006)->op, illegal_op);
  EXPECT_FALSE(code.at(0x1008));
  EXPECT_FALSE(code.at(0x2000));
  EXPECT_TRUE(code.at(0x9000));
}

}  // namespace
}  // namespace simfarm
