// A block of whole rows at a time when they are short, one transfer in and one out; a part of a row
// when there are fewer rows than PEs.
#include <simfarm.h>

enum { X, SUM };
enum { PIECE = 4096, MAX_ROWS = 256 };

SF_SCRATCH static int16_t piece[PIECE];
SF_SCRATCH static int32_t results[MAX_ROWS];

static int32_t sum_of(const int16_t* from, uint32_t count) {
  int32_t total = 0;
  for (uint32_t i = 0; i < count; ++i) total += from[i];
  return total;
}

/// Rows that many PEs share: each adds its part where the result lies.
static void share(const sf_tensor* x, const sf_tensor* sum) {
  const uint32_t rows = x->shape[0], columns = x->shape[1];
  const uint32_t pes = sf_pes() / rows;  // of a row
  const uint32_t row = sf_pe() / pes, part = sf_pe() % pes;
  results[0] = 0;
  if (part == 0 && row < rows) sf_copy(sum->address + 4 * row, sf_address(results), 4);
  sf_barrier(SF_ALL);
  if (row >= rows) return;
  const uint32_t end = columns * (part + 1) / pes;
  for (uint32_t at = columns * part / pes; at < end; at += PIECE) {
    const uint32_t count = end - at < PIECE ? end - at : PIECE;
    sf_copy(sf_address(piece), x->address + row * x->stride[0] + 2 * at, 2 * count);
    results[0] += sum_of(piece, count);
  }
  sf_descriptor d = sf_dma_make(SF_DMA_ADD_I32, 4, sum->address + 4 * row, sf_address(results));
  sf_dma_dim(&d, 0, 1, 4, 4);
  sf_dma_release(&d, 0, 1);
  sf_dma(&d);
  sf_wait(0, 1);
}

SF_MAIN(arguments) {
  const sf_tensor* x = sf_tensor_at(arguments, X);
  const sf_tensor* sum = sf_tensor_at(arguments, SUM);
  const uint32_t rows = x->shape[0], columns = x->shape[1];
  if (columns > PIECE && rows <= sf_pes()) {
    share(x, sum);
    return 0;
  }
  const uint32_t end = rows * (sf_pe() + 1) / sf_pes();
  uint32_t block = columns > PIECE ? 0 : PIECE / columns;
  if (block > MAX_ROWS) block = MAX_ROWS;
  for (uint32_t row = rows * sf_pe() / sf_pes(); row < end;) {
    const uint32_t count = block == 0 ? 1 : end - row < block ? end - row : block;
    if (block == 0) {
      results[0] = 0;
      for (uint32_t at = 0; at < columns; at += PIECE) {
        const uint32_t some = columns - at < PIECE ? columns - at : PIECE;
        sf_copy(sf_address(piece), x->address + row * x->stride[0] + 2 * at, 2 * some);
        results[0] += sum_of(piece, some);
      }
    } else {
      sf_copy(sf_address(piece), x->address + row * x->stride[0], 2 * columns * count);
      for (uint32_t k = 0; k < count; ++k) results[k] = sum_of(piece + k * columns, columns);
    }
    sf_copy(sum->address + 4 * row, sf_address(results), 4 * count);
    row += count;
  }
  return 0;
}
