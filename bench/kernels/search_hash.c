// Look-ups in an open hash table, half of them misses: the number of probes differs by PE.
#include "bench.h"

enum { SLOTS = 4096, KEYS = 2600, QUERIES = 1024 };

SF_SCRATCH static uint32_t slots[SLOTS];  // 0: free

static uint32_t place(uint32_t key) { return key * 0x9e3779b1u >> 20; }

/// The slot of `key`, or the free one where it would go.
__attribute__((noinline)) static uint32_t find(uint32_t key) {
  uint32_t at = place(key);
  while (slots[at] != key && slots[at] != 0) at = (at + 1) % SLOTS;
  return at;
}

SF_MAIN(arguments) {
  const uint32_t rounds = (uint32_t)sf_param(arguments, ROUNDS);
  uint32_t state = bench_start((uint32_t)sf_param(arguments, SEED), sf_pe());
  for (uint32_t i = 0; i != SLOTS; ++i) slots[i] = 0;
  for (uint32_t i = 0; i != KEYS; ++i) {
    const uint32_t key = (bench_next(&state) & 8191) + 1;
    slots[find(key)] = key;
  }
  uint32_t sum = 0;
  for (uint32_t round = 0; round != rounds; ++round)
    for (uint32_t query = 0; query != QUERIES; ++query) {
      const uint32_t key = (bench_next(&state) & 8191) + 1;
      const uint32_t at = find(key);
      sum = sum * 31 + at + (slots[at] == key ? SLOTS : 0);
    }
  return (int)sum;
}
