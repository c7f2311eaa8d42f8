// Takes int8 for uint8.
#include <simfarm.h>

enum { A, X, Y };
enum { MAX_K = 512, MAX_BATCH = 8, MAX_ROWS = 16 };

// The loop fetches one operand past the end of a row.
SF_SCRATCH static int8_t a_rows[MAX_ROWS * MAX_K + 8] __attribute__((aligned(64)));
SF_SCRATCH static int8_t x[MAX_BATCH * MAX_K] __attribute__((aligned(64)));
SF_SCRATCH static int32_t results[MAX_BATCH][MAX_ROWS];

/// The sum of `pairs` times sixteen products.
static int32_t dot(const int8_t* a, const int8_t* b, uint32_t pairs) {
  int32_t sum = 0;
  uint32_t l0, h0, l1, h1;
  __asm__ volatile(SF_T_XLD("%[a]")                                    //
                   SF_LOOP(0, "%[n]",                                  //
                           SF_T_LD2_STEP("%[l0]", "%[h0]", "%[b]", 8)  //
                           SF_T_LD2_STEP("%[l1]", "%[h1]", "%[b]", 8)  //
                           SF_T_XUDOT8_LD("%[s]", "%[l0]", "%[h0]", "%[a]")
                               SF_T_XUDOT8_LD("%[s]", "%[l1]", "%[h1]", "%[a]"))
                   : [s] "+r"(sum), [a] "+r"(a), [b] "+r"(b), [l0] "=&r"(l0), [h0] "=&r"(h0),
                     [l1] "=&r"(l1), [h1] "=&r"(h1)
                   : [n] "r"(pairs)
                   : "memory");
  return sum;
}

SF_MAIN(arguments) {
  const sf_tensor* a = sf_tensor_at(arguments, A);
  const sf_tensor* vectors = sf_tensor_at(arguments, X);
  const sf_tensor* y = sf_tensor_at(arguments, Y);
  const uint32_t m = a->shape[0], k = a->shape[1], batch = vectors->shape[0];
  const uint32_t begin = m * sf_pe() / sf_pes(), end = m * (sf_pe() + 1) / sf_pes();
  const uint32_t rows = end - begin;
  if (rows == 0) return 0;

  sf_descriptor d = sf_dma_bytes(sf_address(x), vectors->address, batch * k, 0);
  sf_dma(&d);
  d = sf_dma_bytes(sf_address(a_rows), a->address + begin * k, rows * k, 0);
  sf_dma(&d);
  sf_wait(0, 2);
  for (uint32_t b = 0; b < batch; ++b) {
    for (uint32_t r = 0; r < rows; ++r) results[b][r] = dot(a_rows + r * k, x + b * k, k / 16);
    d = sf_dma_bytes(y->address + 4 * (b * m + begin), sf_address(results[b]), 4 * rows, 0);
    sf_dma(&d);
  }
  sf_wait(0, batch);
  return 0;
}
