// int32 GEMM as a compiler writes it from three loops: two loads, mul, add, branch. MAC: with
// cv.mac, 2 x 2 sums and a hardware loop.
#include "bench.h"

enum { M = 32, N = 16, K = 64 };

SF_SCRATCH static uint32_t a[M][K];
SF_SCRATCH static uint32_t b[N][K];  // a row is a column of the right matrix
static uint32_t c[M][N];

#ifdef MAC
static void multiply(void) {
  for (uint32_t i = 0; i != M; i += 2)
    for (uint32_t j = 0; j != N; j += 2) {
      const uint32_t *p0 = a[i], *p1 = a[i + 1], *q0 = b[j], *q1 = b[j + 1];
      uint32_t x0, x1, y0, y1;
      __asm__ volatile(SF_LOOP(0, "%[n]",
                               "cv.lw %[x0], (%[p0]), 4\n cv.lw %[x1], (%[p1]), 4\n"
                               "cv.lw %[y0], (%[q0]), 4\n cv.lw %[y1], (%[q1]), 4\n"
                               "cv.mac %[c00], %[x0], %[y0]\n cv.mac %[c10], %[x1], %[y0]\n"
                               "cv.mac %[c01], %[x0], %[y1]\n cv.mac %[c11], %[x1], %[y1]")
                       : [p0] "+r"(p0), [p1] "+r"(p1), [q0] "+r"(q0), [q1] "+r"(q1),
                         [c00] "+r"(c[i][j]), [c01] "+r"(c[i][j + 1]), [c10] "+r"(c[i + 1][j]),
                         [c11] "+r"(c[i + 1][j + 1]), [x0] "=&r"(x0), [x1] "=&r"(x1),
                         [y0] "=&r"(y0), [y1] "=&r"(y1)
                       : [n] "r"(K)
                       : "memory");
    }
}
#else
__attribute__((noinline)) static void multiply(void) {
  for (uint32_t i = 0; i != M; ++i)
    for (uint32_t j = 0; j != N; ++j) {
      uint32_t sum = c[i][j];
#pragma clang loop unroll(disable)
      for (uint32_t k = 0; k != K; ++k) sum += a[i][k] * b[j][k];
      c[i][j] = sum;
    }
}
#endif

SF_MAIN(arguments) {
  const uint32_t rounds = (uint32_t)sf_param(arguments, ROUNDS);
  uint32_t state = bench_start((uint32_t)sf_param(arguments, SEED), sf_pe());
  bench_fill(&a[0][0], M * K, &state);
  bench_fill(&b[0][0], N * K, &state);
  for (uint32_t round = 0; round != rounds; ++round) multiply();
  return (int)bench_checksum(0, &c[0][0], M * N);
}
