// Words to test a row with: its fields at their limits, in alternating bits, and at random.
#pragma once
#include <algorithm>
#include <random>
#include <vector>

#include "isa/csr.h"
#include "isa/decode.h"
#include "isa/encoding.h"

namespace simfarm::test {

/// The row that owns a word, 16 or 32 bits wide.
inline std::optional<Op> owner(u32 word) {
  return is_compressed(word) ? find_compressed_row(static_cast<u16>(word)) : find_row(word);
}

/// Words of `op`'s row. Those whose operands happen to be illegal are left out.
inline std::vector<u32> words_of(Op op) {
  const Encoding& places = encoding(op);
  const u32 width = places.length * 8;
  const u32 all = width == 32 ? ~0u : 0xffffu;
  std::vector<u32> fills{0, ~0u, 0x55555555, 0xaaaaaaaa};
  for (char letter : {'d', 's', 't', 'r', 'b', 'j'}) {
    const u32 mask = places.place(letter).mask();
    for (u32 base : {0u, ~0u, 0x55555555u}) {
      fills.push_back(base | mask);
      fills.push_back(base & ~mask);
    }
  }
  for (u32 bit = 0; bit < width; ++bit) {
    fills.push_back(1u << bit);
    fills.push_back(~(1u << bit));
  }
  std::mt19937 random(static_cast<u32>(op));  // the same words in every run
  for (u32 k = 0; k < 64; ++k) fills.push_back(random());
  // Few csr numbers exist: all of them, first and last of each run.
  if (row(op).extension == Extension::zicsr)
    for (const CsrInfo& info : csr_table)
      for (u32 number : {u32{info.first}, u32{info.last}})
        for (u32 k = 0; k < 4; ++k) fills.push_back(number << 20 | (k == 0 ? 0 : random() >> 12));
  // '-' bits are ignored by the decoder; the encoder writes zeros, so the tests do.
  u32 ignored = 0;
  const detail::Letters letters = detail::letters_of(row(op).pattern);
  for (u32 bit = 0; bit < letters.width; ++bit)
    if (letters.at[bit] == '-') ignored |= 1u << bit;
  std::vector<u32> words;
  for (u32 fill : fills) {
    const u32 word = (fill & all & ~places.mask & ~ignored) | places.match;
    if (owner(word) == op) words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

}  // namespace simfarm::test
