// Output-stationary systolic GEMM: words of four int8 travel east and south through every PE, TILE
// of each a step. With TILE 1 there are two receives and two sends for one instruction of products.
#include "bench.h"

enum { STEPS = 256 };

SF_SCRATCH static uint32_t a[STEPS][TILE], b[STEPS][TILE];

/// One pass for a PE at the edges that the constants say.
SF_INLINE void pass(int west, int north, int east, int south, uint32_t (*sums)[TILE]) {
  uint32_t sum[TILE][TILE];
#pragma clang loop unroll(full)
  for (int i = 0; i < TILE; ++i)
#pragma clang loop unroll(full)
    for (int j = 0; j < TILE; ++j) sum[i][j] = sums[i][j];
#pragma clang loop unroll(disable)
  for (uint32_t step = 0; step != STEPS; ++step) {
    uint32_t x[TILE], y;
#pragma clang loop unroll(full)
    for (int i = 0; i < TILE; ++i) {
      x[i] = west ? a[step][i] : sf_recv(SF_WEST);
      if (!east) sf_send(SF_EAST, x[i]);
    }
#pragma clang loop unroll(full)
    for (int j = 0; j < TILE; ++j) {
      y = north ? b[step][j] : sf_recv(SF_NORTH);
      if (!south) sf_send(SF_SOUTH, y);
#pragma clang loop unroll(full)
      for (int i = 0; i < TILE; ++i) sum[i][j] = sf_sdotsp_b(sum[i][j], x[i], y);
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < TILE; ++i)
#pragma clang loop unroll(full)
    for (int j = 0; j < TILE; ++j) sums[i][j] = sum[i][j];
}

#define KIND(bits)                                         \
  case bits:                                               \
    pass((bits)&1, (bits)&2, (bits)&4, (bits)&8, sums);    \
    break;

SF_MAIN(arguments) {
  const uint32_t rounds = (uint32_t)sf_param(arguments, ROUNDS);
  const uint32_t seed = (uint32_t)sf_param(arguments, SEED);
  uint32_t state_a = bench_start(seed, 1000 + sf_row());
  uint32_t state_b = bench_start(seed, 2000 + sf_column());
  bench_fill(&a[0][0], STEPS * TILE, &state_a);
  bench_fill(&b[0][0], STEPS * TILE, &state_b);
  const uint32_t kind = (sf_column() == 0) | (sf_row() == 0) << 1 |
                        (sf_column() + 1 == sf_columns()) << 2 | (sf_row() + 1 == sf_rows()) << 3;
  uint32_t sums[TILE][TILE] = {{0}};
  for (uint32_t round = 0; round != rounds; ++round) switch (kind) {
      KIND(0)
      KIND(1)
      KIND(2)
      KIND(3)
      KIND(4)
      KIND(5)
      KIND(6)
      KIND(7)
      KIND(8)
      KIND(9)
      KIND(10)
      KIND(11)
      KIND(12)
      KIND(13)
      KIND(14)
      KIND(15)
    }
  return (int)bench_checksum(0, &sums[0][0], TILE * TILE);
}
