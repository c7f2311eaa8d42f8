// A program of one processor: lists, matrices, a scanner, checksums (mix.h).
#include "bench.h"
#include "mix.h"

SF_SCRATCH static mix_memory memory;

SF_MAIN(arguments) {
  const uint32_t rounds = (uint32_t)sf_param(arguments, ROUNDS);
  return (int)mix_run(&memory, bench_start((uint32_t)sf_param(arguments, SEED), sf_pe()), rounds);
}
