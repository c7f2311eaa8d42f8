// Every row, over its operands: encoder, decoder and disassembler against LLVM, in both directions.
#include <gtest/gtest.h>

#include "isa/disassemble.h"
#include "isa/encode.h"
#include "llvm.h"
#include "words.h"

namespace simfarm {
namespace {

using test::batch_start;
using test::slot;

/// LLVM 19 has no hardware loops, and Xgp is ours.
bool llvm_knows(const Row& one) {
  return one.extension != Extension::xcvhwlp && one.extension != Extension::xgp;
}

/// A fence's upper bits (fm) other than 0 and fence.tso are reserved: legal here, as on the core
/// and by the specification; LLVM decodes none of them.
bool is_reserved_fence(u32 word) {
  return (word & 0x7f) == 0x0f && (word >> 28) != 0 && (word >> 20) != 0x833;
}

/// LLVM writes a negative immediate of the hint "c.lui zero" as its assembler does not read it;
/// ours is written like that of any c.lui.
bool is_unreadable_hint(u32 word) { return (word & 0xff83) == 0x7001; }

struct Case {
  Op op;
  u32 word;
};

std::vector<Case> all_cases(bool compressed) {
  std::vector<Case> cases;
  for (const Row& one : rows()) {
    if (one.compressed() != compressed) continue;
    for (u32 word : test::words_of(one.op)) cases.push_back({one.op, word});
  }
  return cases;
}

TEST(Rows, EachHasManyWords) {
  for (const Row& one : rows()) {
    const u64 open = one.pattern.find_first_of("dstrbij");
    // A pattern without open bits is one word.
    EXPECT_GE(test::words_of(one.op).size(), open == std::string_view::npos ? 1u : 2u) << one.name;
  }
}

TEST(Rows, EncodeInvertsDecode) {
  for (const Case& one : all_cases(false)) {
    const std::optional<Operation> operation = decode(one.word);
    ASSERT_TRUE(operation);
    EXPECT_EQ(operation->op, one.op);
    EXPECT_EQ(operation->length, 4);
    const Result<u32> word = encode(*operation);
    ASSERT_TRUE(word) << word.error().message;
    EXPECT_EQ(*word, one.word) << row(one.op).name;
  }
}

TEST(Rows, EncodeInvertsDecodeCompressed) {
  for (const Case& one : all_cases(true)) {
    const std::optional<Operation> operation = decode_compressed(static_cast<u16>(one.word));
    ASSERT_TRUE(operation);
    EXPECT_EQ(operation->op, row(one.op).expands_to);
    EXPECT_EQ(operation->length, 2);
    const Result<u16> word = encode_compressed(one.op, *operation);
    ASSERT_TRUE(word) << word.error().message;
    EXPECT_EQ(*word, one.word) << row(one.op).name;
    // The expansion is an instruction of its own, with the same operands.
    const Result<u32> wide = encode(*operation);
    ASSERT_TRUE(wide) << wide.error().message;
    Operation expanded = *operation;
    expanded.length = 4;
    EXPECT_EQ(decode(*wide), expanded) << row(one.op).name;
  }
}

void expect_text_equals_llvm(bool compressed) {
  std::vector<u32> words;
  for (const Case& one : all_cases(compressed))
    if (llvm_knows(row(one.op)) && !is_reserved_fence(one.word)) words.push_back(one.word);
  const std::vector<test::Disassembled> judged = test::llvm_disassemble(words);
  for (u32 k = 0; k < words.size(); ++k) {
    ASSERT_EQ(judged[k].word, words[k]);
    if (is_unreadable_hint(words[k])) continue;
    EXPECT_EQ(disassemble_word(words[k], batch_start + k * slot), judged[k].text)
        << std::hex << words[k];
  }
  testing::Test::RecordProperty("words", static_cast<int>(words.size()));
}

TEST(Rows, TextEqualsLlvm) { expect_text_equals_llvm(false); }
TEST(Rows, TextEqualsLlvmCompressed) { expect_text_equals_llvm(true); }

void expect_llvm_assembles_text(bool compressed) {
  std::vector<u32> words;
  std::vector<std::string> lines;
  for (const Case& one : all_cases(compressed)) {
    if (!llvm_knows(row(one.op)) || is_reserved_fence(one.word)) continue;
    words.push_back(one.word);
    lines.push_back(disassemble_word(one.word));
  }
  const std::vector<u32> assembled = test::llvm_assemble(lines, compressed);
  for (u32 k = 0; k < words.size(); ++k) EXPECT_EQ(assembled[k], words[k]) << lines[k];
}

TEST(Rows, LlvmAssemblesOurText) { expect_llvm_assembles_text(false); }
TEST(Rows, LlvmAssemblesOurTextCompressed) { expect_llvm_assembles_text(true); }

TEST(Rows, LlvmDecodesNothingInOurSpace) {
  std::vector<u32> words;
  for (const Case& one : all_cases(false))
    if (!llvm_knows(row(one.op))) words.push_back(one.word);
  for (const test::Disassembled& judged : test::llvm_disassemble(words))
    EXPECT_EQ(judged.text, "<unknown>") << std::hex << judged.word;
}

TEST(Rows, WhatIsCompressedExpandsBack) {
  u32 found = 0;
  for (const Case& one : all_cases(false)) {
    const Operation operation = *decode(one.word);
    const std::optional<u16> half = compress(operation);
    if (!half) continue;
    ++found;
    Operation expanded = *decode_compressed(*half);
    EXPECT_EQ(expanded.length, 2);
    expanded.length = 4;
    EXPECT_EQ(expanded, operation);
  }
  EXPECT_GT(found, 0u);
  for (const Case& one : all_cases(true)) {
    if (row(one.op).meaning.ends_with("hint")) continue;
    EXPECT_TRUE(compress(*decode_compressed(static_cast<u16>(one.word)))) << std::hex << one.word;
  }
}

}  // namespace
}  // namespace simfarm
