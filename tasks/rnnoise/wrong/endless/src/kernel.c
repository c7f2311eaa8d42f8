// Spins on the cycle counter until the cycle limit ends it. One PE does: that is enough.
#include <simfarm.h>

SF_MAIN(arguments) {
  if (sf_pe() != 0) return 0;
  const uint32_t start = sf_cycles();
  while (sf_cycles() - start < 4000000000u + arguments->version) {
  }
  return 0;
}
