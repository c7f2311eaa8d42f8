// The gemm kernels' work done by the host itself: what a simulator's speed is compared with.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "bench/case.h"

namespace simfarm::bench {

/// Loops over one PE's matrices, operands packed by NativeWork, for one level of the host's
/// instruction set.
struct NativeLoops {
  std::string_view isa;  ///< "avx512-vnni", "avx2", "baseline"
  /// c[32][32] += a x b, 128 steps of two int16 products; a[32][128], b[128][32].
  void (*gemm_i8)(const u32* a, const u32* b, u32* c) = nullptr;
  /// c[32][16] += a x b; a[32][64], b[64][16].
  void (*gemm_i32)(const u32* a, const u32* b, u32* c) = nullptr;
};

extern const NativeLoops native_avx512;
extern const NativeLoops native_avx2;
extern const NativeLoops native_baseline;

/// Those that this host can run, the best first.
std::vector<const NativeLoops*> native_levels();

/// A case's matrices of all PEs, ready to be multiplied.
class NativeWork {
 public:
  /// `seats` are the run's PEs.
  NativeWork(const Case& which, std::span<const Seat> seats);
  /// Does everything: for each PE, all its rounds. The time of this call is the native time.
  void run(const NativeLoops& loops);
  /// What the PEs' exit codes would be after run().
  std::vector<u32> answers() const;

 private:
  struct Pe {
    std::vector<u32> a, b, c;
    u32 rounds = 0;
  };
  Native kind_;
  std::vector<Pe> pes_;
};

}  // namespace simfarm::bench
