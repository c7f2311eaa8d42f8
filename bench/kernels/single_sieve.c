// The sieve of Eratosthenes below 24,000, again and again.
#include "bench.h"

enum { LIMIT = 24000 };

SF_SCRATCH static uint8_t composite[LIMIT];

static uint32_t sieve(void) {
  for (uint32_t i = 0; i != LIMIT; ++i) composite[i] = 0;
  uint32_t sum = 0;
  for (uint32_t i = 2; i != LIMIT; ++i) {
    if (composite[i]) continue;
    sum = sum * 31 + i;
    for (uint32_t k = i * i; i < 155 && k < LIMIT; k += i) composite[k] = 1;
  }
  return sum;
}

SF_MAIN(arguments) {
  const uint32_t rounds = (uint32_t)sf_param(arguments, ROUNDS);
  uint32_t sum = (uint32_t)sf_param(arguments, SEED) + sf_pe();
  for (uint32_t round = 0; round != rounds; ++round) sum = sum * 31 + sieve();
  return (int)sum;
}
