// Hardware loops: the words, the alignment and the restrictions that the macros promise to keep.
#include "tests/support/compiled.h"

namespace simfarm::test {
namespace {

using Lines = std::vector<std::string>;

/// The instructions from the one that starts with `first` on, `count` of them.
Lines part(const Lines& lines, const std::string& first, u32 count) {
  for (u32 k = 0; k + count <= lines.size(); ++k)
    if (lines[k].starts_with(first)) return Lines(lines.begin() + k, lines.begin() + k + count);
  return {};
}

constexpr const char* dot = R"(
#include <simfarm.h>
__attribute__((used, retain, noinline)) uint32_t dot(const int8_t* p, const int8_t* q, uint32_t n) {
  uint32_t sum = 0, a, b;
  __asm__ volatile(SF_LOOP(0, "%[n]",
                           "lw %[a], 0(%[p])\n addi %[p], %[p], 4\n lw %[b], 0(%[q])\n"
                           "addi %[q], %[q], 4\n add %[sum], %[sum], %[a]\n add %[sum], %[sum], %[b]")
                   : [sum] "+r"(sum), [p] "+r"(p), [q] "+r"(q), [a] "=&r"(a), [b] "=&r"(b)
                   : [n] "r"(n) : "memory");
  return sum;
}
__attribute__((used, retain, noinline)) uint32_t twice(uint32_t a) {
  __asm__ volatile(SF_LOOP_CONST(1, "4095", "addi %0, %0, 1\n addi %0, %0, 2\n addi %0, %0, 3") : "+r"(a));
  __asm__ volatile(SF_LOOP_CONST(1, "2", "addi %0, %0, 1\n addi %0, %0, 2\n addi %0, %0, 3") : "+r"(a));
  return a;
}
SF_MAIN(a) { return (int)a->version; }
)";

TEST(SdkLoops, BodyHasNoCompressedInstructionAndTheEndIsRight) {
  for (const char* level : {"-O0", "-O2", "-O3"}) {
    const Image image = build("k.c", dot, level);
    const Lines lines = part(listing(image, "dot"), "cv.setup ", 7);
    ASSERT_EQ(lines.size(), 7u) << level;
    // Six instructions of four bytes each, so the loop ends seven words after its set-up.
    EXPECT_TRUE(lines[0].ends_with(", 0x7")) << lines[0];
    EXPECT_TRUE(lines[0].starts_with("cv.setup 0, ")) << lines[0];
    EXPECT_TRUE(lines[1].starts_with("lw ")) << lines[1];
    EXPECT_TRUE(lines[2].starts_with("addi ")) << lines[2];
    EXPECT_TRUE(lines[6].starts_with("add ")) << lines[6];

    const Lines first = part(listing(image, "twice"), "cv.setupi", 4);
    ASSERT_EQ(first.size(), 4u) << level;
    EXPECT_EQ(first[0], "cv.setupi 1, 0xfff, 0x4");
  }
}

TEST(SdkLoops, LoopsStartAtWordBoundaries) {
  const Image image = build("k.c", dot, "-O2");
  for (const char* function : {"dot", "twice"}) {
    for (const Symbol& symbol : image.symbols) {
      if (symbol.name != function) continue;
      const Segment& text = image.segments[0];
      u32 found = 0;
      for (u32 at = symbol.address - text.address;
           at + 4 <= symbol.address - text.address + symbol.size; at += 2) {
        const u32 word = text.bytes[at] | u32{text.bytes[at + 1]} << 8 |
                         u32{text.bytes[at + 2]} << 16 | u32{text.bytes[at + 3]} << 24;
        if ((word & 0x7f) != 0x2b || (word >> 12 & 7) != 4) continue;
        EXPECT_EQ((text.address + at) % 4, 0u) << function;
        ++found;
      }
      EXPECT_EQ(found, symbol.name == "dot" ? 1u : 2u);
    }
  }
}

TEST(SdkLoops, ShortBodyIsAnError) {
  Folder folder;
  folder.write("k.c", R"(
#include <simfarm.h>
void f(void);
void f(void) { __asm__ volatile(SF_LOOP_CONST(0, "9", "nop\n nop")); }
)");
  std::string output;
  EXPECT_NE(simfarm_cc(folder, "-c k.c -o k.o", output), 0);
  EXPECT_NE(output.find("a hardware loop has at least three instructions"), std::string::npos)
      << output;
}

TEST(SdkLoops, AssemblyFilesHaveTheSameInstructions) {
  const Image image = build("k.S", R"(
#include <simfarm.h>
  .globl main
  .type main, @function
main:
  sf.loop.begin
  cv.starti 1, 1f
  cv.endi 1, 4f
  cv.counti 1, 10
1:
  cv.setup 0, 10, 2f
  nop
  nop
  nop
2:
  addi a1, a1, 1
  cv.setupi 0, 5, 3f
  addi a2, a2, 1
  addi a2, a2, 2
  addi a2, a2, 3
3:
  nop
  nop
4:
  cv.start 0, 11
  cv.end 1, 12
  cv.count 0, 13
  sf.loop.end
  gp.dma a0
  gp.wait 3, a1
  gp.post a2, 9
  gp.bar SF_ROW
  gp.send SF_SOUTH, a3
  gp.recv a4, SF_NORTH
  gp.ld2 a0, a1, 16, a2
  gp.sd2 a0, a1, 24, a2
  gp.ld2.step a0, a1, a2, -16
  gp.sd2.step a0, a1, a2, 8
  gp.xset a0, a1
  gp.xld a2
  gp.xsdot8 a3, a0, a1
  gp.xudot8 a3, a0, a1
  gp.xusdot8 a3, a0, a1
  gp.xsdot8.ld a3, a0, a1, a2
  gp.xudot8.ld a3, a0, a1, a2
  gp.xusdot8.ld a3, a0, a1, a2
  gp.rqmul a0, a1, a2
  gp.lut8 a0, a1, a2
  gp.rshr a0, a1, a2
  ret
  .size main, . - main
)",
                            "");
  const Lines expected = {
      "cv.starti 1, 0x3",
      "cv.endi 1, 0xd",
      "cv.counti 1, 0xa",
      "cv.setup 0, a0, 0x4",
      "addi zero, zero, 0x0",
      "addi zero, zero, 0x0",
      "addi zero, zero, 0x0",
      "addi a1, a1, 0x1",
      "cv.setupi 0, 0x5, 0x4",
      "addi a2, a2, 0x1",
      "addi a2, a2, 0x2",
      "addi a2, a2, 0x3",
      "addi zero, zero, 0x0",
      "addi zero, zero, 0x0",
      "cv.start 0, a1",
      "cv.end 1, a2",
      "cv.count 0, a3",
      "gp.dma a0",
      "gp.wait 0x3, a1",
      "gp.post a2, 0x9",
      "gp.bar 0x1",
      "gp.send 0x2, a3",
      "gp.recv a4, 0x0",
      "gp.ld2 a0, a1, 0x10(a2)",
      "gp.sd2 a0, a1, 0x18(a2)",
      "gp.ld2 a0, a1, (a2), -0x10",
      "gp.sd2 a0, a1, (a2), 0x8",
      "gp.xset a0, a1",
      "gp.xld (a2)",
      "gp.xsdot8 a3, a0, a1",
      "gp.xudot8 a3, a0, a1",
      "gp.xusdot8 a3, a0, a1",
      "gp.xsdot8.ld a3, a0, a1, (a2)",
      "gp.xudot8.ld a3, a0, a1, (a2)",
      "gp.xusdot8.ld a3, a0, a1, (a2)",
      "gp.rqmul a0, a1, a2",
      "gp.lut8 a0, a1, a2",
      "gp.rshr a0, a1, a2",
      "jalr zero, 0x0(ra)",
  };
  EXPECT_EQ(listing(image, "main"), expected);
}

}  // namespace
}  // namespace simfarm::test
