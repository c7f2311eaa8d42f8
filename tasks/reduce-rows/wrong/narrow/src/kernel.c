// The starting kernel with a sum that is too narrow.
#include <simfarm.h>

enum { X, SUM };
enum { PIECE = 1024 };

SF_SCRATCH static int16_t piece[PIECE];
SF_SCRATCH static int32_t result;

SF_MAIN(arguments) {
  const sf_tensor* x = sf_tensor_at(arguments, X);
  const sf_tensor* sum = sf_tensor_at(arguments, SUM);
  const uint32_t rows = x->shape[0], columns = x->shape[1];

  for (uint32_t row = sf_pe(); row < rows; row += sf_pes()) {
    int16_t total = 0;  // a sum of int16 does not fit
    for (uint32_t at = 0; at < columns; at += PIECE) {
      const uint32_t count = columns - at < PIECE ? columns - at : PIECE;
      sf_copy(sf_address(piece), x->address + row * x->stride[0] + 2 * at, 2 * count);
      for (uint32_t i = 0; i < count; ++i) total = (int16_t)(total + piece[i]);
    }
    result = total;
    sf_copy(sum->address + 4 * row, sf_address(&result), 4);
  }
  return 0;
}
