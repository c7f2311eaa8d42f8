// Histogram, plainly: each PE counts a sixteenth of the values, and looks at every pixel for that.
#include <simfarm.h>

enum { PIXELS, COUNTS };
enum { PIECE = 4096, MAX_VALUES = 256 };

SF_SCRATCH static uint8_t piece[PIECE];
static int32_t counts[MAX_VALUES];

SF_MAIN(arguments) {
  const sf_tensor* pixels = sf_tensor_at(arguments, PIXELS);
  const uint32_t values = 256 / sf_pes(), first = values * sf_pe();

  for (uint32_t at = 0; at < pixels->bytes; at += PIECE) {
    const uint32_t left = pixels->bytes - at, bytes = left < PIECE ? left : PIECE;
    sf_copy(sf_address(piece), pixels->address + at, bytes);
    for (uint32_t i = 0; i < bytes; ++i) {
      const uint32_t bin = piece[i] - first;
      if (bin < values) ++counts[bin];
    }
  }
  sf_copy(sf_tensor_at(arguments, COUNTS)->address + 4 * first, sf_address(counts), 4 * values);
  return 0;
}
