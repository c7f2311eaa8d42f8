// Compiled with AVX2; called only where the host has it.
#include <immintrin.h>

#include "bench/native.h"
#include "bench/native_loops.h"

namespace simfarm::bench {
namespace {

struct Words {
  using Vector = __m256i;
  static constexpr int lanes = 8;
  static Vector load(const unsigned* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void store(unsigned* to, Vector value) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
  }
  static Vector broadcast(unsigned word) { return _mm256_set1_epi32(static_cast<int>(word)); }
  static Vector multiply_add(Vector sum, Vector a, Vector b) {
    return _mm256_add_epi32(sum, _mm256_mullo_epi32(a, b));
  }
};

struct Pairs : Words {
  static Vector multiply_add(Vector sum, Vector a, Vector b) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  }
};

}  // namespace

const NativeLoops native_avx2 = {"avx2", native_detail::gemm<Pairs, 32, 32, 128, 4, 2>,
                                 native_detail::gemm<Words, 32, 16, 64, 4, 2>};

}  // namespace simfarm::bench
