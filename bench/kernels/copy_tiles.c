// DMA with little else: tiles of 64 x 64 bytes from an image in OCM through local memory to one in
// DRAM, two buffers taking turns.
#include "bench.h"

enum { SIDE = 64, TILE = SIDE * SIDE, ACROSS = 16, TILES = ACROSS * ACROSS, OWN = 4, LOOKS = 8 };
enum { LOADED = 0, STORED = 2 };

SF_SCRATCH static uint32_t tile[2][TILE / 4] __attribute__((aligned(64)));

static void load(uint32_t input, uint32_t step) {
  const uint32_t number = (OWN * sf_pe() + step % OWN) % TILES, turn = step & 1;
  const uint32_t from = input + number / ACROSS * ACROSS * TILE + number % ACROSS * SIDE;
  sf_descriptor d = sf_dma_rows(sf_address(tile[turn]), SIDE, from, ACROSS * SIDE, SIDE, SIDE,
                                LOADED + turn);
  sf_dma(&d);
}

static void store(uint32_t output, uint32_t step) {
  const uint32_t to = output + sf_pe() * OWN * TILE + step % OWN * SIDE, turn = step & 1;
  sf_descriptor d =
      sf_dma_rows(to, OWN * SIDE, sf_address(tile[turn]), SIDE, SIDE, SIDE, STORED + turn);
  sf_dma(&d);
}

SF_MAIN(arguments) {
  const uint32_t steps = OWN * (uint32_t)sf_param(arguments, ROUNDS);
  const uint32_t input = sf_tensor_at(arguments, INPUT)->address;
  const uint32_t output = sf_tensor_at(arguments, OUTPUT)->address;
  uint32_t sum = 0;
  load(input, 0);
  for (uint32_t step = 0; step != steps; ++step) {
    const uint32_t turn = step & 1;
    if (step + 1 != steps) {
      if (step != 0) BENCH_WAIT_TURN(STORED, turn ^ 1);
      load(input, step + 1);
    }
    BENCH_WAIT_TURN(LOADED, turn);
    for (uint32_t i = 0; i != LOOKS; ++i) sum = sum * 31 + tile[turn][(i * 131 + step) % (TILE / 4)];
    store(output, step);
  }
  return (int)sum;
}
