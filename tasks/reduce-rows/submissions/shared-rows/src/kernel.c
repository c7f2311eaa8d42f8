// Every row is shared by all PEs: each sums a part, and adds it to the result where that lies.
#include <simfarm.h>

enum { X, SUM };
enum { PIECE = 1024 };

SF_SCRATCH static int16_t piece[PIECE];
SF_SCRATCH static int32_t result;

SF_MAIN(arguments) {
  const sf_tensor* x = sf_tensor_at(arguments, X);
  const sf_tensor* sum = sf_tensor_at(arguments, SUM);
  const uint32_t rows = x->shape[0], columns = x->shape[1];
  const uint32_t begin = columns * sf_pe() / sf_pes();
  const uint32_t end = columns * (sf_pe() + 1) / sf_pes();

  // Zeros first: what is added needs something to be added to.
  result = 0;
  for (uint32_t row = sf_pe(); row < rows; row += sf_pes())
    sf_copy(sum->address + 4 * row, sf_address(&result), 4);
  sf_barrier(SF_ALL);

  for (uint32_t row = 0; row < rows && begin != end; ++row) {
    int32_t total = 0;
    for (uint32_t at = begin; at < end; at += PIECE) {
      const uint32_t count = end - at < PIECE ? end - at : PIECE;
      sf_copy(sf_address(piece), x->address + row * x->stride[0] + 2 * at, 2 * count);
      for (uint32_t i = 0; i < count; ++i) total += piece[i];
    }
    result = total;
    sf_descriptor d = sf_dma_make(SF_DMA_ADD_I32, 4, sum->address + 4 * row, sf_address(&result));
    sf_dma_dim(&d, 0, 1, 4, 4);
    sf_dma_release(&d, 0, 1);
    sf_dma(&d);
    sf_wait(0, 1);
  }
  return 0;
}
