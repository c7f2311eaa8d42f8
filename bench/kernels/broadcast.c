// DMA with little else: the first PE of each row multicasts chunks of OCM to its row, two buffers
// taking turns; every PE looks at a few words of each. COPIES above 1: it widens the chunk first,
// with a source stride of zero, so that every 8 bytes stand so often in a row.
#include "bench.h"

enum { CHUNK = 2048, CHUNKS = 64, LOOKS = 16 };
// Semaphores; each has a second one because buffers take turns.
enum { WIDENED = 0, ARRIVED = 8, FREE = 10 };

SF_SCRATCH static uint32_t chunk[2][CHUNK / 4] __attribute__((aligned(64)));
#if COPIES > 1
SF_SCRATCH static uint32_t wide[2][COPIES * CHUNK / 4] __attribute__((aligned(64)));
#endif

static void send(uint32_t input, uint32_t step) {
  const uint32_t turn = step & 1, row = sf_row();
  const uint32_t from = input + (row * 7 + step) % CHUNKS * CHUNK;
  sf_descriptor d = sf_dma_make(SF_DMA_COPY, 8, sf_address(chunk[turn]), from);
  sf_dma_dim(&d, 0, CHUNK / 8, 8, 8);
  sf_dma_multicast(&d, 0, row, sf_columns() - 1, row, 1);
  sf_dma_release_receivers(&d, ARRIVED + turn, 1);
  sf_dma(&d);
}

/// Where the words of a chunk are when it has arrived.
static const uint32_t* widened(uint32_t turn) {
#if COPIES > 1
  sf_descriptor d =
      sf_dma_make(SF_DMA_COPY, 8, sf_address(wide[turn]), sf_address(chunk[turn]));
  sf_dma_dim(&d, 0, CHUNK / 8, 8 * COPIES, 8);
  sf_dma_dim(&d, 1, COPIES, 8, 0);
  sf_dma_release(&d, WIDENED + turn, 1);
  sf_dma(&d);
  BENCH_WAIT_TURN(WIDENED, turn);
  return wide[turn];
#else
  return chunk[turn];
#endif
}

SF_MAIN(arguments) {
  const uint32_t steps = 2 * (uint32_t)sf_param(arguments, ROUNDS);
  const uint32_t input = sf_tensor_at(arguments, INPUT)->address;
  const uint32_t root = sf_row() * sf_columns();
  const int sender = sf_column() == 0;
  if (sender) {
    send(input, 0);
    send(input, 1);
  }
  uint32_t sum = 0;
  for (uint32_t step = 0; step != steps; ++step) {
    const uint32_t turn = step & 1;
    BENCH_WAIT_TURN(ARRIVED, turn);
    const uint32_t* words = widened(turn);
    for (uint32_t i = 0; i != LOOKS; ++i)
      sum = sum * 31 + words[(i * 131 + step) % (COPIES * CHUNK / 4)];
    // The chunk is used up: its buffer may be filled again.
    if (turn)
      sf_post(root, FREE + 1);
    else
      sf_post(root, FREE);
    if (sender && step + 2 < steps) {
      if (turn)
        sf_wait(FREE + 1, sf_columns());
      else
        sf_wait(FREE, sf_columns());
      send(input, step + 2);
    }
  }
  return (int)sum;
}
