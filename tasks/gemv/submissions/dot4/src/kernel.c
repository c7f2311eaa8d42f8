// Four products an instruction, of words; a row at a time as in the starting kernel.
#include <simfarm.h>

enum { A, X, Y };
enum { MAX_K = 512, MAX_BATCH = 8 };

SF_SCRATCH static uint32_t a_row[MAX_K / 4], x[MAX_BATCH][MAX_K / 4];
SF_SCRATCH static int32_t results[MAX_BATCH];

SF_MAIN(arguments) {
  const sf_tensor* a = sf_tensor_at(arguments, A);
  const sf_tensor* vectors = sf_tensor_at(arguments, X);
  const sf_tensor* y = sf_tensor_at(arguments, Y);
  const uint32_t m = a->shape[0], k = a->shape[1], batch = vectors->shape[0];

  for (uint32_t b = 0; b < batch; ++b) sf_copy(sf_address(x[b]), vectors->address + b * k, k);
  for (uint32_t row = sf_pe(); row < m; row += sf_pes()) {
    sf_copy(sf_address(a_row), a->address + row * k, k);
    for (uint32_t b = 0; b < batch; ++b) {
      int32_t sum = 0;
      for (uint32_t i = 0; i < k / 4; ++i) sum = sf_sdotsp_b(sum, a_row[i], x[b][i]);
      results[b] = sum;
    }
    sf_descriptor d = sf_dma_make(SF_DMA_COPY, 4, y->address + 4 * row, sf_address(results));
    sf_dma_dim(&d, 0, batch, (int32_t)(4 * m), 4);
    sf_dma_release(&d, 0, 1);
    sf_dma(&d);
    sf_wait(0, 1);
  }
  return 0;
}
