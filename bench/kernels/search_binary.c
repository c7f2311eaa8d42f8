// Binary search: other keys on every PE, so that they part at every step.
#include "bench.h"

enum { WORDS = 2048, QUERIES = 1024 };

SF_SCRATCH static uint32_t table[WORDS];

/// The first place whose number is not below `key`, or that of `key` itself.
__attribute__((noinline)) static uint32_t find(uint32_t key) {
  uint32_t low = 0, high = WORDS;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    const uint32_t number = table[middle];
    if (number == key) return middle;
    if (number < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

SF_MAIN(arguments) {
  const uint32_t rounds = (uint32_t)sf_param(arguments, ROUNDS);
  uint32_t state = bench_start((uint32_t)sf_param(arguments, SEED), sf_pe());
  uint32_t last = 0;
  for (uint32_t i = 0; i != WORDS; ++i) table[i] = last += 1 + (bench_next(&state) & 15);
  uint32_t sum = 0;
  for (uint32_t round = 0; round != rounds; ++round)
    for (uint32_t query = 0; query != QUERIES; ++query)
      sum = sum * 31 + find(bench_next(&state) & 16383);
  return (int)sum;
}
