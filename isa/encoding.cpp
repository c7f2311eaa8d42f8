// Proofs about the rows, at compile time. A mistake in a row ends the build here; the number in the
// message is 1000 * the first row's Op + the second's.
#include "isa/encoding.h"

namespace simfarm {
namespace {

consteval i64 report(u32 first, u32 second) { return i64{1000} * first + second; }

/// True when the rule of `a` keeps it off every word of `b`: b fixes the bits of a field of a to a
/// value that a excludes.
consteval bool excludes(const Encoding& a, const Encoding& b) {
  for (u32 k = 0; k < a.exclusion_count; ++k) {
    const Exclusion& exclusion = a.exclusions[k];
    if ((exclusion.mask & ~b.mask) == 0 && (b.match & exclusion.mask) == exclusion.value)
      return true;
  }
  return false;
}

/// The first two rows that share a word; -1 if there are none.
consteval i64 first_overlap(u32 begin, u32 end) {
  for (u32 a = begin; a < end; ++a) {
    const Encoding& one = detail::encoding_table[a];
    for (u32 b = a + 1; b < op_count; ++b) {
      const Encoding& other = detail::encoding_table[b];
      if (((one.match ^ other.match) & one.mask & other.mask) != 0) continue;
      if (excludes(one, other) || excludes(other, one)) continue;
      return report(a, b);
    }
  }
  return -1;
}

consteval bool contains(std::string_view text, char letter) {
  return text.find(letter) != std::string_view::npos;
}

/// A compressed row gives its expansion only operands that the expansion has.
consteval bool expands(const Row& row, const Encoding& encoding) {
  if (simfarm::row(row.expands_to).compressed()) return false;
  const Encoding& full = simfarm::encoding(row.expands_to);
  for (char letter : {'d', 's', 't', 'r'}) {
    const bool both = encoding.b.width != 0 && (letter == 'd' || letter == 's');
    const bool given = both || encoding.place(letter).width != 0 || contains(row.implied, letter);
    if (given && full.place(letter).width == 0) return false;
  }
  return encoding.runs == 0 || full.runs != 0;
}

/// A row's pattern is 16 or 32 known letters, its fields are contiguous, its immediate has as many
/// letters as its format has bits, and its registers column names exactly its register fields.
consteval bool well_formed(const Row& row, const Encoding& encoding) {
  const detail::Letters letters = detail::letters_of(row.pattern);
  const u32 expected = row.compressed() ? 16 : 32;
  if (letters.width != expected) return false;
  if (((encoding.match & 3u) == 3u) == row.compressed() || (encoding.mask & 3u) != 3u) return false;
  u32 immediate_bits = 0;
  for (u32 bit = 0; bit < letters.width; ++bit) {
    if (!contains("01-dstrbij", letters.at[bit])) return false;
    immediate_bits += letters.at[bit] == 'i';
  }
  if (immediate_bits != detail::bits_of(immediate_format(row.immediate).bits).count) return false;
  for (char letter : {'d', 's', 't', 'r', 'b', 'j'}) {
    const FieldPlace place = encoding.place(letter);
    for (u32 bit = 0; bit < place.width; ++bit)
      if (letters.at[place.shift + bit] != letter) return false;
    if (letter == 'j' || place.width == 0) continue;
    const bool is_loop = row.extension == Extension::xcvhwlp && letter == 'd';
    if (is_loop ? place.width != 1 : place.width != 5 && !(row.compressed() && place.width == 3))
      return false;
  }
  if (row.compressed()) return expands(row, encoding);
  if (!contains(row.registers, '<') || encoding.b.width != 0) return false;
  for (char letter : {'d', 's', 't', 'r'})
    if ((encoding.place(letter).width == 5) != contains(row.registers, letter)) return false;
  return true;
}

consteval i64 first_malformed() {
  for (u32 k = 0; k < op_count; ++k)
    if (!well_formed(detail::row_table[k], detail::encoding_table[k])) return report(k, 0);
  return -1;
}

static_assert(first_malformed() == -1);
static_assert(first_overlap(0, op_count) == -1);

}  // namespace
}  // namespace simfarm
