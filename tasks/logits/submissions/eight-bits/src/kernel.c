// The last layer of a classifier in int8: eight products an instruction, with the upper bits of
// inputs and weights alone.
#include <simfarm.h>

enum { X, W, BIAS, LOGITS };
enum { MAX_FEATURES = 128, MAX_CLASSES = 16 };
// Inputs keep 5 fraction bits of 12, weights 8 of 12; a product has 13, a logit 8.
enum { X_SHIFT = 7, W_SHIFT = 4, SUM_SHIFT = 5, BIAS_SHIFT = 11 };

SF_SCRATCH static int16_t wide[MAX_CLASSES * MAX_FEATURES];
SF_SCRATCH static int16_t out[MAX_CLASSES];
SF_SCRATCH static int32_t bias[MAX_CLASSES];
// The loop fetches one operand past the end.
SF_SCRATCH static int8_t w[MAX_CLASSES * MAX_FEATURES + 8] __attribute__((aligned(8)));
SF_SCRATCH static int8_t x[MAX_FEATURES] __attribute__((aligned(8)));

static void narrow(int8_t* to, const int16_t* from, uint32_t count, uint32_t shift) {
  for (uint32_t i = 0; i < count; ++i) to[i] = (int8_t)sf_clip(sf_rshr(from[i], shift), 8);
}

SF_MAIN(arguments) {
  const sf_tensor* inputs = sf_tensor_at(arguments, X);
  const sf_tensor* weights = sf_tensor_at(arguments, W);
  const sf_tensor* logits = sf_tensor_at(arguments, LOGITS);
  const uint32_t batch = inputs->shape[0], features = inputs->shape[1];
  const uint32_t classes = weights->shape[0];
  if (sf_pe() >= batch) return 0;

  sf_copy(sf_address(wide), weights->address, weights->bytes);
  sf_copy(sf_address(bias), sf_tensor_at(arguments, BIAS)->address, 4 * classes);
  narrow(w, wide, classes * features, W_SHIFT);
  for (uint32_t b = sf_pe(); b < batch; b += sf_pes()) {
    sf_copy(sf_address(wide), inputs->address + b * inputs->stride[0], 2 * features);
    narrow(x, wide, features, X_SHIFT);
    const int8_t* left = w;
    sf_xld(left);
    for (uint32_t c = 0; c < classes; ++c) {
      const int8_t* right = x;
      int32_t sum = sf_rshr(bias[c], BIAS_SHIFT);
      for (uint32_t f = 0; f < features / 8; ++f) {
        uint32_t lo, hi;
        sf_ld2_step(lo, hi, right, 8);
        sf_xsdot8_ld(sum, lo, hi, left);
      }
      out[c] = (int16_t)sf_rshr(sum, SUM_SHIFT);
    }
    sf_copy(logits->address + b * logits->stride[0], sf_address(out), 2 * classes);
  }
  return 0;
}
