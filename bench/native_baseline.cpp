// What every host of the architecture can run: the compiler's own vectors of four words.
#include "bench/native.h"
#include "bench/native_loops.h"

namespace simfarm::bench {
namespace {

struct Words {
  using Vector = unsigned __attribute__((vector_size(16)));
  using Unaligned = unsigned __attribute__((vector_size(16), aligned(4), may_alias));
  static constexpr int lanes = 4;
  static Vector load(const unsigned* from) { return *reinterpret_cast<const Unaligned*>(from); }
  static void store(unsigned* to, Vector value) { *reinterpret_cast<Unaligned*>(to) = value; }
  static Vector broadcast(unsigned word) { return Vector{word, word, word, word}; }
  static Vector multiply_add(Vector sum, Vector a, Vector b) { return sum + a * b; }
};

struct Pairs : Words {
  static Vector multiply_add(Vector sum, Vector a, Vector b) {
    using Signed = int __attribute__((vector_size(16)));
    const auto x = reinterpret_cast<Signed>(a), y = reinterpret_cast<Signed>(b);
    return sum + reinterpret_cast<Vector>((x << 16 >> 16) * (y << 16 >> 16)) +
           reinterpret_cast<Vector>((x >> 16) * (y >> 16));
  }
};

}  // namespace

const NativeLoops native_baseline = {"baseline", native_detail::gemm<Pairs, 32, 32, 128, 4, 2>,
                                     native_detail::gemm<Words, 32, 16, 64, 4, 2>};

}  // namespace simfarm::bench
