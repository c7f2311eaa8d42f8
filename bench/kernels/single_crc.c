// CRC-32 by table over 16 KiB, again and again.
#include "bench.h"

enum { WORDS = 4096 };

SF_SCRATCH static uint32_t words[WORDS];
SF_SCRATCH static uint32_t table[256];

SF_MAIN(arguments) {
  const uint32_t rounds = (uint32_t)sf_param(arguments, ROUNDS);
  uint32_t state = bench_start((uint32_t)sf_param(arguments, SEED), sf_pe());
  bench_fill(words, WORDS, &state);
  for (uint32_t i = 0; i != 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit != 8; ++bit) value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
    table[i] = value;
  }
  const uint8_t* bytes = (const uint8_t*)words;
  uint32_t crc = ~0u;
  for (uint32_t round = 0; round != rounds; ++round)
    for (uint32_t i = 0; i != 4 * WORDS; ++i) crc = table[(crc ^ bytes[i]) & 255] ^ crc >> 8;
  return (int)~crc;
}
