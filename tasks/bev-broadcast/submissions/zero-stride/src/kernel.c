// Broadcast of reference points by descriptors alone. The third one's inner dimension has a source
// stride of zero: one read, as many writes as there are heads and samples.
#include <simfarm.h>

enum { POINTS, BROADCAST };
enum { PIECE = 1024 };  // queries at a time
enum { FETCHED = 0, PACKED = 1, DONE = 2 };

SF_SCRATCH static int32_t fetched[PIECE][3] __attribute__((aligned(64)));
SF_SCRATCH static int32_t packed[PIECE][2] __attribute__((aligned(64)));

SF_MAIN(arguments) {
  const sf_tensor* points = sf_tensor_at(arguments, POINTS);
  const sf_tensor* broadcast = sf_tensor_at(arguments, BROADCAST);
  const uint32_t queries = broadcast->shape[0];
  const uint32_t repeats = broadcast->shape[1] * broadcast->shape[2];
  const uint32_t end = queries * (sf_pe() + 1) / sf_pes();

  uint32_t count;
  for (uint32_t query = queries * sf_pe() / sf_pes(); query != end; query += count) {
    count = end - query < PIECE ? end - query : PIECE;
    sf_descriptor fetch =
        sf_dma_bytes(sf_address(fetched), points->address + 12 * query, 12 * count, FETCHED);
    sf_dma(&fetch);

    sf_descriptor pack = sf_dma_make(SF_DMA_COPY, 4, sf_address(packed), sf_address(fetched));
    sf_dma_dim(&pack, 0, count, 8, 12);
    sf_dma_dim(&pack, 1, 2, 4, 4);
    sf_dma_acquire(&pack, FETCHED, 1);
    sf_dma_release(&pack, PACKED, 1);
    sf_dma(&pack);

    sf_descriptor spread =
        sf_dma_make(SF_DMA_COPY, 8, broadcast->address + 8 * repeats * query, sf_address(packed));
    sf_dma_dim(&spread, 0, count, (int32_t)(8 * repeats), 8);
    sf_dma_dim(&spread, 1, repeats, 8, 0);
    sf_dma_acquire(&spread, PACKED, 1);
    sf_dma_release(&spread, DONE, 1);
    sf_dma(&spread);
    sf_wait(DONE, 1);
  }
  return 0;
}
