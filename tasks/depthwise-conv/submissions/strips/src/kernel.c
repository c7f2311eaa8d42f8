// Depthwise 3x3 convolution of strips of two rows, so that all PEs have as much to do. Rows at the
// borders of strips come out of DRAM twice.
#include <simfarm.h>

enum { X, W, Y };
enum { MAX_WIDTH = 256, STRIP = 2 };

SF_SCRATCH static int8_t x[(STRIP + 2) * MAX_WIDTH], w[9];
SF_SCRATCH static int32_t out[STRIP * MAX_WIDTH];

SF_MAIN(arguments) {
  const sf_tensor* input = sf_tensor_at(arguments, X);
  const sf_tensor* weights = sf_tensor_at(arguments, W);
  const sf_tensor* output = sf_tensor_at(arguments, Y);
  const uint32_t channels = output->shape[0], rows = output->shape[1], columns = output->shape[2];
  const uint32_t width = input->shape[2];
  const uint32_t strips = (rows + STRIP - 1) / STRIP;

  uint32_t channel = sf_pe() / strips, strip = sf_pe() % strips;
  while (channel < channels) {
    const uint32_t first = strip * STRIP;
    const uint32_t count = rows - first < STRIP ? rows - first : STRIP;
    sf_descriptor d = sf_dma_bytes(sf_address(w), weights->address + 9 * channel, 9, 0);
    sf_dma(&d);
    d = sf_dma_bytes(sf_address(x),
                     input->address + channel * input->stride[0] + first * input->stride[1],
                     (count + 2) * width, 0);
    sf_dma(&d);
    sf_wait(0, 2);
    const int32_t w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3], w4 = w[4], w5 = w[5], w6 = w[6],
                  w7 = w[7], w8 = w[8];
    int32_t* to = out;
    for (uint32_t row = 0; row < count; ++row) {
      const int8_t* a = x + row * width;
      const int8_t* b = a + width;
      const int8_t* c = b + width;
      int32_t a0 = a[0], a1 = a[1], b0 = b[0], b1 = b[1], c0 = c[0], c1 = c[1];
      for (uint32_t j = 0; j < columns; ++j) {
        const int32_t a2 = a[j + 2], b2 = b[j + 2], c2 = c[j + 2];
        *to++ =
            a0 * w0 + a1 * w1 + a2 * w2 + b0 * w3 + b1 * w4 + b2 * w5 + c0 * w6 + c1 * w7 + c2 * w8;
        a0 = a1, a1 = a2, b0 = b1, b1 = b2, c0 = c1, c1 = c2;
      }
    }
    sf_copy(output->address + channel * output->stride[0] + first * output->stride[1],
            sf_address(out), 4 * count * columns);
    for (strip += sf_pes(); strip >= strips; strip -= strips) ++channel;
  }
  return 0;
}
