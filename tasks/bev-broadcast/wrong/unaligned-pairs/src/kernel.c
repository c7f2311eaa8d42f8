// One descriptor for everything, with elements that the rows' alignment does not allow.
#include <simfarm.h>

SF_MAIN(arguments) {
  const sf_tensor* points = sf_tensor_at(arguments, 0);
  const sf_tensor* broadcast = sf_tensor_at(arguments, 1);
  const uint32_t repeats = broadcast->shape[1] * broadcast->shape[2];
  if (sf_pe() != 0) return 0;
  sf_descriptor d = sf_dma_make(SF_DMA_COPY, 8, broadcast->address, points->address);
  sf_dma_dim(&d, 0, broadcast->shape[0], (int32_t)(8 * repeats), 12);
  sf_dma_dim(&d, 1, repeats, 8, 0);
  sf_dma_release(&d, 0, 1);
  sf_dma(&d);
  sf_wait(0, 1);
  return 0;
}
