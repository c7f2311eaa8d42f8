#include "bench/native.h"

#include "bench/models.h"

namespace simfarm::bench {

std::vector<const NativeLoops*> native_levels() {
  std::vector<const NativeLoops*> levels;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vnni"))
    levels.push_back(&native_avx512);
  if (__builtin_cpu_supports("avx2")) levels.push_back(&native_avx2);
  levels.push_back(&native_baseline);
  return levels;
}

NativeWork::NativeWork(const Case& which, std::span<const Seat> seats) : kind_(which.native) {
  for (const Seat& seat : seats) {
    const Matrices matrices = which.matrices(seat);
    Pe pe;
    pe.rounds = seat.rounds;
    pe.c.resize(matrices.m * matrices.n);
    // int8 products in pairs: a word holds elements k and k + 1, as int16.
    const u32 step = kind_ == Native::gemm_i8 ? 2 : 1;
    const auto packed = [&](const std::vector<i32>& rows, u32 row, u32 k) {
      const i32* const at = rows.data() + row * matrices.k + k;
      return step == 1 ? static_cast<u32>(*at)
                       : (static_cast<u32>(at[0]) & 0xffffu) | static_cast<u32>(at[1]) << 16;
    };
    for (u32 i = 0; i < matrices.m; ++i)
      for (u32 k = 0; k < matrices.k; k += step) pe.a.push_back(packed(matrices.a, i, k));
    for (u32 k = 0; k < matrices.k; k += step)
      for (u32 j = 0; j < matrices.n; ++j) pe.b.push_back(packed(matrices.b, j, k));
    pes_.push_back(std::move(pe));
  }
}

void NativeWork::run(const NativeLoops& loops) {
  const auto gemm = kind_ == Native::gemm_i8 ? loops.gemm_i8 : loops.gemm_i32;
  for (Pe& pe : pes_) {
    std::fill(pe.c.begin(), pe.c.end(), 0);
    for (u32 round = 0; round < pe.rounds; ++round) gemm(pe.a.data(), pe.b.data(), pe.c.data());
  }
}

std::vector<u32> NativeWork::answers() const {
  std::vector<u32> answers;
  for (const Pe& pe : pes_) answers.push_back(models::checksum(0, pe.c));
  return answers;
}

}  // namespace simfarm::bench
