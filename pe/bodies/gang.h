// The lane context of sixteen PEs: V is sixteen u32, held in as many of the host's vectors as it
// takes. Level is one instruction set of the host (pe/bodies/level_*.h); every function here has it
// in its name, so that the linker never takes one level's code for another's. For the same reason
// nothing here calls an inline function of the standard library.
#pragma once
#include "pe/bodies/body.h"

namespace simfarm::bodies {

/// Lanes of a gang.
inline constexpr u32 gang_lanes = 16;

template <class Level>
struct GangOf {
  using N = typename Level::N;                          ///< one host vector of u32
  static constexpr u32 step = sizeof(N) / sizeof(u32);  ///< lanes of one
  static constexpr u32 pieces = gang_lanes / step;

  struct V {
    N n[pieces];

    [[gnu::always_inline]] friend inline V operator+(const V& a, const V& b) {
      return map([](N x, N y) { return x + y; }, a, b);
    }
    [[gnu::always_inline]] friend inline V operator-(const V& a, const V& b) {
      return map([](N x, N y) { return x - y; }, a, b);
    }
    [[gnu::always_inline]] friend inline V operator*(const V& a, const V& b) {
      return map([](N x, N y) { return x * y; }, a, b);
    }
    [[gnu::always_inline]] friend inline V operator&(const V& a, const V& b) {
      return map([](N x, N y) { return x & y; }, a, b);
    }
    [[gnu::always_inline]] friend inline V operator|(const V& a, const V& b) {
      return map([](N x, N y) { return x | y; }, a, b);
    }
    [[gnu::always_inline]] friend inline V operator^(const V& a, const V& b) {
      return map([](N x, N y) { return x ^ y; }, a, b);
    }
    [[gnu::always_inline]] friend inline V operator<<(const V& a, const V& b) {
      return map([](N x, N y) { return x << y; }, a, b);
    }
    [[gnu::always_inline]] friend inline V operator>>(const V& a, const V& b) {
      return map([](N x, N y) { return x >> y; }, a, b);
    }
    [[gnu::always_inline]] friend inline V operator~(const V& a) {
      return map([](N x) { return ~x; }, a);
    }
    [[gnu::always_inline]] friend inline V operator<<(const V& a, u32 by) {
      return map([by](N x) { return x << by; }, a);
    }
    [[gnu::always_inline]] friend inline V operator>>(const V& a, u32 by) {
      return map([by](N x) { return x >> by; }, a);
    }
  };
  struct M {
    typename Level::Mask n[pieces];
  };

  /// `f` of each piece of the arguments. Unrolled, or else the pieces would live in memory.
  template <class F, class... T>
  [[gnu::always_inline]] static V map(F f, const T&... a) {
    V r;
#pragma GCC unroll 4
    for (u32 k = 0; k < pieces; ++k) r.n[k] = f(a.n[k]...);
    return r;
  }

  template <class F, class... T>
  [[gnu::always_inline]] static M test(F f, const T&... a) {
    M r;
#pragma GCC unroll 4
    for (u32 k = 0; k < pieces; ++k) r.n[k] = f(a.n[k]...);
    return r;
  }

  // For the engine: registers are rows of sixteen words, on 64 bytes; a mask is a word with a
  // bit a lane.
  [[gnu::always_inline]] static V load(const u32* from) {
    V r;
#pragma GCC unroll 4
    for (u32 k = 0; k < pieces; ++k) r.n[k] = *reinterpret_cast<const InMemory*>(from + k * step);
    return r;
  }
  [[gnu::always_inline]] static void store(u32* to, const V& a) {
#pragma GCC unroll 4
    for (u32 k = 0; k < pieces; ++k) *reinterpret_cast<InMemory*>(to + k * step) = a.n[k];
  }
  /// Stores the lanes where `m` holds.
  [[gnu::always_inline]] static void store_where(const M& m, u32* to, const V& a) {
    store(to, select(m, a, load(to)));
  }
  [[gnu::always_inline]] static u32 bits(const M& m) {
    u32 all = 0;
#pragma GCC unroll 4
    for (u32 k = 0; k < pieces; ++k) all |= Level::bits(m.n[k]) << (k * step);
    return all;
  }
  [[gnu::always_inline]] static M mask(u32 bits) {
    M r;
#pragma GCC unroll 4
    for (u32 k = 0; k < pieces; ++k) r.n[k] = Level::mask(bits >> (k * step));
    return r;
  }

  [[gnu::always_inline]] static V value(u32 constant) {
    return map([constant] { return Level::value(constant); });
  }
  [[gnu::always_inline]] static V sar(const V& a, const V& by) {
    return map([](N x, N y) { return Level::sar(x, y); }, a, by);
  }
  [[gnu::always_inline]] static V sar(const V& a, u32 by) {
    return map([by](N x) { return Level::sar(x, by); }, a);
  }
  [[gnu::always_inline]] static V rotate_right(const V& a, const V& by) {
    return map([](N x, N y) { return Level::rotate_right(x, y); }, a, by);
  }
  [[gnu::always_inline]] static V rotate_right(const V& a, u32 by) {
    return rotate_right(a, value(by));
  }

  [[gnu::always_inline]] static M equal(const V& a, const V& b) {
    return test([](N x, N y) { return Level::equal(x, y); }, a, b);
  }
  [[gnu::always_inline]] static M less(const V& a, const V& b) {
    return test([](N x, N y) { return Level::less(x, y); }, a, b);
  }
  [[gnu::always_inline]] static M less_unsigned(const V& a, const V& b) {
    return test([](N x, N y) { return Level::less_unsigned(x, y); }, a, b);
  }
  [[gnu::always_inline]] static M invert(const M& m) {
    return test([](typename Level::Mask x) { return Level::invert(x); }, m);
  }
  [[gnu::always_inline]] static V select(const M& m, const V& a, const V& b) {
    return map([](typename Level::Mask x, N y, N z) { return Level::select(x, y, z); }, m, a, b);
  }

  [[gnu::always_inline]] static V min(const V& a, const V& b) {
    return map([](N x, N y) { return Level::min(x, y); }, a, b);
  }
  [[gnu::always_inline]] static V max(const V& a, const V& b) {
    return map([](N x, N y) { return Level::max(x, y); }, a, b);
  }
  [[gnu::always_inline]] static V min_unsigned(const V& a, const V& b) {
    return map([](N x, N y) { return Level::min_unsigned(x, y); }, a, b);
  }
  [[gnu::always_inline]] static V max_unsigned(const V& a, const V& b) {
    return map([](N x, N y) { return Level::max_unsigned(x, y); }, a, b);
  }

  [[gnu::always_inline]] static Wide<V> multiply_wide(const V& a, const V& b) {
    Wide<V> r;
#pragma GCC unroll 4
    for (u32 k = 0; k < pieces; ++k) Level::multiply_wide(a.n[k], b.n[k], r.low.n[k], r.high.n[k]);
    return r;
  }
  [[gnu::always_inline]] static Wide<V> multiply_wide_unsigned(const V& a, const V& b) {
    Wide<V> r;
#pragma GCC unroll 4
    for (u32 k = 0; k < pieces; ++k)
      Level::multiply_wide_unsigned(a.n[k], b.n[k], r.low.n[k], r.high.n[k]);
    return r;
  }
  [[gnu::always_inline]] static V divide(const V& a, const V& b) {
    return map([](N x, N y) { return Level::divide(x, y); }, a, b);
  }
  [[gnu::always_inline]] static V divide_unsigned(const V& a, const V& b) {
    return map([](N x, N y) { return Level::divide_unsigned(x, y); }, a, b);
  }
  [[gnu::always_inline]] static V remainder(const V& a, const V& b) {
    return map([](N x, N y) { return Level::remainder(x, y); }, a, b);
  }
  [[gnu::always_inline]] static V remainder_unsigned(const V& a, const V& b) {
    return map([](N x, N y) { return Level::remainder_unsigned(x, y); }, a, b);
  }
  [[gnu::always_inline]] static V count_ones(const V& a) {
    return map([](N x) { return Level::count_ones(x); }, a);
  }
  [[gnu::always_inline]] static V leading_zeros(const V& a) {
    return map([](N x) { return Level::leading_zeros(x); }, a);
  }
  [[gnu::always_inline]] static V trailing_zeros(const V& a) {
    return map([](N x) { return Level::trailing_zeros(x); }, a);
  }
  [[gnu::always_inline]] static V shuffle_bytes(const V& a, const V& which) {
    return map([](N x, N y) { return Level::shuffle_bytes(x, y); }, a, which);
  }
  [[gnu::always_inline]] static V shuffle_bytes(const V& a, u32 which) {
    return shuffle_bytes(a, value(which));
  }

  template <class P>
  [[gnu::always_inline]] static V add(P p, const V& a, const V& b) {
    return map([p](N x, N y) { return Level::add(p, x, y); }, a, b);
  }
  template <class P>
  [[gnu::always_inline]] static V subtract(P p, const V& a, const V& b) {
    return map([p](N x, N y) { return Level::subtract(p, x, y); }, a, b);
  }
  template <class P>
  [[gnu::always_inline]] static V min(P p, const V& a, const V& b) {
    return map([p](N x, N y) { return Level::min(p, x, y); }, a, b);
  }
  template <class P>
  [[gnu::always_inline]] static V max(P p, const V& a, const V& b) {
    return map([p](N x, N y) { return Level::max(p, x, y); }, a, b);
  }
  template <class P>
  [[gnu::always_inline]] static V min_unsigned(P p, const V& a, const V& b) {
    return map([p](N x, N y) { return Level::min_unsigned(p, x, y); }, a, b);
  }
  template <class P>
  [[gnu::always_inline]] static V max_unsigned(P p, const V& a, const V& b) {
    return map([p](N x, N y) { return Level::max_unsigned(p, x, y); }, a, b);
  }
  template <class P>
  [[gnu::always_inline]] static V mask_equal(P p, const V& a, const V& b) {
    return map([p](N x, N y) { return Level::mask_equal(p, x, y); }, a, b);
  }
  template <class P>
  [[gnu::always_inline]] static V mask_less(P p, const V& a, const V& b) {
    return map([p](N x, N y) { return Level::mask_less(p, x, y); }, a, b);
  }
  template <class P>
  [[gnu::always_inline]] static V mask_less_unsigned(P p, const V& a, const V& b) {
    return map([p](N x, N y) { return Level::mask_less_unsigned(p, x, y); }, a, b);
  }
  template <class P>
  [[gnu::always_inline]] static V dot_signed(P p, const V& sum, const V& a, const V& b) {
    return map([p](N s, N x, N y) { return Level::dot_signed(p, s, x, y); }, sum, a, b);
  }
  template <class P>
  [[gnu::always_inline]] static V dot_unsigned(P p, const V& sum, const V& a, const V& b) {
    return map([p](N s, N x, N y) { return Level::dot_unsigned(p, s, x, y); }, sum, a, b);
  }
  template <class P>
  [[gnu::always_inline]] static V dot_unsigned_signed(P p, const V& sum, const V& a, const V& b) {
    return map([p](N s, N x, N y) { return Level::dot_unsigned_signed(p, s, x, y); }, sum, a, b);
  }

 private:
  /// N, wherever there are words. Piece by piece: a copy of all goes through other registers.
  typedef N InMemory [[gnu::may_alias]];
};

}  // namespace simfarm::bodies
