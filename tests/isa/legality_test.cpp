// Which words are instructions: every 16-bit word and many 32-bit ones, against LLVM. Each kind of
// disagreement is named here with its reason; any other fails.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "isa/decode.h"
#include "isa/disassemble.h"
#include "isa/encode.h"
#include "llvm.h"
#include "words.h"

namespace simfarm {
namespace {

struct Difference {
  const char* reason;
  bool (*applies)(u32 word);
  bool legal_here;  ///< and illegal for LLVM; or the reverse
};

constexpr u32 opcode(u32 word) { return word & 0x7f; }
constexpr u32 funct3(u32 word) { return word >> 12 & 7; }

bool is_zicsr(u32 word) { return opcode(word) == 0x73 && funct3(word) != 0 && funct3(word) != 4; }

/// XCVsimd with an immediate of which the manual uses only some bits.
bool has_reserved_simd_immediate(u32 word) {
  if (opcode(word) != 0x7b) return false;
  const u32 funct6 = word >> 26;
  const u32 bytes = funct3(word) & 1;
  switch (funct6) {
    case 0b010000:
    case 0b010010:
    case 0b010100:  // srl, sra, sll .sci
      return funct3(word) >= 6 && (word >> 20 & (bytes != 0 ? 0x1c : 0x18)) != 0;
    case 0b101110:  // extract, extractu, insert
      return funct3(word) < 6 && (word >> 20 & (bytes != 0 ? 0x1e : 0x1f)) != 0;
    case 0b110000:  // shuffle.sci.h
      return funct3(word) == 6 && (word >> 20 & 0x1e) != 0;
    default:
      return false;
  }
}

const Difference wide_differences[] = {
    {"LLVM 19 does not have XCVhwlp",
     [](u32 word) { return opcode(word) == 0x2b && funct3(word) == 4; }, true},
    {"Xgp is this machine's own",
     [](u32 word) { return opcode(word) == 0x2b && funct3(word) >= 5; }, true},
    {"fence: the core, as the specification asks, ignores rd, rs1 and reserved fm",
     [](u32 word) { return opcode(word) == 0x0f && funct3(word) == 0; }, true},
    {"fence.i: the core ignores all other fields",
     [](u32 word) { return opcode(word) == 0x0f && funct3(word) == 1; }, true},
    {"a csr that the machine does not have, or a write to a read-only one, is illegal",
     [](u32 word) { return is_zicsr(word); }, false},
    {"reserved bits of SIMD immediates must be zero, as in the core's decoder",
     has_reserved_simd_immediate, false},
    {"privileged instructions without meaning on a core with machine mode alone (sret, "
     "sfence.vma...)",
     [](u32 word) { return opcode(word) == 0x73 && funct3(word) == 0; }, false},
    {"cv.bitrev has a two-bit Is3, the core checks the bits above it",
     [](u32 word) { return opcode(word) == 0x5b && funct3(word) == 1 && word >> 30 == 3; }, false},
    {"shifts by 32 or more are reserved on RV32, and illegal on the core",
     [](u32 word) {
       return opcode(word) == 0x13 && (funct3(word) & 3) == 1 && (word >> 25 & 1) != 0;
     },
     false},
};

const Difference narrow_differences[] = {
    {"the all-zero halfword, c.unimp to LLVM, is defined to be illegal",
     [](u32 word) { return word == 0; }, false},
    {"shifts by 32 or more are reserved on RV32, and illegal on the core",
     [](u32 word) { return (word & 0xf003) == 0x1002 || (word & 0xf803) == 0x9001; }, false},
    {"c.lui with a zero immediate is reserved; LLVM decodes it",
     [](u32 word) { return (word & 0xf07f) == 0x6001; }, false},
};

/// Checks agreement, and that every difference in the table was met: the list holds nothing stale.
template <u64 count>
void expect_agreement(const std::vector<u32>& words, const Difference (&table)[count]) {
  const std::vector<test::Disassembled> judged = test::llvm_disassemble(words);
  std::array<u32, count> met{};
  for (u32 k = 0; k < words.size(); ++k) {
    const bool llvm_legal = judged[k].text != "<unknown>";
    const bool legal = decode_any(words[k]).has_value();
    if (legal == llvm_legal) continue;
    bool justified = false;
    for (u32 at = 0; at < count; ++at) {
      if (table[at].legal_here != legal || !table[at].applies(words[k])) continue;
      justified = true;
      ++met[at];
    }
    EXPECT_TRUE(justified) << std::hex << words[k] << ": here " << disassemble_word(words[k])
                           << ", LLVM " << judged[k].text;
  }
  for (u32 at = 0; at < count; ++at) EXPECT_NE(met[at], 0u) << table[at].reason;
}

TEST(Legality, EveryCompressedWordAgreesWithLlvm) {
  std::vector<u32> words;
  for (u32 word = 0; word < 0x10000; ++word) {
    if (is_compressed(word)) {
      words.push_back(word);
    } else {
      EXPECT_FALSE(decode_compressed(static_cast<u16>(word)));
    }
  }
  expect_agreement(words, narrow_differences);
}

TEST(Legality, EachCompressedDifferenceIsReal) {
  for (const Difference& one : narrow_differences) {
    for (u32 word = 0; word < 0x10000; ++word) {
      if (is_compressed(word) && one.applies(word)) {
        EXPECT_EQ(decode_any(word).has_value(), one.legal_here);
      }
    }
  }
}

bool is_longer_than_32_bits(u32 word) { return (word & 0x1f) == 0x1f; }

TEST(Legality, RandomWordsAgreeWithLlvm) {
  std::mt19937 random(20240607);
  std::vector<u32> words;
  // Uniform words are nearly all illegal; those one or two bits off a row find what a decoder
  // forgets to look at.
  while (words.size() < 60'000) words.push_back(random() | 3u);
  for (const Row& one : rows()) {
    if (one.compressed()) continue;
    const Encoding& places = encoding(one.op);
    for (u32 k = 0; k < 120; ++k) {
      u32 word = (random() & ~places.mask) | places.match;
      if (k % 4 == 0)
        word = word & ~(0x1fu << 20);  // zero in the field of rs2, or what stands there
      if (k % 3 != 0) word ^= 1u << (2 + random() % 30);
      if (k % 3 == 2) word ^= 1u << (2 + random() % 30);
      words.push_back(word);
    }
  }
  // One fixed bit of each pattern changed, the rest of the word in a few fillings.
  for (const Row& one : rows()) {
    if (one.compressed()) continue;
    const Encoding& places = encoding(one.op);
    for (u32 bit = 2; bit < 32; ++bit) {
      if ((places.mask >> bit & 1) == 0) continue;
      for (u32 fill : {0u, ~0u, 0x1b5a9c6fu})
        words.push_back(((fill & ~places.mask) | places.match) ^ 1u << bit);
    }
  }
  // Longer encodings: illegal here; LLVM takes their length from other bits than it prints.
  for (u32 word : words) EXPECT_FALSE(is_longer_than_32_bits(word) && decode(word));
  std::erase_if(words, is_longer_than_32_bits);
  expect_agreement(words, wide_differences);
}

/// Bits that a row ignores when it decodes.
u32 ignored_bits(Op op) {
  const detail::Letters letters = detail::letters_of(row(op).pattern);
  u32 mask = 0;
  for (u32 bit = 0; bit < letters.width; ++bit)
    if (letters.at[bit] == '-') mask |= 1u << bit;
  return mask;
}

TEST(Legality, EncodeInvertsDecodeAcrossTheWordSpace) {
  u32 legal = 0;
  // A stride prime to 2^32 visits all fields' values; 8.4 million words.
  for (u64 word = 3; word < u64{1} << 32; word += 511) {
    const u32 here = static_cast<u32>(word) | 3u;
    const std::optional<Operation> operation = decode(here);
    if (!operation) continue;
    ++legal;
    const Result<u32> back = encode(*operation);
    ASSERT_TRUE(back) << std::hex << here;
    ASSERT_EQ(*back, here & ~ignored_bits(operation->op)) << std::hex << here;
  }
  EXPECT_GT(legal, 1'000'000u);
}

TEST(Legality, NoWordHasTwoRows) {
  // The build proves it of the patterns; here of words.
  for (const Row& one : rows()) {
    for (u32 word : test::words_of(one.op)) {
      u32 owners = 0;
      for (const Row& other : rows())
        if (other.compressed() == one.compressed()) owners += encoding(other.op).matches(word);
      EXPECT_EQ(owners, 1u) << one.name;
    }
  }
}

}  // namespace
}  // namespace simfarm
