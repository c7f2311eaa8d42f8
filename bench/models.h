// What the kernels compute, written again for the host: each function is the exit code of one PE.
#pragma once
#include <span>
#include <vector>

#include "bench/case.h"

namespace simfarm::bench::models {

/// The numbers that kernels fill their memory with (bench/kernels/bench.h).
class Numbers {
 public:
  explicit Numbers(u32 stream) : state_(seed ^ (stream + 1) * 0x9e37'79b9u) {}
  u32 state() const { return state_; }
  u32 next() {
    state_ = state_ * 1'664'525u + 1'013'904'223u;
    return state_ ^ state_ >> 15;
  }
  std::vector<u32> words(u32 count);

 private:
  u32 state_;
};

/// sum * 31 + word, over all words.
u32 checksum(u32 sum, std::span<const u32> words);
/// Of `rounds` times the product of `matrices`, row by row.
u32 product_checksum(const Matrices& matrices, u32 rounds);

Matrices wide_matrices(const Seat& seat);
Matrices dot4_matrices(const Seat& seat);
Matrices mul_matrices(const Seat& seat);

using Input = std::span<const u8>;
u32 gemm_wide(const Seat& seat, Input);
u32 gemm_dot4(const Seat& seat, Input);
u32 gemm_mul(const Seat& seat, Input);
u32 gather_scatter(const Seat& seat, Input);
u32 sort(const Seat& seat, Input);
u32 search_binary(const Seat& seat, Input);
u32 search_hash(const Seat& seat, Input);
u32 systolic_gemm(const Seat& seat, Input);
u32 systolic_words(const Seat& seat, Input);
u32 broadcast_rows(const Seat& seat, Input input);
u32 broadcast_wide(const Seat& seat, Input input);
u32 copy_tiles(const Seat& seat, Input input);
u32 single_mix(const Seat& seat, Input);
u32 single_crc(const Seat& seat, Input);
u32 single_sieve(const Seat& seat, Input);

void copied_tiles(const Seat& seat, Input input, std::span<u8> own);

}  // namespace simfarm::bench::models
