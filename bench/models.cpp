#include "bench/models.h"

#include <algorithm>

#include "bench/kernels/mix.h"

namespace simfarm::bench::models {
namespace {

/// Byte `index` of little-endian words, signed.
i32 byte_of(const std::vector<u32>& words, u32 index) {
  return static_cast<i8>(words[index / 4] >> 8 * (index % 4));
}

u32 word_at(Input bytes, u32 at) {
  return bytes[at] | u32{bytes[at + 1]} << 8 | u32{bytes[at + 2]} << 16 | u32{bytes[at + 3]} << 24;
}

/// rows x columns signed bytes; `place` says where an element lies in the kernel's memory.
template <class Place>
std::vector<i32> bytes_matrix(Numbers& numbers, u32 rows, u32 columns, const Place& place) {
  const std::vector<u32> words = numbers.words(rows * columns / 4);
  std::vector<i32> matrix(u64{rows} * columns);
  for (u32 i = 0; i < rows; ++i)
    for (u32 k = 0; k < columns; ++k) matrix[i * columns + k] = byte_of(words, place(i, k));
  return matrix;
}

/// sum of products of rows i of a and j of b, once.
u32 dot(const Matrices& matrices, u32 i, u32 j) {
  u32 sum = 0;
  for (u32 k = 0; k < matrices.k; ++k)
    sum += static_cast<u32>(matrices.a[i * matrices.k + k]) *
           static_cast<u32>(matrices.b[j * matrices.k + k]);
  return sum;
}

u32 systolic(const Seat& seat, u32 tile) {
  constexpr u32 steps = 256;
  // Step s holds word (s, i) of row i: four bytes that travel together.
  const auto place = [&](u32 i, u32 k) { return 4 * (k / 4 * tile + i) + k % 4; };
  Numbers rows(1000 + seat.row), columns(2000 + seat.column);
  Matrices matrices{tile, tile, 4 * steps, {}, {}};
  matrices.a = bytes_matrix(rows, tile, 4 * steps, place);
  matrices.b = bytes_matrix(columns, tile, 4 * steps, place);
  return product_checksum(matrices, seat.rounds);
}

}  // namespace

std::vector<u32> Numbers::words(u32 count) {
  std::vector<u32> words(count);
  for (u32& word : words) word = next();
  return words;
}

u32 checksum(u32 sum, std::span<const u32> words) {
  for (const u32 word : words) sum = sum * 31 + word;
  return sum;
}

u32 product_checksum(const Matrices& matrices, u32 rounds) {
  // Every round adds the same product, so that a round need be computed once.
  u32 sum = 0;
  for (u32 i = 0; i < matrices.m; ++i)
    for (u32 j = 0; j < matrices.n; ++j) sum = sum * 31 + rounds * dot(matrices, i, j);
  return sum;
}

Matrices wide_matrices(const Seat& seat) {
  constexpr u32 m = 32, n = 32, k = 256;
  const auto interleaved = [](u32 i, u32 at) {
    return i / 4 * (4 * k) + at / 8 * 32 + i % 4 * 8 + at % 8;
  };
  Numbers numbers(seat.pe());
  Matrices matrices{m, n, k, {}, {}};
  matrices.a = bytes_matrix(numbers, m, k, interleaved);
  matrices.b = bytes_matrix(numbers, n, k, interleaved);
  return matrices;
}

Matrices dot4_matrices(const Seat& seat) {
  constexpr u32 m = 32, n = 32, k = 256;
  const auto by_row = [](u32 i, u32 at) { return i * k + at; };
  Numbers numbers(seat.pe());
  Matrices matrices{m, n, k, {}, {}};
  matrices.a = bytes_matrix(numbers, m, k, by_row);
  matrices.b = bytes_matrix(numbers, n, k, by_row);
  return matrices;
}

Matrices mul_matrices(const Seat& seat) {
  Numbers numbers(seat.pe());
  Matrices matrices{32, 16, 64, {}, {}};
  for (const u32 word : numbers.words(32 * 64)) matrices.a.push_back(static_cast<i32>(word));
  for (const u32 word : numbers.words(16 * 64)) matrices.b.push_back(static_cast<i32>(word));
  return matrices;
}

u32 gemm_wide(const Seat& seat, Input) {
  return product_checksum(wide_matrices(seat), seat.rounds);
}
u32 gemm_dot4(const Seat& seat, Input) {
  return product_checksum(dot4_matrices(seat), seat.rounds);
}
u32 gemm_mul(const Seat& seat, Input) { return product_checksum(mul_matrices(seat), seat.rounds); }

u32 gather_scatter(const Seat& seat, Input) {
  constexpr u32 words = 2048;
  Numbers numbers(seat.pe());
  const std::vector<u32> table = numbers.words(words);
  std::vector<u32> sums = numbers.words(words);
  const std::vector<u32> places = numbers.words(words);
  for (u32 round = 0; round < seat.rounds; ++round)
    for (const u32 place : places) sums[place / words % words] += table[place % words] ^ round;
  return checksum(0, sums);
}

u32 sort(const Seat& seat, Input) {
  Numbers numbers(seat.pe());
  u32 sum = 0;
  for (u32 round = 0; round < seat.rounds; ++round) {
    std::vector<u32> words = numbers.words(1024);
    std::sort(words.begin(), words.end());
    sum = checksum(sum, words);
  }
  return sum;
}

u32 search_binary(const Seat& seat, Input) {
  Numbers numbers(seat.pe());
  std::vector<u32> table(2048);
  u32 last = 0;
  for (u32& entry : table) entry = last += 1 + numbers.next() % 16;
  u32 sum = 0;
  for (u64 query = 0; query < u64{1024} * seat.rounds; ++query) {
    const auto found = std::lower_bound(table.begin(), table.end(), numbers.next() % 16384);
    sum = sum * 31 + static_cast<u32>(found - table.begin());
  }
  return sum;
}

u32 search_hash(const Seat& seat, Input) {
  constexpr u32 slot_count = 4096;
  Numbers numbers(seat.pe());
  std::vector<u32> slots(slot_count);
  const auto find = [&](u32 key) {
    u32 at = key * 0x9e37'79b1u >> 20;
    for (; slots[at] != 0 && slots[at] != key; at = (at + 1) % slot_count) {
    }
    return at;
  };
  for (u32 i = 0; i < 2600; ++i) {
    const u32 key = numbers.next() % 8192 + 1;
    slots[find(key)] = key;
  }
  u32 sum = 0;
  for (u64 query = 0; query < u64{1024} * seat.rounds; ++query) {
    const u32 key = numbers.next() % 8192 + 1;
    const u32 at = find(key);
    sum = sum * 31 + at + (slots[at] == key ? slot_count : 0);
  }
  return sum;
}

u32 systolic_gemm(const Seat& seat, Input) { return systolic(seat, 4); }
u32 systolic_words(const Seat& seat, Input) { return systolic(seat, 1); }

namespace {

u32 broadcast(const Seat& seat, Input input, u32 copies) {
  constexpr u32 chunk = 2048, chunks = 64;
  u32 sum = 0;
  for (u32 step = 0; step < 2 * seat.rounds; ++step) {
    const u32 from = (seat.row * 7 + step) % chunks * chunk;
    for (u32 look = 0; look < 16; ++look) {
      // Each 8 bytes of the chunk stand `copies` times in a row.
      const u32 word = (look * 131 + step) % (copies * chunk / 4);
      sum = sum * 31 + word_at(input, from + word / (2 * copies) * 8 + word % 2 * 4);
    }
  }
  return sum;
}

constexpr u32 side = 64, across = 16, own_tiles = 4;

/// Byte (row, column) of a PE's tile `k`, in the input image.
u32 tile_byte(const Seat& seat, u32 k, u32 row, u32 column) {
  const u32 number = (own_tiles * seat.pe() + k) % (across * across);
  return (number / across * side + row) * (across * side) + number % across * side + column;
}

}  // namespace

u32 broadcast_rows(const Seat& seat, Input input) { return broadcast(seat, input, 1); }
u32 broadcast_wide(const Seat& seat, Input input) { return broadcast(seat, input, 4); }

u32 copy_tiles(const Seat& seat, Input input) {
  u32 sum = 0;
  for (u32 step = 0; step < own_tiles * seat.rounds; ++step)
    for (u32 look = 0; look < 8; ++look) {
      const u32 at = (look * 131 + step) % (side * side / 4) * 4;
      sum = sum * 31 + word_at(input, tile_byte(seat, step % own_tiles, at / side, at % side));
    }
  return sum;
}

void copied_tiles(const Seat& seat, Input input, std::span<u8> own) {
  for (u32 row = 0; row < side; ++row)
    for (u32 column = 0; column < own_tiles * side; ++column)
      own[row * own_tiles * side + column] =
          input[tile_byte(seat, column / side, row, column % side)];
}

u32 single_mix(const Seat& seat, Input) {
  mix_memory memory;
  return mix_run(&memory, Numbers(seat.pe()).state(), seat.rounds);
}

u32 single_crc(const Seat& seat, Input) {
  Numbers numbers(seat.pe());
  const std::vector<u32> words = numbers.words(4096);
  std::array<u32, 256> table{};
  for (u32 i = 0; i < 256; ++i) {
    table[i] = i;
    for (u32 bit = 0; bit < 8; ++bit)
      table[i] = table[i] >> 1 ^ (0xedb8'8320u & (0u - (table[i] & 1)));
  }
  u32 crc = ~0u;
  for (u32 round = 0; round < seat.rounds; ++round)
    for (const u32 word : words)
      for (u32 shift = 0; shift < 32; shift += 8)
        crc = table[(crc ^ word >> shift) & 255] ^ crc >> 8;
  return ~crc;
}

u32 single_sieve(const Seat& seat, Input) {
  // A round's checksum is always the same one.
  u32 once = 0;
  for (u32 number = 2; number < 24'000; ++number) {
    bool prime = true;
    for (u32 divisor = 2; divisor * divisor <= number && prime; ++divisor)
      prime = number % divisor != 0;
    if (prime) once = once * 31 + number;
  }
  u32 sum = seed + seat.pe();
  for (u32 round = 0; round < seat.rounds; ++round) sum = sum * 31 + once;
  return sum;
}

}  // namespace simfarm::bench::models
