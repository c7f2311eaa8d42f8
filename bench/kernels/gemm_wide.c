// int8 GEMM, eight products an instruction: 4 x 4 sums in registers, operands interleaved by 8
// bytes ([k / 8][4][8]) so that one pointer walks four rows.
#include "bench.h"

enum { M = 32, N = 32, K = 256 };

SF_SCRATCH static uint32_t a[M * K / 4] __attribute__((aligned(64)));
// The loop fetches one operand past the end.
SF_SCRATCH static uint32_t b[N * K / 4 + 2] __attribute__((aligned(64)));
static uint32_t c[M][N];

#define PAIR(row) "%[l" #row "]", "%[h" #row "]"
#define EXPAND(macro, ...) macro(__VA_ARGS__)
#define LOAD(row) EXPAND(SF_T_LD2_STEP, PAIR(row), "%[a]", 8)
#define DOT(column, row) EXPAND(SF_T_XSDOT8, "%[c" #row #column "]", PAIR(row))
#define DOT_NEXT(column, row) EXPAND(SF_T_XSDOT8_LD, "%[c" #row #column "]", PAIR(row), "%[b]")
#define COLUMN(column) DOT(column, 0) DOT(column, 1) DOT(column, 2) DOT_NEXT(column, 3)
#define SUMS(action) \
  action(0, 0) action(1, 0) action(2, 0) action(3, 0) action(0, 1) action(1, 1) action(2, 1) \
  action(3, 1) action(0, 2) action(1, 2) action(2, 2) action(3, 2) action(0, 3) action(1, 3) \
  action(2, 3) action(3, 3)

static void multiply(const uint32_t* from_a, const uint32_t* from_b, uint32_t* to) {
#define FETCH(i, j) uint32_t c##i##j = to[i * N + j];
  SUMS(FETCH)
  uint32_t l0, h0, l1, h1, l2, h2, l3, h3;
  __asm__ volatile(
      SF_T_XLD("%[b]")  //
      SF_LOOP(0, "%[n]",
              LOAD(0) LOAD(1) LOAD(2) LOAD(3)  //
              COLUMN(0) COLUMN(1) COLUMN(2) COLUMN(3))
      : [c00] "+r"(c00), [c10] "+r"(c10), [c20] "+r"(c20), [c30] "+r"(c30), [c01] "+r"(c01),
        [c11] "+r"(c11), [c21] "+r"(c21), [c31] "+r"(c31), [c02] "+r"(c02), [c12] "+r"(c12),
        [c22] "+r"(c22), [c32] "+r"(c32), [c03] "+r"(c03), [c13] "+r"(c13), [c23] "+r"(c23),
        [c33] "+r"(c33), [a] "+r"(from_a), [b] "+r"(from_b), [l0] "=&r"(l0), [h0] "=&r"(h0),
        [l1] "=&r"(l1), [h1] "=&r"(h1), [l2] "=&r"(l2), [h2] "=&r"(h2), [l3] "=&r"(l3),
        [h3] "=r"(h3)
      : [n] "r"(K / 8)
      : "memory");
#define STORE(i, j) to[i * N + j] = c##i##j;
  SUMS(STORE)
}

SF_MAIN(arguments) {
  const uint32_t rounds = (uint32_t)sf_param(arguments, ROUNDS);
  uint32_t state = bench_start((uint32_t)sf_param(arguments, SEED), sf_pe());
  bench_fill(a, M * K / 4, &state);
  bench_fill(b, N * K / 4, &state);
  for (uint32_t round = 0; round != rounds; ++round)
    for (uint32_t i = 0; i != M; i += 4)
      for (uint32_t j = 0; j != N; j += 4) multiply(a + i * K / 4, b + j * K / 4, &c[i][j]);
  return (int)bench_checksum(0, &c[0][0], M * N);
}
