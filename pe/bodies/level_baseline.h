// Gangs on any x86-64: SSE2, four vectors a gang.
#pragma once
#include <emmintrin.h>

#include "pe/bodies/gang.h"
#include "pe/bodies/level.h"

namespace simfarm::bodies {

struct Baseline : Vectors<Baseline, 16> {
  [[gnu::always_inline]] static u32 bits(N m) {
    return static_cast<u32>(_mm_movemask_ps(_mm_castsi128_ps(__m128i(m))));
  }
  [[gnu::always_inline]] static N multiply_add(N a, N b) {
    return N(_mm_madd_epi16(__m128i(a), __m128i(b)));
  }
  [[gnu::always_inline]] static void multiply_wide_unsigned(N a, N b, N& low, N& high) {
    const __m128i even = _mm_mul_epu32(__m128i(a), __m128i(b));
    const __m128i odd =
        _mm_mul_epu32(_mm_srli_epi64(__m128i(a), 32), _mm_srli_epi64(__m128i(b), 32));
    const __m128i lower = _mm_set1_epi64x(0xffff'ffff);
    low = N(_mm_or_si128(_mm_and_si128(even, lower), _mm_slli_epi64(odd, 32)));
    high = N(_mm_or_si128(_mm_srli_epi64(even, 32), _mm_andnot_si128(lower, odd)));
  }
  [[gnu::always_inline]] static void multiply_wide(N a, N b, N& low, N& high) {
    multiply_wide_unsigned(a, b, low, high);
    high = high - (sar(a, 31u) & b) - (sar(b, 31u) & a);
  }
  [[gnu::always_inline]] static N shuffle_bytes(N a, N which) {
    return each<&One::shuffle_bytes>(a, which);
  }
};

using GangBaseline = GangOf<Baseline>;
using ScalarBaseline = ScalarLanes<Baseline>;

}  // namespace simfarm::bodies
