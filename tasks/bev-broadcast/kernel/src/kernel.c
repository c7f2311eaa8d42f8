// Broadcast of reference points, as a compiler would do it: fetch a query's point, repeat it, store.
#include <simfarm.h>

enum { POINTS, BROADCAST };
enum { MAX_REPEATS = 1024 };

static int32_t point[3];
static int32_t repeated[MAX_REPEATS][2];

SF_MAIN(arguments) {
  const sf_tensor* points = sf_tensor_at(arguments, POINTS);
  const sf_tensor* broadcast = sf_tensor_at(arguments, BROADCAST);
  const uint32_t queries = broadcast->shape[0];
  const uint32_t repeats = broadcast->shape[1] * broadcast->shape[2];

  for (uint32_t query = sf_pe(); query < queries; query += sf_pes()) {
    sf_copy(sf_address(point), points->address + query * points->stride[0], sizeof point);
    for (uint32_t i = 0; i < repeats; ++i) {
      repeated[i][0] = point[0];
      repeated[i][1] = point[1];
    }
    sf_copy(broadcast->address + query * broadcast->stride[0], sf_address(repeated),
            8 * repeats);
  }
  return 0;
}
