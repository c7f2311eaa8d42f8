// int8 GEMM, as a compiler would do it: each PE computes whole rows of the output, and copies each
// row that it needs when it needs it.
#include <simfarm.h>

enum { A, B, BIAS, MULTIPLIER, SHIFT, C };
enum { ZERO_POINT };
enum { MAX_N = 1024, MAX_K = 1024 };

static int8_t a_row[MAX_K], b_row[MAX_K], c_row[MAX_N];
static int32_t bias[MAX_N], multiplier[MAX_N], shift[MAX_N];

static int8_t requantise(int32_t sum, uint32_t channel, int32_t zero_point) {
  int32_t value = sf_rshr(sf_rqmul(sum, multiplier[channel]), (uint32_t)shift[channel]) + zero_point;
  return (int8_t)(value < -128 ? -128 : value > 127 ? 127 : value);
}

SF_MAIN(arguments) {
  const sf_tensor* a = sf_tensor_at(arguments, A);
  const sf_tensor* b = sf_tensor_at(arguments, B);
  const sf_tensor* c = sf_tensor_at(arguments, C);
  const int32_t zero_point = sf_param(arguments, ZERO_POINT);
  const uint32_t m = c->shape[0], n = c->shape[1], k = a->shape[1];

  sf_copy(sf_address(bias), sf_tensor_at(arguments, BIAS)->address, 4 * n);
  sf_copy(sf_address(multiplier), sf_tensor_at(arguments, MULTIPLIER)->address, 4 * n);
  sf_copy(sf_address(shift), sf_tensor_at(arguments, SHIFT)->address, 4 * n);

  for (uint32_t row = sf_pe(); row < m; row += sf_pes()) {
    sf_copy(sf_address(a_row), a->address + row * a->stride[0], k);
    for (uint32_t column = 0; column < n; ++column) {
      sf_copy(sf_address(b_row), b->address + column * b->stride[0], k);
      int32_t sum = bias[column];
      for (uint32_t i = 0; i < k; ++i) sum += a_row[i] * b_row[i];
      c_row[column] = requantise(sum, column, zero_point);
    }
    sf_copy(c->address + row * c->stride[0], sf_address(c_row), n);
  }
  return 0;
}
