// Heapsort of other numbers on every PE and in every round: addresses and branches differ.
#include "bench.h"

enum { WORDS = 1024 };

SF_SCRATCH static uint32_t numbers[WORDS];

static void sift(uint32_t root, uint32_t count) {
  const uint32_t value = numbers[root];
  for (uint32_t child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && numbers[child + 1] > numbers[child]) ++child;
    if (numbers[child] <= value) break;
    numbers[root] = numbers[child];
  }
  numbers[root] = value;
}

SF_MAIN(arguments) {
  const uint32_t rounds = (uint32_t)sf_param(arguments, ROUNDS);
  uint32_t state = bench_start((uint32_t)sf_param(arguments, SEED), sf_pe());
  uint32_t sum = 0;
  for (uint32_t round = 0; round != rounds; ++round) {
    bench_fill(numbers, WORDS, &state);
    for (uint32_t root = WORDS / 2; root-- != 0;) sift(root, WORDS);
    for (uint32_t last = WORDS; --last != 0;) {
      const uint32_t largest = numbers[0];
      numbers[0] = numbers[last];
      numbers[last] = largest;
      sift(0, last);
    }
    sum = bench_checksum(sum, numbers, WORDS);
  }
  return (int)sum;
}
