// Computes as soon as the weights are there.
#include <simfarm.h>

enum { X, W, Y };
enum { MAX_IN = 1024, MAX_OUT = 1024 };

SF_SCRATCH static int8_t x[MAX_IN], w[9];
SF_SCRATCH static int32_t out[MAX_OUT];

SF_MAIN(arguments) {
  const sf_tensor* input = sf_tensor_at(arguments, X);
  const sf_tensor* weights = sf_tensor_at(arguments, W);
  const sf_tensor* output = sf_tensor_at(arguments, Y);
  const uint32_t channels = output->shape[0], rows = output->shape[1], columns = output->shape[2];
  const uint32_t width = input->shape[2];

  for (uint32_t channel = sf_pe(); channel < channels; channel += sf_pes()) {
    sf_descriptor d = sf_dma_bytes(sf_address(w), weights->address + 9 * channel, 9, 0);
    sf_dma(&d);
    d = sf_dma_bytes(sf_address(x), input->address + channel * input->stride[0], input->stride[0],
                     0);
    sf_dma(&d);
    sf_wait(0, 1);
    const int32_t w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3], w4 = w[4], w5 = w[5], w6 = w[6],
                  w7 = w[7], w8 = w[8];
    int32_t* to = out;
    for (uint32_t row = 0; row < rows; ++row) {
      const int8_t* a = x + row * width;
      const int8_t* b = a + width;
      const int8_t* c = b + width;
      // Two columns of the window stay in registers.
      int32_t a0 = a[0], a1 = a[1], b0 = b[0], b1 = b[1], c0 = c[0], c1 = c[1];
      for (uint32_t j = 0; j < columns; ++j) {
        const int32_t a2 = a[j + 2], b2 = b[j + 2], c2 = c[j + 2];
        *to++ =
            a0 * w0 + a1 * w1 + a2 * w2 + b0 * w3 + b1 * w4 + b2 * w5 + c0 * w6 + c1 * w7 + c2 * w8;
        a0 = a1, a1 = a2, b0 = b1, b1 = b2, c0 = c1, c1 = c2;
      }
    }
    sf_copy(output->address + channel * output->stride[0], sf_address(out), output->stride[0]);
  }
  return 0;
}
