// The contract between instruction bodies and what they are instantiated with. A body is written
// once, over a *lane context* L: for one PE (Scalar), for sixteen (Gang), or as generated code. It
// computes with values of L::V, 32 bits a lane, and conditions of L::M, and has no C++ control flow
// that depends on either. What a translation knows (immediates, pc, length) is plain u32.
//
// Operators of V, lane by lane and modulo 2^32: + - * & | ^ ~, and << >> (logical) by a V or a u32;
// amounts are below 32, always.
//
// Named functions of L; "parts" are the four bytes or two halves of one lane, p says which:
//
//   value(u32)                V  the constant, in every lane
//   sar(a, n)                 V  arithmetic shift right by a V or a u32, below 32
//   rotate_right(a, n)        V  by the V or u32 n modulo 32
//   equal(a, b)               M  a == b
//   less(a, b)                M  a < b, signed
//   less_unsigned(a, b)       M
//   invert(m)                 M  not m
//   select(m, a, b)           V  a where m holds, else b
//   min max (a, b)            V  signed
//   min_unsigned max_unsigned V
//   multiply_wide(a, b)       Wide<V>  the 64-bit product as two words, signed
//   multiply_wide_unsigned    Wide<V>
//   divide remainder (a, b)   V  as RISC-V's div and rem: a / 0 = -1, a % 0 = a, INT_MIN / -1 =
//                                INT_MIN, INT_MIN % -1 = 0
//   divide_unsigned           V  as divu: a / 0 = 2^32 - 1
//   remainder_unsigned        V  as remu: a % 0 = a
//   count_ones(a)             V
//   leading_zeros(a)          V  32 for 0
//   trailing_zeros(a)         V  32 for 0
//   shuffle_bytes(a, which)   V  byte i is byte which.b[i] of the same lane of a; which is a V or a
//                                u32 (for all lanes), its bytes are 0..3, always
//   add subtract (p, a, b)    V  part by part, wrapping in the part
//   min max (p, a, b)         V  signed parts
//   min_unsigned max_unsigned (p, a, b)  V
//   mask_equal(p, a, b)       V  parts of all ones where the parts are equal, else zeros
//   mask_less(p, a, b)        V  the same for a < b, signed parts
//   mask_less_unsigned(p, a, b)  V
//   dot_signed(p, sum, a, b)  V  sum + the sum of a's parts times b's, all signed; modulo 2^32
//   dot_unsigned(p, sum, a, b)  V  all unsigned
//   dot_unsigned_signed(p, sum, a, b)  V  a's parts unsigned, b's signed
#pragma once
#include <concepts>

#include "base/types.h"

namespace simfarm::bodies {

/// What an instruction computes from. Only the registers that the row reads need be set; rd is its
/// value before. Xgp's operand buffer is {x_high, x_low}.
template <class V>
struct Operands {
  V rd{}, rs1{}, rs2{}, rs3{}, x_low{}, x_high{};
  u32 imm = 0;   ///< Operation::imm, sign-extended
  u32 imm2 = 0;  ///< Operation::imm2, zero-extended from its byte
  u32 pc = 0;
  u32 length = 4;
};

template <class V>
struct Wide {
  V low, high;
};

/// The parts of a lane, as arguments: l.add(bytes, a, b).
struct Bytes {
  static constexpr u32 bits = 8, count = 4;
  static constexpr u32 ones = 0x0101'0101;   ///< 1 in every part; times a part, that in every part
  static constexpr u32 signs = 0x8080'8080;  ///< the top bit of every part
};
struct Halves {
  static constexpr u32 bits = 16, count = 2;
  static constexpr u32 ones = 0x0001'0001;
  static constexpr u32 signs = 0x8000'8000;
};
inline constexpr Bytes bytes;
inline constexpr Halves halves;

template <class L, class P>
concept PartContext = requires(L l, typename L::V a, P p) {
  { l.add(p, a, a) } -> std::same_as<typename L::V>;
  { l.subtract(p, a, a) } -> std::same_as<typename L::V>;
  { l.min(p, a, a) } -> std::same_as<typename L::V>;
  { l.max(p, a, a) } -> std::same_as<typename L::V>;
  { l.min_unsigned(p, a, a) } -> std::same_as<typename L::V>;
  { l.max_unsigned(p, a, a) } -> std::same_as<typename L::V>;
  { l.mask_equal(p, a, a) } -> std::same_as<typename L::V>;
  { l.mask_less(p, a, a) } -> std::same_as<typename L::V>;
  { l.mask_less_unsigned(p, a, a) } -> std::same_as<typename L::V>;
  { l.dot_signed(p, a, a, a) } -> std::same_as<typename L::V>;
  { l.dot_unsigned(p, a, a, a) } -> std::same_as<typename L::V>;
  { l.dot_unsigned_signed(p, a, a, a) } -> std::same_as<typename L::V>;
};

template <class L>
concept LaneContext = PartContext<L, Bytes> && PartContext<L, Halves> &&
    requires(L l, typename L::V a, typename L::M m, u32 n) {
  { a + a } -> std::same_as<typename L::V>;
  { a - a } -> std::same_as<typename L::V>;
  { a* a } -> std::same_as<typename L::V>;
  { a& a } -> std::same_as<typename L::V>;
  { a | a } -> std::same_as<typename L::V>;
  { a ^ a } -> std::same_as<typename L::V>;
  { ~a } -> std::same_as<typename L::V>;
  { a << a } -> std::same_as<typename L::V>;
  { a << n } -> std::same_as<typename L::V>;
  { a >> a } -> std::same_as<typename L::V>;
  { a >> n } -> std::same_as<typename L::V>;
  { l.value(n) } -> std::same_as<typename L::V>;
  { l.sar(a, a) } -> std::same_as<typename L::V>;
  { l.sar(a, n) } -> std::same_as<typename L::V>;
  { l.rotate_right(a, a) } -> std::same_as<typename L::V>;
  { l.rotate_right(a, n) } -> std::same_as<typename L::V>;
  { l.equal(a, a) } -> std::same_as<typename L::M>;
  { l.less(a, a) } -> std::same_as<typename L::M>;
  { l.less_unsigned(a, a) } -> std::same_as<typename L::M>;
  { l.invert(m) } -> std::same_as<typename L::M>;
  { l.select(m, a, a) } -> std::same_as<typename L::V>;
  { l.min(a, a) } -> std::same_as<typename L::V>;
  { l.max(a, a) } -> std::same_as<typename L::V>;
  { l.min_unsigned(a, a) } -> std::same_as<typename L::V>;
  { l.max_unsigned(a, a) } -> std::same_as<typename L::V>;
  { l.multiply_wide(a, a) } -> std::same_as<Wide<typename L::V>>;
  { l.multiply_wide_unsigned(a, a) } -> std::same_as<Wide<typename L::V>>;
  { l.divide(a, a) } -> std::same_as<typename L::V>;
  { l.divide_unsigned(a, a) } -> std::same_as<typename L::V>;
  { l.remainder(a, a) } -> std::same_as<typename L::V>;
  { l.remainder_unsigned(a, a) } -> std::same_as<typename L::V>;
  { l.count_ones(a) } -> std::same_as<typename L::V>;
  { l.leading_zeros(a) } -> std::same_as<typename L::V>;
  { l.trailing_zeros(a) } -> std::same_as<typename L::V>;
  { l.shuffle_bytes(a, a) } -> std::same_as<typename L::V>;
  { l.shuffle_bytes(a, n) } -> std::same_as<typename L::V>;
};

}  // namespace simfarm::bodies
