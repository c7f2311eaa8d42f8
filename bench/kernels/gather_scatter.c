// Indexed loads and stores in local memory: every PE has addresses of its own, all take the same
// way through the program.
#include "bench.h"

enum { WORDS = 2048 };

SF_SCRATCH static uint32_t table[WORDS];
SF_SCRATCH static uint32_t sums[WORDS];
SF_SCRATCH static uint16_t from[WORDS], to[WORDS];

SF_MAIN(arguments) {
  const uint32_t rounds = (uint32_t)sf_param(arguments, ROUNDS);
  uint32_t state = bench_start((uint32_t)sf_param(arguments, SEED), sf_pe());
  bench_fill(table, WORDS, &state);
  bench_fill(sums, WORDS, &state);
  for (uint32_t i = 0; i != WORDS; ++i) {
    const uint32_t number = bench_next(&state);
    from[i] = (uint16_t)(number % WORDS);
    to[i] = (uint16_t)(number / WORDS % WORDS);
  }
  for (uint32_t round = 0; round != rounds; ++round)
    for (uint32_t i = 0; i != WORDS; ++i) sums[to[i]] += table[from[i]] ^ round;
  return (int)bench_checksum(0, sums, WORDS);
}
