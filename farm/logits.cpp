#include "farm/logits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/bytes.h"
#include "farm/compare.h"

namespace simfarm::farm {
namespace {

__extension__ typedef __int128 Real;  // in units of 2^-fraction_bits

Real integer_of(DType type, std::span<const u8> bytes) {
  const u64 raw = load_bytes(bytes, 0, static_cast<u32>(bytes.size()));
  switch (type) {
    case DType::int8:
      return static_cast<i8>(raw);
    case DType::int16:
      return static_cast<i16>(raw);
    case DType::int32:
      return static_cast<i32>(raw);
    case DType::int64:
      return static_cast<i64>(raw);
    default:
      return raw;
  }
}

/// Six decimals, cut.
std::string real_text(Real value, u32 fraction_bits) {
  const Real size = value < 0 ? -value : value;
  const Real fraction = size & ((Real{1} << fraction_bits) - 1);
  return fmt::format("{}{}.{:06}", value < 0 ? "-" : "", static_cast<u64>(size >> fraction_bits),
                     static_cast<u64>(fraction * 1'000'000 >> fraction_bits));
}

}  // namespace

std::optional<i64> fixed_point(u32 float_bits, u32 fraction_bits) {
  constexpr u32 mantissa_bits = 23, largest_shift = 29;
  const u32 exponent = float_bits >> mantissa_bits & 0xff;
  const u32 stored = float_bits & ((1u << mantissa_bits) - 1);
  if (exponent == 0xff) return std::nullopt;
  const i64 mantissa = exponent == 0 ? stored : stored | 1u << mantissa_bits;
  // The number is mantissa * 2^(max(exponent, 1) - 150).
  const i32 shift =
      static_cast<i32>(exponent == 0 ? 1 : exponent) - 150 + static_cast<i32>(fraction_bits);
  i64 value = 0;
  if (shift >= 0) {
    if (mantissa != 0 && shift > static_cast<i32>(largest_shift)) return std::nullopt;
    value = mantissa == 0 ? 0 : mantissa << shift;
  } else if (-shift <= static_cast<i32>(mantissa_bits) + 2) {
    const u32 cut = static_cast<u32>(-shift);
    const i64 rest = mantissa & ((i64{1} << cut) - 1), half = i64{1} << (cut - 1);
    value = mantissa >> cut;
    if (rest > half || (rest == half && (value & 1) != 0)) ++value;
  }
  return float_bits >> 31 != 0 ? -value : value;
}

LogitErrors logit_errors(const Reference& reference, const PlacedTensor& tensor,
                         std::span<const u8> got) {
  const LogitRule& rule = reference.rule;
  const u32 size = element_bytes(tensor.dtype);
  LogitErrors errors;
  u64 wrong = 0;
  for (u64 k = 0; k < reference.values.size(); ++k) {
    const Real q = integer_of(tensor.dtype, got.subspan(k * size, size));
    const Real real = (q - rule.zero_point) * rule.scale;
    const Real off = real - reference.values[k];
    const Real error = off < 0 ? -off : off;
    if (error <= static_cast<Real>(rule.bound)) {
      errors.sum += static_cast<u64>(error);
      continue;
    }
    if (wrong++ != 0) continue;
    errors.told = fmt::format(
        "output {}: got {}, which is {}; its reference is {}, and it may be {} off\n",
        element_place(tensor, k * size), element_text(tensor.dtype, &got[k * size]),
        real_text(real, rule.fraction_bits), real_text(reference.values[k], rule.fraction_bits),
        real_text(static_cast<Real>(rule.bound), rule.fraction_bits));
  }
  if (wrong != 0)
    errors.told +=
        fmt::format("  {} of {} elements are too far off\n", wrong, reference.values.size());
  return errors;
}

}  // namespace simfarm::farm
