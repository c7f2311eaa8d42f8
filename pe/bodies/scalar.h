// The lane context of one PE: V is u32.
#pragma once
#include <emmintrin.h>

#include "pe/bodies/body.h"

namespace simfarm::bodies {

/// `Level` tells apart what is compiled for different levels of the host's instruction set, so that
/// the linker never takes one's functions for another's; Scalar is the host's baseline.
template <class Level>
struct ScalarLanes {
  using V = u32;
  using M = bool;

  static V value(u32 constant) { return constant; }
  static V sar(V a, u32 by) { return static_cast<u32>(static_cast<i32>(a) >> by); }
  static V rotate_right(V a, u32 by) { return a >> (by & 31) | a << (-by & 31); }

  static M equal(V a, V b) { return a == b; }
  static M less(V a, V b) { return static_cast<i32>(a) < static_cast<i32>(b); }
  static M less_unsigned(V a, V b) { return a < b; }
  static M invert(M m) { return !m; }
  static V select(M m, V a, V b) { return m ? a : b; }
  static V min(V a, V b) { return less(a, b) ? a : b; }
  static V max(V a, V b) { return less(a, b) ? b : a; }
  static V min_unsigned(V a, V b) { return a < b ? a : b; }
  static V max_unsigned(V a, V b) { return a < b ? b : a; }

  static Wide<V> multiply_wide(V a, V b) {
    return words(static_cast<u64>(i64{static_cast<i32>(a)} * static_cast<i32>(b)));
  }
  static Wide<V> multiply_wide_unsigned(V a, V b) { return words(u64{a} * b); }

  // In 64 bits, -2^31 / -1 is a number as any other.
  static V divide(V a, V b) {
    return b == 0 ? ~0u : static_cast<u32>(i64{static_cast<i32>(a)} / static_cast<i32>(b));
  }
  static V remainder(V a, V b) {
    return b == 0 ? a : static_cast<u32>(i64{static_cast<i32>(a)} % static_cast<i32>(b));
  }
  static V divide_unsigned(V a, V b) { return b == 0 ? ~0u : a / b; }
  static V remainder_unsigned(V a, V b) { return b == 0 ? a : a % b; }

  static V count_ones(V a) { return static_cast<u32>(__builtin_popcount(a)); }
  static V leading_zeros(V a) { return a == 0 ? 32 : static_cast<u32>(__builtin_clz(a)); }
  static V trailing_zeros(V a) { return a == 0 ? 32 : static_cast<u32>(__builtin_ctz(a)); }

  static V shuffle_bytes(V a, u32 which) {
    V all = 0;
    for (u32 low = 0; low < 32; low += 8) all |= (a >> (8 * (which >> low & 3)) & 0xff) << low;
    return all;
  }

  // Sums of parts without carries between them: the top bits are added apart.
  template <class P>
  static V add(P, V a, V b) {
    return ((a & ~P::signs) + (b & ~P::signs)) ^ ((a ^ b) & P::signs);
  }
  template <class P>
  static V subtract(P, V a, V b) {
    return ((a | P::signs) - (b & ~P::signs)) ^ (~(a ^ b) & P::signs);
  }
  template <class P>
  static V min(P p, V a, V b) {
    return blend(mask_less(p, a, b), a, b);
  }
  template <class P>
  static V max(P p, V a, V b) {
    return blend(mask_less(p, a, b), b, a);
  }
  template <class P>
  static V min_unsigned(P p, V a, V b) {
    return blend(mask_less_unsigned(p, a, b), a, b);
  }
  template <class P>
  static V max_unsigned(P p, V a, V b) {
    return blend(mask_less_unsigned(p, a, b), b, a);
  }
  template <class P>
  static V mask_equal(P p, V a, V b) {
    // The difference's top bit, or a carry from the bits below into it: not equal.
    const V difference = a ^ b;
    return ~widen(p, (difference | ((difference & ~P::signs) + ~P::signs)) & P::signs);
  }
  template <class P>
  static V mask_less(P p, V a, V b) {
    return mask_less_unsigned(p, a ^ P::signs, b ^ P::signs);
  }
  template <class P>
  static V mask_less_unsigned(P p, V a, V b) {
    // The borrow out of a - b.
    const V difference = subtract(p, a, b);
    return widen(p, ((~a & b) | (~(a ^ b) & difference)) & P::signs);
  }

  // Parts as eight signed halves of a vector, the upper ones 0: one multiplication for all of them.
  static V dot_signed(Bytes, V sum, V a, V b) {
    return sum + products(bytes_signed(a), bytes_signed(b));
  }
  static V dot_unsigned(Bytes, V sum, V a, V b) {
    return sum + products(bytes_unsigned(a), bytes_unsigned(b));
  }
  static V dot_unsigned_signed(Bytes, V sum, V a, V b) {
    return sum + products(bytes_unsigned(a), bytes_signed(b));
  }
  static V dot_signed(Halves, V sum, V a, V b) {
    return sum + low_signed(a) * low_signed(b) + sar(a, 16) * sar(b, 16);
  }
  static V dot_unsigned(Halves, V sum, V a, V b) {
    return sum + (a & 0xffff) * (b & 0xffff) + (a >> 16) * (b >> 16);
  }
  static V dot_unsigned_signed(Halves, V sum, V a, V b) {
    return sum + (a & 0xffff) * low_signed(b) + (a >> 16) * sar(b, 16);
  }

 private:
  static Wide<V> words(u64 a) { return {static_cast<u32>(a), static_cast<u32>(a >> 32)}; }
  static V blend(V mask, V a, V b) { return (a & mask) | (b & ~mask); }
  /// Top bits of parts to whole parts.
  template <class P>
  static V widen(P, V tops) {
    return (tops << 1) - (tops >> (P::bits - 1));
  }
  static V low_signed(V a) { return sar(a << 16, 16); }
  static __m128i word(V a) { return _mm_cvtsi32_si128(static_cast<int>(a)); }
  static __m128i bytes_unsigned(V a) { return _mm_unpacklo_epi8(word(a), _mm_setzero_si128()); }
  static __m128i bytes_signed(V a) {
    return _mm_srai_epi16(_mm_unpacklo_epi8(_mm_setzero_si128(), word(a)), 8);
  }
  static V products(__m128i a, __m128i b) {
    const u64 pair = static_cast<u64>(_mm_cvtsi128_si64(_mm_madd_epi16(a, b)));
    return static_cast<u32>(pair) + static_cast<u32>(pair >> 32);
  }
};

using Scalar = ScalarLanes<void>;
static_assert(LaneContext<Scalar>);

using ScalarResult = u32 (*)(const Operands<u32>&);
using ScalarCondition = bool (*)(u32 rs1, u32 rs2, u32 imm2);

/// Bodies for one PE, for a choice at run time; null for rows that have none.
ScalarResult scalar_result(Op op);
ScalarCondition scalar_condition(Op op);

}  // namespace simfarm::bodies
