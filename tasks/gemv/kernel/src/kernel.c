// int8 matrix-vector products, as a compiler would do it: a PE computes whole rows, one product an
// instruction.
#include <simfarm.h>

enum { A, X, Y };
enum { MAX_K = 1024, MAX_BATCH = 8 };

SF_SCRATCH static int8_t a_row[MAX_K], x[MAX_BATCH][MAX_K];
SF_SCRATCH static int32_t result;

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
      for (uint32_t i = 0; i < k; ++i) sum += a_row[i] * x[b][i];
      result = sum;
      sf_copy(y->address + 4 * (b * m + row), sf_address(&result), 4);
    }
  }
  return 0;
}
