// int8 GEMM with eight products a cycle. The PEs form a grid over the output: a PE's columns are
// held as a panel of b, its rows stream by in tiles of four.
//
// In local memory four rows are interleaved by 8 bytes, [k / 8][4][8], for a and for b. The inner
// loop then walks both with one pointer each.
#include <simfarm.h>

enum { A, B, BIAS, MULTIPLIER, SHIFT, C };
enum { ZERO_POINT };
enum { MAX_K = 1024, PANEL_BYTES = 12288, PANEL_COLUMNS = 128 };
// Own semaphores; those with two take turns with the buffers.
enum { LOADED = 0, STORED = 2, PANEL = 4 };

// The loop fetches one operand past the end of a panel: 8 bytes more, which no transfer writes.
SF_SCRATCH static int8_t panel[PANEL_BYTES + 8] __attribute__((aligned(64)));
SF_SCRATCH static int8_t rows[2][4 * MAX_K] __attribute__((aligned(64)));
// What a sum needs at its end, and where it goes: at fixed distances, so that one pointer reaches
// all.
SF_SCRATCH static int8_t out[2][4][PANEL_COLUMNS] __attribute__((aligned(64)));
SF_SCRATCH static struct {
  int32_t bias[PANEL_COLUMNS], multiplier[PANEL_COLUMNS], shift[PANEL_COLUMNS];
} channels;

#define WAIT_TURN(first, turn) \
  do {                         \
    if (turn)                  \
      sf_wait((first) + 1, 1); \
    else                       \
      sf_wait(first, 1);       \
  } while (0)

/// Rows of `bytes` each, four at a time interleaved by 8 bytes.
static void fetch_interleaved(int8_t* to, uint32_t from, uint32_t row_bytes, uint32_t row_count,
                              uint32_t semaphore) {
  sf_descriptor d = sf_dma_make(SF_DMA_COPY, 8, sf_address(to), from);
  sf_dma_dim(&d, 0, (row_count + 3) / 4, (int32_t)(4 * row_bytes), (int32_t)(4 * row_bytes));
  sf_dma_dim(&d, 1, row_count < 4 ? row_count : 4, 8, (int32_t)row_bytes);
  sf_dma_dim(&d, 2, row_bytes / 8, 32, 8);
  sf_dma_release(&d, semaphore, 1);
  sf_dma(&d);
}

static void fetch_words(int32_t* to, uint32_t from, uint32_t count) {
  sf_descriptor d = sf_dma_bytes(sf_address(to), from, 4 * count, PANEL);
  sf_dma(&d);
}

// Texts for the inner loop. A pair of registers holds 8 bytes of one row of a.
#define PAIR(row) "%[l" #row "]", "%[h" #row "]"
#define EXPAND(macro, ...) macro(__VA_ARGS__)
#define LOAD(row) EXPAND(SF_T_LD2_STEP, PAIR(row), "%[a]", 8)
#define DOT(column, row) EXPAND(SF_T_XSDOT8, "%[c" #row #column "]", PAIR(row))
#define DOT_NEXT(column, row) EXPAND(SF_T_XSDOT8_LD, "%[c" #row #column "]", PAIR(row), "%[b]")
#define COLUMN(column) DOT(column, 0) DOT(column, 1) DOT(column, 2) DOT_NEXT(column, 3)

static int8_t requantise(int32_t sum, int32_t by, int32_t amount, int32_t zero_point) {
  return (int8_t)sf_clip(sf_rshr(sf_rqmul(sum, by), (uint32_t)amount) + zero_point, 8);
}

/// Four rows by four columns; `steps` is k / 8, `channel` the first column's bias.
static inline void multiply(const int8_t* a, const int8_t* b, uint32_t steps,
                            const int32_t* channel, int32_t zero_point, int8_t* to) {
  int32_t c00, c10, c20, c30, c01, c11, c21, c31, c02, c12, c22, c32, c03, c13, c23, c33;
  c00 = c10 = c20 = c30 = channel[0];
  c01 = c11 = c21 = c31 = channel[1];
  c02 = c12 = c22 = c32 = channel[2];
  c03 = c13 = c23 = c33 = channel[3];
  uint32_t l0, h0, l1, h1, l2, h2, l3, h3;
  __asm__ volatile(
      SF_T_XLD("%[b]")  //
      SF_LOOP(0, "%[n]",
              LOAD(0) LOAD(1) LOAD(2) LOAD(3)  //
              COLUMN(0) COLUMN(1) COLUMN(2) COLUMN(3))
      : [c00] "+r"(c00), [c10] "+r"(c10), [c20] "+r"(c20), [c30] "+r"(c30), [c01] "+r"(c01),
        [c11] "+r"(c11), [c21] "+r"(c21), [c31] "+r"(c31), [c02] "+r"(c02), [c12] "+r"(c12),
        [c22] "+r"(c22), [c32] "+r"(c32), [c03] "+r"(c03), [c13] "+r"(c13), [c23] "+r"(c23),
        [c33] "+r"(c33), [a] "+r"(a), [b] "+r"(b), [l0] "=&r"(l0), [h0] "=&r"(h0), [l1] "=&r"(l1),
        [h1] "=&r"(h1), [l2] "=&r"(l2), [h2] "=&r"(h2), [l3] "=&r"(l3), [h3] "=r"(h3)
      : [n] "r"(steps)
      : "memory");
#define STORE(j)                                                           \
  do {                                                                     \
    const int32_t by = channel[PANEL_COLUMNS + j];                         \
    const int32_t amount = channel[2 * PANEL_COLUMNS + j];                 \
    to[j] = requantise(c0##j, by, amount, zero_point);                     \
    to[PANEL_COLUMNS + j] = requantise(c1##j, by, amount, zero_point);     \
    to[2 * PANEL_COLUMNS + j] = requantise(c2##j, by, amount, zero_point); \
    to[3 * PANEL_COLUMNS + j] = requantise(c3##j, by, amount, zero_point); \
  } while (0)
  STORE(0);
  STORE(1);
  STORE(2);
  STORE(3);
#undef STORE
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

SF_MAIN(arguments) {
  const sf_tensor* a = sf_tensor_at(arguments, A);
  const sf_tensor* c = sf_tensor_at(arguments, C);
  const uint32_t b_address = sf_tensor_at(arguments, B)->address;
  const uint32_t bias_address = sf_tensor_at(arguments, BIAS)->address;
  const uint32_t multiplier_address = sf_tensor_at(arguments, MULTIPLIER)->address;
  const uint32_t shift_address = sf_tensor_at(arguments, SHIFT)->address;
  const int32_t zero_point = sf_param(arguments, ZERO_POINT);
  const uint32_t m = c->shape[0], n = c->shape[1], k = a->shape[1];

  // This PE's groups of four columns, and its tiles of four rows.
  const uint32_t groups = n / 4, tiles = (m + 3) / 4;
  const uint32_t group_end = groups * (sf_column() + 1) / sf_columns();
  const uint32_t tile_begin = tiles * sf_row() / sf_rows();
  const uint32_t tile_end = tiles * (sf_row() + 1) / sf_rows();
  if (tile_begin == tile_end) return 0;
  const uint32_t most = smaller(PANEL_BYTES / (4 * k), PANEL_COLUMNS / 4);

  uint32_t pending[2] = {0, 0};  // results on their way out of out[0], out[1]
  uint32_t count;
  for (uint32_t group = groups * sf_column() / sf_columns(); group != group_end; group += count) {
    count = smaller(most, group_end - group);
    const uint32_t columns = 4 * count, column0 = 4 * group;
    // Four rows of the last tile at most; the rows behind it are computed and not stored.
    fetch_interleaved(rows[0], a->address + 4 * tile_begin * k, k, smaller(4, m - 4 * tile_begin),
                      LOADED);
    fetch_interleaved(panel, b_address + column0 * k, k, columns, PANEL);
    fetch_words(channels.bias, bias_address + 4 * column0, columns);
    fetch_words(channels.multiplier, multiplier_address + 4 * column0, columns);
    fetch_words(channels.shift, shift_address + 4 * column0, columns);
    sf_wait(PANEL, 4);

    for (uint32_t tile = tile_begin; tile != tile_end; ++tile) {
      const uint32_t turn = (tile - tile_begin) & 1;
      if (tile + 1 != tile_end)
        fetch_interleaved(rows[turn ^ 1], a->address + 4 * (tile + 1) * k, k,
                          smaller(4, m - 4 * (tile + 1)), LOADED + (turn ^ 1));
      WAIT_TURN(LOADED, turn);
      if (pending[turn]) WAIT_TURN(STORED, turn);
      for (uint32_t g = 0; g != count; ++g)
        multiply(rows[turn], panel + 4 * k * g, k / 8, channels.bias + 4 * g, zero_point,
                 &out[turn][0][4 * g]);
      sf_descriptor d =
          sf_dma_rows(c->address + 4 * tile * n + column0, (int32_t)n, sf_address(out[turn]),
                      PANEL_COLUMNS, smaller(4, m - 4 * tile), columns, STORED + turn);
      sf_dma(&d);
      pending[turn] = 1;
    }
  }
  return 0;
}
