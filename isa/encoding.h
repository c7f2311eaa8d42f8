// The rows' patterns, compiled: what decoder, encoder and tests compute with. Everything here is a
// constant of the build; isa/encoding.cpp proves that it is well formed and that no word has two
// rows.
#pragma once
#include <array>
#include <string_view>

#include "base/types.h"
#include "isa/row.h"

namespace simfarm {

/// A contiguous field of a word; absent when width is 0.
struct FieldPlace {
  u8 shift = 0;
  u8 width = 0;

  constexpr u32 mask() const { return ((1u << width) - 1u) << shift; }
  constexpr u32 get(u32 word) const { return (word >> shift) & ((1u << width) - 1u); }
};

/// Bits [word, word + width) of the word are bits [value, value + width) of the immediate.
struct BitRun {
  u8 word = 0;
  u8 value = 0;
  u8 width = 0;
};

/// A field must not have a value: (word & mask) != value.
struct Exclusion {
  u32 mask = 0;
  u32 value = 0;
};

struct Encoding {
  u32 mask = 0;    ///< bits that the pattern fixes
  u32 match = 0;   ///< their values
  u32 length = 4;  ///< bytes
  FieldPlace d, s, t, r, b, j;
  std::array<BitRun, 8> immediate{};
  u8 runs = 0;
  i8 sign_bit = -1;  ///< of the immediate; -1 for an unsigned one
  bool second_is_signed = false;
  std::array<Exclusion, 2> exclusions{};
  u8 exclusion_count = 0;

  constexpr FieldPlace place(char letter) const {
    switch (letter) {
      case 'd':
        return d;
      case 's':
        return s;
      case 't':
        return t;
      case 'r':
        return r;
      case 'b':
        return b;
      case 'j':
        return j;
      default:
        return {};
    }
  }

  /// True when `word` is this row's, but for the rules that span several fields (isa/decode.cpp).
  constexpr bool matches(u32 word) const {
    if ((word & mask) != match) return false;
    for (u32 k = 0; k < exclusion_count; ++k)
      if ((word & exclusions[k].mask) == exclusions[k].value) return false;
    return true;
  }
};

namespace detail {

/// A number at the front of `text`, which is shortened.
constexpr u32 take_number(std::string_view& text) {
  u32 value = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    value = value * 10 + static_cast<u32>(text[0] - '0');
    text.remove_prefix(1);
  }
  return value;
}

/// The bits of "12 10:5 11" one by one, in order.
struct BitList {
  std::array<u8, 32> bit{};
  u32 count = 0;
};

constexpr BitList bits_of(std::string_view text) {
  BitList list;
  while (!text.empty()) {
    if (text[0] == ' ') {
      text.remove_prefix(1);
      continue;
    }
    const u32 high = take_number(text);
    u32 low = high;
    if (!text.empty() && text[0] == ':') {
      text.remove_prefix(1);
      low = take_number(text);
    }
    for (u32 bit = high + 1; bit-- > low;) list.bit[list.count++] = static_cast<u8>(bit);
  }
  return list;
}

/// Positions in the word of a pattern's letters, most significant first.
struct Letters {
  std::array<char, 32> at{};  ///< by bit number
  u32 width = 0;
};

constexpr Letters letters_of(std::string_view pattern) {
  Letters letters;
  for (char c : pattern) letters.width += c != ' ';
  u32 bit = letters.width;
  for (char c : pattern)
    if (c != ' ') letters.at[--bit] = c;
  return letters;
}

constexpr FieldPlace place_of(const Letters& letters, char letter) {
  FieldPlace place;
  for (u32 bit = 0; bit < letters.width; ++bit) {
    if (letters.at[bit] != letter) continue;
    if (place.width == 0) place.shift = static_cast<u8>(bit);
    ++place.width;
  }
  return place;
}

/// "t!=0": the letter's bits, as the unsigned number they form, are not that.
constexpr void add_rule(Encoding& encoding, const Letters& letters, std::string_view rule) {
  while (!rule.empty()) {
    if (rule[0] == ' ') {
      rule.remove_prefix(1);
      continue;
    }
    const char letter = rule[0];
    rule.remove_prefix(3);
    u32 number = take_number(rule);
    Exclusion exclusion;
    for (u32 bit = 0; bit < letters.width; ++bit) {
      if (letters.at[bit] != letter) continue;
      exclusion.mask |= 1u << bit;
      exclusion.value |= (number & 1u) << bit;
      number >>= 1;
    }
    encoding.exclusions[encoding.exclusion_count++] = exclusion;
  }
}

constexpr void add_immediate(Encoding& encoding, const Letters& letters,
                             const ImmediateFormat& format) {
  const BitList bits = bits_of(format.bits);
  u32 next = 0;
  for (u32 bit = letters.width; bit-- > 0;) {
    if (letters.at[bit] != 'i') continue;
    const u8 value = bits.bit[next++];
    if (encoding.runs != 0) {
      BitRun& last = encoding.immediate[encoding.runs - 1u];
      if (last.word == bit + 1 && last.value == value + 1) {
        last = {static_cast<u8>(bit), value, static_cast<u8>(last.width + 1)};
        continue;
      }
    }
    encoding.immediate[encoding.runs++] = {static_cast<u8>(bit), value, 1};
  }
  if (!format.is_signed) return;
  for (u32 k = 0; k < bits.count; ++k)
    if (static_cast<i8>(bits.bit[k]) > encoding.sign_bit)
      encoding.sign_bit = static_cast<i8>(bits.bit[k]);
}

constexpr Encoding compile(const Row& row) {
  const Letters letters = letters_of(row.pattern);
  const ImmediateFormat& format = immediate_format(row.immediate);
  Encoding encoding;
  encoding.length = letters.width / 8;
  for (u32 bit = 0; bit < letters.width; ++bit) {
    if (letters.at[bit] != '0' && letters.at[bit] != '1') continue;
    encoding.mask |= 1u << bit;
    if (letters.at[bit] == '1') encoding.match |= 1u << bit;
  }
  encoding.d = place_of(letters, 'd');
  encoding.s = place_of(letters, 's');
  encoding.t = place_of(letters, 't');
  encoding.r = place_of(letters, 'r');
  encoding.b = place_of(letters, 'b');
  encoding.j = place_of(letters, 'j');
  encoding.second_is_signed = format.second_is_signed;
  add_immediate(encoding, letters, format);
  add_rule(encoding, letters, row.rule);
  return encoding;
}

constexpr std::array<Encoding, op_count> make_encodings() {
  std::array<Encoding, op_count> table;
  for (u32 k = 0; k < op_count; ++k) table[k] = compile(row_table[k]);
  return table;
}

inline constexpr std::array<Encoding, op_count> encoding_table = make_encodings();

}  // namespace detail

/// The compiled pattern of `op`'s row.
constexpr const Encoding& encoding(Op op) { return detail::encoding_table[static_cast<u32>(op)]; }

}  // namespace simfarm
