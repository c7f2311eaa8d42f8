// Gangs on AVX2: two vectors a gang. Only for sources compiled for it.
#pragma once
#include <immintrin.h>

#include "pe/bodies/gang.h"
#include "pe/bodies/level.h"

namespace simfarm::bodies {

struct Avx2 : Vectors<Avx2, 32> {
  [[gnu::always_inline]] static u32 bits(N m) {
    return static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(__m256i(m))));
  }
  // The compiler does not make these of comparisons.
  [[gnu::always_inline]] static N min(N a, N b) {
    return N(_mm256_min_epi32(__m256i(a), __m256i(b)));
  }
  [[gnu::always_inline]] static N min(Bytes, N a, N b) {
    return N(_mm256_min_epi8(__m256i(a), __m256i(b)));
  }
  [[gnu::always_inline]] static N min(Halves, N a, N b) {
    return N(_mm256_min_epi16(__m256i(a), __m256i(b)));
  }
  [[gnu::always_inline]] static N max(N a, N b) {
    return N(_mm256_max_epi32(__m256i(a), __m256i(b)));
  }
  [[gnu::always_inline]] static N max(Bytes, N a, N b) {
    return N(_mm256_max_epi8(__m256i(a), __m256i(b)));
  }
  [[gnu::always_inline]] static N max(Halves, N a, N b) {
    return N(_mm256_max_epi16(__m256i(a), __m256i(b)));
  }
  [[gnu::always_inline]] static N min_unsigned(N a, N b) {
    return N(_mm256_min_epu32(__m256i(a), __m256i(b)));
  }
  [[gnu::always_inline]] static N min_unsigned(Bytes, N a, N b) {
    return N(_mm256_min_epu8(__m256i(a), __m256i(b)));
  }
  [[gnu::always_inline]] static N min_unsigned(Halves, N a, N b) {
    return N(_mm256_min_epu16(__m256i(a), __m256i(b)));
  }
  [[gnu::always_inline]] static N max_unsigned(N a, N b) {
    return N(_mm256_max_epu32(__m256i(a), __m256i(b)));
  }
  [[gnu::always_inline]] static N max_unsigned(Bytes, N a, N b) {
    return N(_mm256_max_epu8(__m256i(a), __m256i(b)));
  }
  [[gnu::always_inline]] static N max_unsigned(Halves, N a, N b) {
    return N(_mm256_max_epu16(__m256i(a), __m256i(b)));
  }

  [[gnu::always_inline]] static N multiply_add(N a, N b) {
    return N(_mm256_madd_epi16(__m256i(a), __m256i(b)));
  }
  [[gnu::always_inline]] static void multiply_wide(N a, N b, N& low, N& high) {
    words(_mm256_mul_epi32(__m256i(a), __m256i(b)), _mm256_mul_epi32(upper(a), upper(b)), low,
          high);
  }
  [[gnu::always_inline]] static void multiply_wide_unsigned(N a, N b, N& low, N& high) {
    words(_mm256_mul_epu32(__m256i(a), __m256i(b)), _mm256_mul_epu32(upper(a), upper(b)), low,
          high);
  }
  [[gnu::always_inline]] static N shuffle_bytes(N a, N which) {
    const __m256i first = _mm256_setr_epi32(0, 0x0404'0404, 0x0808'0808, 0x0c0c'0c0c,  //
                                            0, 0x0404'0404, 0x0808'0808, 0x0c0c'0c0c);
    return N(_mm256_shuffle_epi8(__m256i(a), _mm256_or_si256(first, __m256i(which))));
  }

 private:
  [[gnu::always_inline]] static __m256i upper(N a) { return _mm256_srli_epi64(__m256i(a), 32); }
  /// Products of even and odd lanes, 64 bits each.
  [[gnu::always_inline]] static void words(__m256i even, __m256i odd, N& low, N& high) {
    low = N(_mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa));
    high = N(_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa));
  }
};

using GangAvx2 = GangOf<Avx2>;
/// One PE, in sources compiled for this level: Scalar's functions must not be made there.
using ScalarAvx2 = ScalarLanes<Avx2>;

}  // namespace simfarm::bodies
