// What the host's levels have in common: the primitives on one host vector, as the compiler's
// vector types express them. A level (pe/bodies/level_*.h) derives from Vectors and gives what it
// has instructions for: multiply_add, shuffle_bytes, multiply_wide, bits.
#pragma once
#include "pe/bodies/scalar.h"

namespace simfarm::bodies {

/// The compiler's vector of `size` bytes.
template <class T, u32 size>
struct VectorOf {
  typedef T Type __attribute__((vector_size(size)));
};

/// `Level` is the derived level, `size` its vectors' bytes.
template <class Level, u32 size>
struct Vectors {
  using N = typename VectorOf<u32, size>::Type;
  using S = typename VectorOf<i32, size>::Type;
  using Mask = N;  ///< lanes of all ones or zeros
  static constexpr u32 lanes = size / 4;

  [[gnu::always_inline]] static N value(u32 constant) { return N{} + constant; }
  [[gnu::always_inline]] static N sar(N a, N by) { return N(S(a) >> S(by)); }
  [[gnu::always_inline]] static N sar(N a, u32 by) { return N(S(a) >> static_cast<i32>(by)); }
  [[gnu::always_inline]] static N rotate_right(N a, N by) {
    return a >> (by & 31) | a << (-by & 31);
  }

  [[gnu::always_inline]] static N equal(N a, N b) { return N(a == b); }
  [[gnu::always_inline]] static N less(N a, N b) { return N(S(a) < S(b)); }
  [[gnu::always_inline]] static N less_unsigned(N a, N b) { return N(a < b); }
  [[gnu::always_inline]] static N invert(N m) { return ~m; }
  [[gnu::always_inline]] static N select(N m, N a, N b) { return m ? a : b; }
  [[gnu::always_inline]] static N mask(u32 bits) {
    N place;
    for (u32 k = 0; k < lanes; ++k) place[k] = 1u << k;
    return N((value(bits) & place) == place);
  }

  [[gnu::always_inline]] static N min(N a, N b) { return S(a) < S(b) ? a : b; }
  [[gnu::always_inline]] static N max(N a, N b) { return S(a) > S(b) ? a : b; }
  [[gnu::always_inline]] static N min_unsigned(N a, N b) { return a < b ? a : b; }
  [[gnu::always_inline]] static N max_unsigned(N a, N b) { return a > b ? a : b; }

  template <class P>
  [[gnu::always_inline]] static N add(P, N a, N b) {
    return N(unsigned_parts<P>(a) + unsigned_parts<P>(b));
  }
  template <class P>
  [[gnu::always_inline]] static N subtract(P, N a, N b) {
    return N(unsigned_parts<P>(a) - unsigned_parts<P>(b));
  }
  template <class P>
  [[gnu::always_inline]] static N min(P, N a, N b) {
    return N(signed_parts<P>(a) < signed_parts<P>(b) ? signed_parts<P>(a) : signed_parts<P>(b));
  }
  template <class P>
  [[gnu::always_inline]] static N max(P, N a, N b) {
    return N(signed_parts<P>(a) > signed_parts<P>(b) ? signed_parts<P>(a) : signed_parts<P>(b));
  }
  template <class P>
  [[gnu::always_inline]] static N min_unsigned(P, N a, N b) {
    return N(unsigned_parts<P>(a) < unsigned_parts<P>(b) ? unsigned_parts<P>(a)
                                                         : unsigned_parts<P>(b));
  }
  template <class P>
  [[gnu::always_inline]] static N max_unsigned(P, N a, N b) {
    return N(unsigned_parts<P>(a) > unsigned_parts<P>(b) ? unsigned_parts<P>(a)
                                                         : unsigned_parts<P>(b));
  }
  template <class P>
  [[gnu::always_inline]] static N mask_equal(P, N a, N b) {
    return N(unsigned_parts<P>(a) == unsigned_parts<P>(b));
  }
  template <class P>
  [[gnu::always_inline]] static N mask_less(P, N a, N b) {
    return N(signed_parts<P>(a) < signed_parts<P>(b));
  }
  template <class P>
  [[gnu::always_inline]] static N mask_less_unsigned(P, N a, N b) {
    return N(unsigned_parts<P>(a) < unsigned_parts<P>(b));
  }

  // Level::multiply_add(a, b) is the sum of the products of two signed halves. An unsigned half is
  // a signed one, its top bit inverted, plus 2^15.
  [[gnu::always_inline]] static N dot_signed(Halves, N sum, N a, N b) {
    return sum + Level::multiply_add(a, b);
  }
  [[gnu::always_inline]] static N dot_unsigned_signed(Halves, N sum, N a, N b) {
    const N ones = value(Halves::ones);
    return sum + Level::multiply_add(a ^ Halves::signs, b) + (Level::multiply_add(b, ones) << 15);
  }
  [[gnu::always_inline]] static N dot_unsigned(Halves, N sum, N a, N b) {
    const N ones = value(Halves::ones), x = a ^ Halves::signs, y = b ^ Halves::signs;
    const N apart = Level::multiply_add(x, ones) + Level::multiply_add(y, ones);
    return sum + Level::multiply_add(x, y) + (apart << 15) + (2u << 30);
  }

  // Bytes as halves: the even ones and the odd ones.
  [[gnu::always_inline]] static N dot_signed(Bytes, N sum, N a, N b) {
    return sum + Level::multiply_add(even_signed(a), even_signed(b)) +
           Level::multiply_add(odd_signed(a), odd_signed(b));
  }
  [[gnu::always_inline]] static N dot_unsigned(Bytes, N sum, N a, N b) {
    return sum + Level::multiply_add(even(a), even(b)) + Level::multiply_add(odd(a), odd(b));
  }
  [[gnu::always_inline]] static N dot_unsigned_signed(Bytes, N sum, N a, N b) {
    return sum + Level::multiply_add(even(a), even_signed(b)) +
           Level::multiply_add(odd(a), odd_signed(b));
  }

  // Lane after lane, where a level has no instruction.
  using One = ScalarLanes<Level>;
  [[gnu::always_inline]] static N divide(N a, N b) { return each<&One::divide>(a, b); }
  [[gnu::always_inline]] static N divide_unsigned(N a, N b) {
    return each<&One::divide_unsigned>(a, b);
  }
  [[gnu::always_inline]] static N remainder(N a, N b) { return each<&One::remainder>(a, b); }
  [[gnu::always_inline]] static N remainder_unsigned(N a, N b) {
    return each<&One::remainder_unsigned>(a, b);
  }
  [[gnu::always_inline]] static N count_ones(N a) { return each<&One::count_ones>(a); }
  [[gnu::always_inline]] static N leading_zeros(N a) { return each<&One::leading_zeros>(a); }
  [[gnu::always_inline]] static N trailing_zeros(N a) { return Level::count_ones(~a & (a - 1)); }

  template <auto f, class... T>
  [[gnu::always_inline]] static N each(T... a) {
    N r;
    for (u32 k = 0; k < lanes; ++k) r[k] = f(a[k]...);
    return r;
  }

 private:
  using H = typename VectorOf<u16, size>::Type;
  using SH = typename VectorOf<i16, size>::Type;
  template <class P>
  using Unsigned = typename VectorOf<std::conditional_t<P::bits == 8, u8, u16>, size>::Type;
  template <class P>
  using Signed = typename VectorOf<std::conditional_t<P::bits == 8, i8, i16>, size>::Type;

  template <class P>
  [[gnu::always_inline]] static Unsigned<P> unsigned_parts(N a) {
    return Unsigned<P>(a);
  }
  template <class P>
  [[gnu::always_inline]] static Signed<P> signed_parts(N a) {
    return Signed<P>(a);
  }
  [[gnu::always_inline]] static N even(N a) { return a & 0x00ff'00ff; }
  [[gnu::always_inline]] static N odd(N a) { return N(H(a) >> 8); }
  [[gnu::always_inline]] static N even_signed(N a) { return N(SH(H(a) << 8) >> 8); }
  [[gnu::always_inline]] static N odd_signed(N a) { return N(SH(a) >> 8); }
};

}  // namespace simfarm::bodies
