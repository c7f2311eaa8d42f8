// Output-stationary systolic GEMM with a tile of 4 x 4 outputs in the registers of each PE. One
// pass of the array computes (4 * rows) x (4 * columns) outputs.
#include <simfarm.h>

enum { A, B, C };
enum { TILE = 4, MAX_K = 1024 };
// Own semaphores, two of each because buffers take turns.
enum { A_LOADED = 0, B_LOADED = 2, STORED = 4 };

// Operands at the west and north edges: [k / 8][4][8].
SF_SCRATCH static int8_t a_rows[2][TILE * MAX_K] __attribute__((aligned(64)));
SF_SCRATCH static int8_t b_rows[2][TILE * MAX_K] __attribute__((aligned(64)));
SF_SCRATCH static int32_t results[2][TILE][TILE] __attribute__((aligned(64)));

#define WAIT_TURN(first, turn) \
  do {                         \
    if (turn)                  \
      sf_wait((first) + 1, 1); \
    else                       \
      sf_wait(first, 1);       \
  } while (0)

/// Four rows, interleaved by 8 bytes.
static void fetch(int8_t* to, uint32_t from, uint32_t k, uint32_t semaphore) {
  sf_descriptor d = sf_dma_make(SF_DMA_COPY, 8, sf_address(to), from);
  sf_dma_dim(&d, 0, TILE, 8, (int32_t)k);
  sf_dma_dim(&d, 1, k / 8, 8 * TILE, 8);
  sf_dma_release(&d, semaphore, 1);
  sf_dma(&d);
}

/// One pass for a PE at the edges that the constants say. Loops over the tile are unrolled, so that
/// the sums are registers.
static inline __attribute__((always_inline)) void pass(int west_edge, int north_edge, int east_edge,
                                                       int south_edge, const int8_t* a,
                                                       const int8_t* b, uint32_t steps,
                                                       int32_t (*to)[TILE]) {
  int32_t sum[TILE][TILE] = {{0}};
  while (steps-- != 0) {
    uint32_t lo[TILE], hi[TILE];
#pragma clang loop unroll(full)
    for (int i = 0; i < TILE; ++i) {
      if (west_edge) {
        sf_ld2_step(lo[i], hi[i], a, 8);
      } else {
        lo[i] = sf_recv(SF_WEST);
        hi[i] = sf_recv(SF_WEST);
      }
    }
#pragma clang loop unroll(full)
    for (int i = 0; i < TILE && !east_edge; ++i) {
      sf_send(SF_EAST, lo[i]);
      sf_send(SF_EAST, hi[i]);
    }
#pragma clang loop unroll(full)
    for (int j = 0; j < TILE; ++j) {
      uint32_t b_lo, b_hi;
      if (north_edge) {
        sf_ld2_step(b_lo, b_hi, b, 8);
      } else {
        b_lo = sf_recv(SF_NORTH);
        b_hi = sf_recv(SF_NORTH);
      }
      sf_xset(b_lo, b_hi);
      sf_xsdot8(sum[0][j], lo[0], hi[0]);
      sf_xsdot8(sum[1][j], lo[1], hi[1]);
      sf_xsdot8(sum[2][j], lo[2], hi[2]);
      sf_xsdot8(sum[3][j], lo[3], hi[3]);
      if (!south_edge) {
        sf_send(SF_SOUTH, b_lo);
        sf_send(SF_SOUTH, b_hi);
      }
    }
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < TILE; ++i)
#pragma clang loop unroll(full)
    for (int j = 0; j < TILE; ++j) to[i][j] = sum[i][j];
}

SF_MAIN(arguments) {
  const sf_tensor* c = sf_tensor_at(arguments, C);
  const uint32_t a_address = sf_tensor_at(arguments, A)->address;
  const uint32_t b_address = sf_tensor_at(arguments, B)->address;
  const uint32_t m = c->shape[0], n = c->shape[1], k = sf_tensor_at(arguments, A)->shape[1];
  const uint32_t row = sf_row(), column = sf_column();
  const uint32_t m_step = TILE * sf_rows(), n_step = TILE * sf_columns();
  const int west = column == 0, north = row == 0;
  const int kind =
      west | north << 1 | (column + 1 == sf_columns()) << 2 | (row + 1 == sf_rows()) << 3;

  uint32_t a_turn = 0, b_turn = 0, stored = 0;
  if (west) fetch(a_rows[0], a_address + TILE * row * k, k, A_LOADED);
  if (north) fetch(b_rows[0], b_address + TILE * column * k, k, B_LOADED);
  for (uint32_t i = TILE * row; i < m; i += m_step) {
    if (west) {
      if (i + m_step < m)
        fetch(a_rows[a_turn ^ 1], a_address + (i + m_step) * k, k, A_LOADED + (a_turn ^ 1));
      WAIT_TURN(A_LOADED, a_turn);
    }
    for (uint32_t j = TILE * column; j < n; j += n_step) {
      if (north) {
        // The next rows of b, from the first again when a new row of tiles begins.
        const uint32_t next = j + n_step < n ? j + n_step : TILE * column;
        if (next > j || i + m_step < m)
          fetch(b_rows[b_turn ^ 1], b_address + next * k, k, B_LOADED + (b_turn ^ 1));
        WAIT_TURN(B_LOADED, b_turn);
      }
      const uint32_t turn = stored & 1;
      if (stored >= 2) WAIT_TURN(STORED, turn);
#define KIND(bits)                                                                      \
  case bits:                                                                            \
    pass((bits)&1, (bits)&2, (bits)&4, (bits)&8, a_rows[a_turn], b_rows[b_turn], k / 8, \
         results[turn]);                                                                \
    break
      switch (kind) {
        KIND(0);
        KIND(1);
        KIND(2);
        KIND(3);
        KIND(4);
        KIND(5);
        KIND(6);
        KIND(7);
        KIND(8);
        KIND(9);
        KIND(10);
        KIND(11);
        KIND(12);
        KIND(13);
        KIND(14);
        KIND(15);
      }
      sf_descriptor d =
          sf_dma_rows(c->address + 4 * (i * n + j), (int32_t)(4 * n), sf_address(results[turn]),
                      4 * TILE, TILE, 4 * TILE, STORED + turn);
      sf_dma(&d);
      ++stored;
      b_turn ^= 1;
    }
    a_turn ^= 1;
  }
  return 0;
}
