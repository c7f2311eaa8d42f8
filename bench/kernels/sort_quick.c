// Quicksort of other numbers on every PE and in every round: PEs part at every comparison.
#include "bench.h"

enum { WORDS = 1024 };

SF_SCRATCH static uint32_t numbers[WORDS];

/// Hoare's partition; the shorter part by recursion, the longer one by iteration.
static void sort(uint32_t* begin, uint32_t* end) {
  while (end - begin > 1) {
    const uint32_t pivot = begin[(end - begin) / 2];
    uint32_t *low = begin, *high = end - 1;
    while (low <= high) {
      while (*low < pivot) ++low;
      while (*high > pivot) --high;
      if (low > high) break;
      const uint32_t other = *low;
      *low++ = *high;
      *high-- = other;
    }
    if (high - begin < end - low) {
      sort(begin, high + 1);
      begin = low;
    } else {
      sort(low, end);
      end = high + 1;
    }
  }
}

SF_MAIN(arguments) {
  const uint32_t rounds = (uint32_t)sf_param(arguments, ROUNDS);
  uint32_t state = bench_start((uint32_t)sf_param(arguments, SEED), sf_pe());
  uint32_t sum = 0;
  for (uint32_t round = 0; round != rounds; ++round) {
    bench_fill(numbers, WORDS, &state);
    sort(numbers, numbers + WORDS);
    sum = bench_checksum(sum, numbers, WORDS);
  }
  return (int)sum;
}
