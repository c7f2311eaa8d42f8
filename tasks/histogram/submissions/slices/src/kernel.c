// Histogram of slices: each PE counts all values of its own pixels, and adds them up in DRAM.
#include <simfarm.h>

enum { PIXELS, COUNTS };
enum { PIECE = 512, VALUES = 256 };

SF_SCRATCH static uint8_t piece[PIECE];
static int32_t counts[VALUES];

SF_MAIN(arguments) {
  const sf_tensor* pixels = sf_tensor_at(arguments, PIXELS);
  const sf_tensor* all = sf_tensor_at(arguments, COUNTS);
  if (sf_pe() == 0) sf_copy(all->address, sf_address(counts), sizeof counts);  // zeros
  sf_barrier(SF_ALL);
  const uint32_t end = pixels->bytes * (sf_pe() + 1) / sf_pes();
  for (uint32_t at = pixels->bytes * sf_pe() / sf_pes(); at < end; at += PIECE) {
    const uint32_t bytes = end - at < PIECE ? end - at : PIECE;
    sf_copy(sf_address(piece), pixels->address + at, bytes);
    for (uint32_t i = 0; i < bytes; ++i) ++counts[piece[i]];
  }
  sf_descriptor d = sf_dma_make(SF_DMA_ADD_I32, 4, all->address, sf_address(counts));
  sf_dma_dim(&d, 0, VALUES, 4, 4);
  sf_dma_release(&d, 0, 1);
  sf_dma(&d);
  sf_wait(0, 1);
  return 0;
}
