// What the benchmark kernels have in common. Every PE runs the same program on data of its own and
// ends with a checksum of its results as exit code; bench/models.cpp computes the same on the host.
#ifndef BENCH_H
#define BENCH_H
#include <simfarm.h>

enum { INPUT, OUTPUT };  // tensors, for the kernels that have some
enum { ROUNDS, SEED };   // parameters

/// A sequence of numbers; each PE, row or column has its own.
SF_INLINE uint32_t bench_start(uint32_t seed, uint32_t stream) {
  return seed ^ (stream + 1) * 0x9e3779b9u;
}

SF_INLINE uint32_t bench_next(uint32_t* state) {
  *state = *state * 1664525u + 1013904223u;
  return *state ^ *state >> 15;
}

SF_INLINE void bench_fill(uint32_t* words, uint32_t count, uint32_t* state) {
  for (uint32_t i = 0; i != count; ++i) words[i] = bench_next(state);
}

SF_INLINE uint32_t bench_checksum(uint32_t sum, const uint32_t* words, uint32_t count) {
  for (uint32_t i = 0; i != count; ++i) sum = sum * 31 + words[i];
  return sum;
}

/// Takes 1 of the first or the second of two semaphores that take turns.
#define BENCH_WAIT_TURN(first, turn) \
  do {                               \
    if (turn)                        \
      sf_wait((first) + 1, 1);       \
    else                             \
      sf_wait(first, 1);             \
  } while (0)

#endif
