// The starting kernel, but words from the north stay in the first column's first row.
#include <simfarm.h>

enum { A, B, C };
enum { MAX_K = 1024 };

static uint32_t a_row[MAX_K / 4], b_row[MAX_K / 4];
static int32_t result;

/// The sum of four int8 products.
static int32_t dot(uint32_t a, uint32_t b) {
  int32_t sum = 0;
  for (int shift = 0; shift < 32; shift += 8) sum += (int8_t)(a >> shift) * (int8_t)(b >> shift);
  return sum;
}

SF_MAIN(arguments) {
  const sf_tensor* a = sf_tensor_at(arguments, A);
  const sf_tensor* b = sf_tensor_at(arguments, B);
  const sf_tensor* c = sf_tensor_at(arguments, C);
  const uint32_t m = c->shape[0], n = c->shape[1], k = a->shape[1];
  const uint32_t row = sf_row(), column = sf_column(), rows = sf_rows(), columns = sf_columns();

  for (uint32_t i = row; i < m; i += rows) {
    for (uint32_t j = column; j < n; j += columns) {
      if (column == 0) sf_copy(sf_address(a_row), a->address + i * k, k);
      if (row == 0) sf_copy(sf_address(b_row), b->address + j * k, k);
      result = 0;
      for (uint32_t word = 0; word < k / 4; ++word) {
        const uint32_t from_west = column == 0 ? a_row[word] : sf_recv(SF_WEST);
        const uint32_t from_north = row == 0 ? b_row[word] : sf_recv(SF_NORTH);
        if (column + 1 != columns) sf_send(SF_EAST, from_west);
        if (row + 1 != rows && column != 0) sf_send(SF_SOUTH, from_north);
        result += dot(from_west, from_north);
      }
      sf_copy(c->address + 4 * (i * n + j), sf_address(&result), 4);
    }
  }
  return 0;
}
