// int8 GEMM with cv.sdotsp.b, four products an instruction: 4 x 2 sums, six loads for eight
// instructions of products. PLAIN: as a compiler writes the loop, with a branch.
#include "bench.h"

enum { M = 32, N = 32, K = 256, WORDS = K / 4 };

SF_SCRATCH static uint32_t a[M][WORDS] __attribute__((aligned(64)));
SF_SCRATCH static uint32_t b[N][WORDS] __attribute__((aligned(64)));
static uint32_t c[M][N];

static void multiply(const uint32_t* p0, const uint32_t* q0, uint32_t* to) {
  const uint32_t *p1 = p0 + WORDS, *p2 = p1 + WORDS, *p3 = p2 + WORDS, *q1 = q0 + WORDS;
  uint32_t c00 = to[0], c10 = to[N], c20 = to[2 * N], c30 = to[3 * N];
  uint32_t c01 = to[1], c11 = to[N + 1], c21 = to[2 * N + 1], c31 = to[3 * N + 1];
#ifdef PLAIN
  for (const uint32_t* end = p1; p0 != end;) {
    const uint32_t x0 = *p0++, x1 = *p1++, x2 = *p2++, x3 = *p3++, y0 = *q0++, y1 = *q1++;
    c00 = sf_sdotsp_b(c00, x0, y0);
    c10 = sf_sdotsp_b(c10, x1, y0);
    c20 = sf_sdotsp_b(c20, x2, y0);
    c30 = sf_sdotsp_b(c30, x3, y0);
    c01 = sf_sdotsp_b(c01, x0, y1);
    c11 = sf_sdotsp_b(c11, x1, y1);
    c21 = sf_sdotsp_b(c21, x2, y1);
    c31 = sf_sdotsp_b(c31, x3, y1);
  }
#else
  uint32_t x0, x1, x2, x3, y0, y1;
  __asm__ volatile(SF_LOOP(0, "%[n]",
                           "cv.lw %[x0], (%[p0]), 4\n cv.lw %[x1], (%[p1]), 4\n"
                           "cv.lw %[x2], (%[p2]), 4\n cv.lw %[x3], (%[p3]), 4\n"
                           "cv.lw %[y0], (%[q0]), 4\n cv.lw %[y1], (%[q1]), 4\n"
                           "cv.sdotsp.b %[c00], %[x0], %[y0]\n cv.sdotsp.b %[c10], %[x1], %[y0]\n"
                           "cv.sdotsp.b %[c20], %[x2], %[y0]\n cv.sdotsp.b %[c30], %[x3], %[y0]\n"
                           "cv.sdotsp.b %[c01], %[x0], %[y1]\n cv.sdotsp.b %[c11], %[x1], %[y1]\n"
                           "cv.sdotsp.b %[c21], %[x2], %[y1]\n cv.sdotsp.b %[c31], %[x3], %[y1]")
                   : [p0] "+r"(p0), [p1] "+r"(p1), [p2] "+r"(p2), [p3] "+r"(p3), [q0] "+r"(q0),
                     [q1] "+r"(q1), [c00] "+r"(c00), [c10] "+r"(c10), [c20] "+r"(c20),
                     [c30] "+r"(c30), [c01] "+r"(c01), [c11] "+r"(c11), [c21] "+r"(c21),
                     [c31] "+r"(c31), [x0] "=&r"(x0), [x1] "=&r"(x1), [x2] "=&r"(x2),
                     [x3] "=&r"(x3), [y0] "=&r"(y0), [y1] "=&r"(y1)
                   : [n] "r"(WORDS)
                   : "memory");
#endif
  to[0] = c00, to[N] = c10, to[2 * N] = c20, to[3 * N] = c30;
  to[1] = c01, to[N + 1] = c11, to[2 * N + 1] = c21, to[3 * N + 1] = c31;
}

SF_MAIN(arguments) {
  const uint32_t rounds = (uint32_t)sf_param(arguments, ROUNDS);
  uint32_t state = bench_start((uint32_t)sf_param(arguments, SEED), sf_pe());
  bench_fill(&a[0][0], M * WORDS, &state);
  bench_fill(&b[0][0], N * WORDS, &state);
  for (uint32_t round = 0; round != rounds; ++round)
    for (uint32_t i = 0; i != M; i += 4)
      for (uint32_t j = 0; j != N; j += 2) multiply(a[i], b[j], &c[i][j]);
  return (int)bench_checksum(0, &c[0][0], M * N);
}
