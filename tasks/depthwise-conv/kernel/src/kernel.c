// Depthwise 3x3 convolution, as a compiler would do it: a channel a PE, and for each row of the
// output its three rows of the input.
#include <simfarm.h>

enum { X, W, Y };
enum { MAX_WIDTH = 256 };

SF_SCRATCH static int8_t x[3][MAX_WIDTH], w[3][3];
SF_SCRATCH static int32_t out[MAX_WIDTH];

SF_MAIN(arguments) {
  const sf_tensor* input = sf_tensor_at(arguments, X);
  const sf_tensor* weights = sf_tensor_at(arguments, W);
  const sf_tensor* output = sf_tensor_at(arguments, Y);
  const uint32_t channels = output->shape[0], rows = output->shape[1], columns = output->shape[2];
  const uint32_t width = input->shape[2];

  for (uint32_t channel = sf_pe(); channel < channels; channel += sf_pes()) {
    sf_copy(sf_address(w), weights->address + 9 * channel, 9);
    for (uint32_t row = 0; row < rows; ++row) {
      for (uint32_t u = 0; u < 3; ++u)
        sf_copy(sf_address(x[u]),
                input->address + channel * input->stride[0] + (row + u) * input->stride[1], width);
      for (uint32_t j = 0; j < columns; ++j) {
        int32_t sum = 0;
        for (uint32_t u = 0; u < 3; ++u)
          for (uint32_t v = 0; v < 3; ++v) sum += x[u][j + v] * w[u][v];
        out[j] = sum;
      }
      sf_copy(output->address + channel * output->stride[0] + row * output->stride[1],
              sf_address(out), 4 * columns);
    }
  }
  return 0;
}
