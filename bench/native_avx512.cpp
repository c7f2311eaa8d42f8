// Compiled with AVX-512 (F, BW, VNNI); called only where the host has them.
#include <immintrin.h>

#include "bench/native.h"
#include "bench/native_loops.h"

namespace simfarm::bench {
namespace {

struct Words {
  using Vector = __m512i;
  static constexpr int lanes = 16;
  static Vector load(const unsigned* from) { return _mm512_loadu_si512(from); }
  static void store(unsigned* to, Vector value) { _mm512_storeu_si512(to, value); }
  static Vector broadcast(unsigned word) { return _mm512_set1_epi32(static_cast<int>(word)); }
  static Vector multiply_add(Vector sum, Vector a, Vector b) {
    return _mm512_add_epi32(sum, _mm512_mullo_epi32(a, b));
  }
};

struct Pairs : Words {
  static Vector multiply_add(Vector sum, Vector a, Vector b) {
    return _mm512_dpwssd_epi32(sum, a, b);
  }
};

}  // namespace

const NativeLoops native_avx512 = {"avx512-vnni", native_detail::gemm<Pairs, 32, 32, 128, 8, 2>,
                                   native_detail::gemm<Words, 32, 16, 64, 16, 1>};

}  // namespace simfarm::bench
