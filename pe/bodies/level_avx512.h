// Gangs on AVX-512: one vector a gang. Only for sources compiled for it.
#pragma once
#include <immintrin.h>

#include "pe/bodies/gang.h"
#include "pe/bodies/level.h"

namespace simfarm::bodies {

struct Avx512 : Vectors<Avx512, 64> {
  using Mask = __mmask16;

  [[gnu::always_inline]] static Mask equal(N a, N b) {
    return _mm512_cmpeq_epi32_mask(__m512i(a), __m512i(b));
  }
  [[gnu::always_inline]] static Mask less(N a, N b) {
    return _mm512_cmplt_epi32_mask(__m512i(a), __m512i(b));
  }
  [[gnu::always_inline]] static Mask less_unsigned(N a, N b) {
    return _mm512_cmplt_epu32_mask(__m512i(a), __m512i(b));
  }
  [[gnu::always_inline]] static Mask invert(Mask m) { return static_cast<Mask>(~m); }
  [[gnu::always_inline]] static N select(Mask m, N a, N b) {
    return N(_mm512_mask_blend_epi32(m, __m512i(b), __m512i(a)));
  }
  [[gnu::always_inline]] static u32 bits(Mask m) { return m; }
  [[gnu::always_inline]] static Mask mask(u32 bits) { return static_cast<Mask>(bits); }

  // Forms with a mask of all lanes where g++ 12 takes the plain ones' undefined operand for a
  // mistake.
  [[gnu::always_inline]] static N rotate_right(N a, N by) {
    return N(_mm512_maskz_rorv_epi32(0xffff, __m512i(a), __m512i(by)));
  }
  [[gnu::always_inline]] static N count_ones(N a) { return N(_mm512_popcnt_epi32(__m512i(a))); }
  [[gnu::always_inline]] static N leading_zeros(N a) {
    return N(_mm512_maskz_lzcnt_epi32(0xffff, __m512i(a)));
  }

  [[gnu::always_inline]] static N min(N a, N b) {
    return N(_mm512_maskz_min_epi32(0xffff, __m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static N min(Bytes, N a, N b) {
    return N(_mm512_min_epi8(__m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static N min(Halves, N a, N b) {
    return N(_mm512_min_epi16(__m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static N max(N a, N b) {
    return N(_mm512_maskz_max_epi32(0xffff, __m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static N max(Bytes, N a, N b) {
    return N(_mm512_max_epi8(__m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static N max(Halves, N a, N b) {
    return N(_mm512_max_epi16(__m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static N min_unsigned(N a, N b) {
    return N(_mm512_maskz_min_epu32(0xffff, __m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static N min_unsigned(Bytes, N a, N b) {
    return N(_mm512_min_epu8(__m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static N min_unsigned(Halves, N a, N b) {
    return N(_mm512_min_epu16(__m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static N max_unsigned(N a, N b) {
    return N(_mm512_maskz_max_epu32(0xffff, __m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static N max_unsigned(Bytes, N a, N b) {
    return N(_mm512_max_epu8(__m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static N max_unsigned(Halves, N a, N b) {
    return N(_mm512_max_epu16(__m512i(a), __m512i(b)));
  }

  [[gnu::always_inline]] static N multiply_add(N a, N b) {
    return N(_mm512_madd_epi16(__m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static void multiply_wide(N a, N b, N& low, N& high) {
    words(_mm512_maskz_mul_epi32(0xff, __m512i(a), __m512i(b)),
          _mm512_maskz_mul_epi32(0xff, upper(a), upper(b)), low, high);
  }
  [[gnu::always_inline]] static void multiply_wide_unsigned(N a, N b, N& low, N& high) {
    words(_mm512_maskz_mul_epu32(0xff, __m512i(a), __m512i(b)),
          _mm512_maskz_mul_epu32(0xff, upper(a), upper(b)), low, high);
  }
  [[gnu::always_inline]] static N shuffle_bytes(N a, N which) {
    const __m512i first = _mm512_set4_epi32(0x0c0c'0c0c, 0x0808'0808, 0x0404'0404, 0);
    return N(_mm512_shuffle_epi8(__m512i(a), _mm512_or_si512(first, __m512i(which))));
  }

  // dot() takes unsigned bytes of a, signed ones of b. A signed byte is an unsigned one, its top
  // bit inverted, less 2^7.
  using Vectors::dot_unsigned;
  using Vectors::dot_unsigned_signed;
  [[gnu::always_inline]] static N dot_signed(Halves, N sum, N a, N b) {
    return N(_mm512_dpwssd_epi32(__m512i(sum), __m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static N dot_unsigned_signed(Bytes, N sum, N a, N b) {
    return dot(sum, a, b);
  }
  [[gnu::always_inline]] static N dot_signed(Bytes, N sum, N a, N b) {
    const N signs = value(Bytes::signs);
    return dot(sum, a ^ signs, b) - dot(N{}, signs, b);
  }
  [[gnu::always_inline]] static N dot_unsigned(Bytes, N sum, N a, N b) {
    return dot(sum, a, b ^ Bytes::signs) + (dot(N{}, a, value(Bytes::ones)) << 7);
  }

 private:
  [[gnu::always_inline]] static N dot(N sum, N a, N b) {
    return N(_mm512_dpbusd_epi32(__m512i(sum), __m512i(a), __m512i(b)));
  }
  [[gnu::always_inline]] static __m512i upper(N a) {
    return _mm512_maskz_srli_epi64(0xff, __m512i(a), 32);
  }
  /// Products of even and odd lanes, 64 bits each.
  [[gnu::always_inline]] static void words(__m512i even, __m512i odd, N& low, N& high) {
    low = N(_mm512_mask_blend_epi32(0xaaaa, even, _mm512_maskz_slli_epi64(0xff, odd, 32)));
    high = N(_mm512_mask_blend_epi32(0xaaaa, _mm512_maskz_srli_epi64(0xff, even, 32), odd));
  }
};

using GangAvx512 = GangOf<Avx512>;
/// One PE, in sources compiled for this level: Scalar's functions must not be made there.
using ScalarAvx512 = ScalarLanes<Avx512>;

}  // namespace simfarm::bodies
