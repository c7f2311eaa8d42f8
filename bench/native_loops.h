// One body for every level of the host's instruction set. A file that includes this is compiled for
// its level, so nothing here may be shared with other files: no standard library, and templates
// only over the level's own type.
#pragma once

namespace simfarm::bench::native_detail {

/// c[M][N] += a[M][K] x b[K][N], lanes along N, Rows x Vectors sums in registers. `Step` multiplies
/// and adds; its Vector holds `lanes` words.
template <class Step, int M, int N, int K, int Rows, int Vectors>
inline void gemm(const unsigned* a, const unsigned* b, unsigned* c) {
  using Vector = typename Step::Vector;
  constexpr int lanes = Step::lanes;
  static_assert(M % Rows == 0 && N % (Vectors * lanes) == 0);
  for (int j = 0; j < N; j += Vectors * lanes)
    for (int i = 0; i < M; i += Rows) {
      Vector sums[Rows][Vectors];
      for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v) sums[r][v] = Step::load(c + (i + r) * N + j + v * lanes);
      for (int k = 0; k < K; ++k) {
        Vector right[Vectors];
        for (int v = 0; v < Vectors; ++v) right[v] = Step::load(b + k * N + j + v * lanes);
        for (int r = 0; r < Rows; ++r) {
          const Vector left = Step::broadcast(a[(i + r) * K + k]);
          for (int v = 0; v < Vectors; ++v)
            sums[r][v] = Step::multiply_add(sums[r][v], left, right[v]);
        }
      }
      for (int r = 0; r < Rows; ++r)
        for (int v = 0; v < Vectors; ++v) Step::store(c + (i + r) * N + j + v * lanes, sums[r][v]);
    }
}

}  // namespace simfarm::bench::native_detail
