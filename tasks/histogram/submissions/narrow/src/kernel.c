// Histogram in a few hundred bytes: sixteen counters, and pixels that come in 64 at a time.
#include <simfarm.h>

enum { PIXELS, COUNTS };
enum { PIECE = 64, VALUES = 16 };

SF_SCRATCH static uint8_t piece[PIECE];
SF_SCRATCH static int32_t counts[VALUES];
// One descriptor for all transfers, where no stack has to be aligned for it.
SF_SCRATCH static sf_descriptor transfer;

static void copy(uint32_t to, uint32_t from, uint32_t bytes) {
  transfer = sf_dma_bytes(to, from, bytes, 0);
  sf_dma(&transfer);
  sf_wait(0, 1);
}

SF_MAIN(arguments) {
  const sf_tensor* pixels = sf_tensor_at(arguments, PIXELS);
  const uint32_t first = VALUES * sf_pe();
  for (uint32_t k = 0; k < VALUES; ++k) counts[k] = 0;
  for (uint32_t at = 0; at < pixels->bytes; at += PIECE) {
    const uint32_t left = pixels->bytes - at, bytes = left < PIECE ? left : PIECE;
    copy(sf_address(piece), pixels->address + at, bytes);
    for (uint32_t i = 0; i < bytes; ++i) {
      const uint32_t bin = piece[i] - first;
      if (bin < VALUES) ++counts[bin];
    }
  }
  copy(sf_tensor_at(arguments, COUNTS)->address + 4 * first, sf_address(counts), sizeof counts);
  return 0;
}
