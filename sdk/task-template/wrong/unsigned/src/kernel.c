// The starting kernel, but with unsigned elements.
#include <simfarm.h>

enum { X, Y };     // tensors, in the order of task.toml
enum { FACTOR };   // parameters
enum { MAX_COLUMNS = 1024 };

static uint16_t x_row[MAX_COLUMNS];
static int32_t y_row[MAX_COLUMNS];

SF_MAIN(arguments) {
  const sf_tensor* x = sf_tensor_at(arguments, X);
  const sf_tensor* y = sf_tensor_at(arguments, Y);
  const int32_t factor = sf_param(arguments, FACTOR);
  const uint32_t rows = x->shape[0], columns = x->shape[1];

  for (uint32_t row = sf_pe(); row < rows; row += sf_pes()) {
    sf_copy(sf_address(x_row), x->address + row * x->stride[0], 2 * columns);
    for (uint32_t i = 0; i < columns; ++i) y_row[i] = x_row[i] * factor;
    sf_copy(y->address + row * y->stride[0], sf_address(y_row), 4 * columns);
  }
  return 0;
}
