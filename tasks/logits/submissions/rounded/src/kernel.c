// The last layer of a classifier: 16-bit products, and logits are rounded to the nearest step: half
// the error of cutting off.
#include <simfarm.h>

enum { X, W, BIAS, LOGITS };
enum { MAX_FEATURES = 128, MAX_CLASSES = 16 };
enum { SHIFT = 16 };  // from 2^-24 to 2^-8

SF_SCRATCH static int16_t x[MAX_FEATURES], w[MAX_CLASSES * MAX_FEATURES], out[MAX_CLASSES];
SF_SCRATCH static int32_t bias[MAX_CLASSES];

SF_MAIN(arguments) {
  const sf_tensor* inputs = sf_tensor_at(arguments, X);
  const sf_tensor* weights = sf_tensor_at(arguments, W);
  const sf_tensor* logits = sf_tensor_at(arguments, LOGITS);
  const uint32_t batch = inputs->shape[0], features = inputs->shape[1];
  const uint32_t classes = weights->shape[0];

  sf_copy(sf_address(w), weights->address, weights->bytes);
  sf_copy(sf_address(bias), sf_tensor_at(arguments, BIAS)->address, 4 * classes);
  for (uint32_t b = sf_pe(); b < batch; b += sf_pes()) {
    sf_copy(sf_address(x), inputs->address + b * inputs->stride[0], 2 * features);
    for (uint32_t c = 0; c < classes; ++c) {
      int32_t sum = bias[c];
      for (uint32_t f = 0; f < features; ++f) sum += x[f] * w[c * features + f];
      out[c] = (int16_t)sf_rshr(sum, SHIFT);
    }
    sf_copy(logits->address + b * logits->stride[0], sf_address(out), 2 * classes);
  }
  return 0;
}
