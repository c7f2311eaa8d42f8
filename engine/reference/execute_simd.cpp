// XCVsimd: two halves or four bytes of a register at once. Source: CV32E40P User Manual, "SIMD",
// with the RTL's answer on wrapping: sums wrap in their lane before they are shifted, products and
// their sums at 32 bits.
#include <algorithm>
#include <array>
#include <type_traits>

#include "engine/reference/body.h"

namespace simfarm::reference {
namespace {

template <bool is_signed, u32 bits>
using Lane = std::conditional_t<bits == 16, std::conditional_t<is_signed, i16, u16>,
                                std::conditional_t<is_signed, i8, u8>>;

template <class T>
constexpr u32 lane_bits = 8 * sizeof(T);
template <class T>
constexpr u32 lanes = 4 / sizeof(T);

/// Lane `i` of x, lowest first.
template <class T>
constexpr T lane(u32 x, u32 i) {
  return static_cast<T>(x >> (i * lane_bits<T>));
}
/// `value`, cut to a lane, at the place of lane `i`.
template <class T>
constexpr u32 at_lane(i32 value, u32 i) {
  return u32{static_cast<std::make_unsigned_t<T>>(value)} << (i * lane_bits<T>);
}

/// Where the second operand's lanes come from: rs2, its lowest lane (.sc), the immediate (.sci).
enum class Second { lanes, lowest, immediate };

template <class T, Second second>
T second_lane(const Step& s, u32 i) {
  switch (second) {
    case Second::lanes:
      return lane<T>(s.rs2(), i);
    case Second::lowest:
      return lane<T>(s.rs2(), 0);
    case Second::immediate:
      return static_cast<T>(s.imm());
  }
}

/// rd[i] = f(rs1[i], second[i]); f gets signed or unsigned lanes.
template <bool is_signed, auto f>
struct LaneByLane {
  template <u32 bits, Second second>
  static void body(Step& s) {
    using T = Lane<is_signed, bits>;
    u32 result = 0;
    for (u32 i = 0; i < lanes<T>; ++i)
      result |= at_lane<T>(f(lane<T>(s.rs1(), i), second_lane<T, second>(s, i)), i);
    s.write_rd(result);
  }
};

/// rd = sum of rs1[i] * second[i], on top of rd where it accumulates.
template <bool first_signed, bool second_signed, bool accumulates>
struct DotProduct {
  template <u32 bits, Second second>
  static void body(Step& s) {
    using A = Lane<first_signed, bits>;
    using B = Lane<second_signed, bits>;
    u32 sum = accumulates ? s.rd() : 0;
    for (u32 i = 0; i < lanes<A>; ++i)
      sum += static_cast<u32>(i64{lane<A>(s.rs1(), i)} * i64{second_lane<B, second>(s, i)});
    s.write_rd(sum);
  }
};

/// The six forms of an instruction, whose rows follow one another: .h .sc.h .sci.h .b .sc.b .sci.b.
template <class Form>
consteval std::array<Entry, 6> family(Op first) {
  constexpr std::array<std::string_view, 6> endings = {".h", ".sc.h", ".sci.h",
                                                       ".b", ".sc.b", ".sci.b"};
  const std::string_view name = row(first).name;
  const std::string_view stem = name.substr(0, name.size() - endings[0].size());
  const auto op = [&](u32 k) {
    const Op one = static_cast<Op>(static_cast<u32>(first) + k);
    const std::string_view its = row(one).name;
    if (its.substr(0, stem.size()) != stem || its.substr(stem.size()) != endings[k])
      throw "the rows of this family are not in order";
    return one;
  };
  return {{{op(0), Form::template body<16, Second::lanes>},
           {op(1), Form::template body<16, Second::lowest>},
           {op(2), Form::template body<16, Second::immediate>},
           {op(3), Form::template body<8, Second::lanes>},
           {op(4), Form::template body<8, Second::lowest>},
           {op(5), Form::template body<8, Second::immediate>}}};
}

template <auto f>
using Signed = LaneByLane<true, f>;
template <auto f>
using Unsigned = LaneByLane<false, f>;

// Of two lanes; the result is cut to the lane.
constexpr auto add = [](auto a, auto b) { return a + b; };
constexpr auto subtract = [](auto a, auto b) { return a - b; };
constexpr auto average = []<class T>(T a, T b) { return static_cast<T>(a + b) >> 1; };
constexpr auto smaller = [](auto a, auto b) { return std::min(a, b); };
constexpr auto larger = [](auto a, auto b) { return std::max(a, b); };
constexpr auto shift_right = []<class T>(T a, T b) { return a >> (b & (lane_bits<T> - 1)); };
constexpr auto shift_left = []<class T>(T a, T b) { return a << (b & (lane_bits<T> - 1)); };
constexpr auto bit_or = [](auto a, auto b) { return a | b; };
constexpr auto bit_xor = [](auto a, auto b) { return a ^ b; };
constexpr auto bit_and = [](auto a, auto b) { return a & b; };
constexpr auto equal = [](auto a, auto b) { return -(a == b); };  // all ones or all zeros
constexpr auto not_equal = [](auto a, auto b) { return -(a != b); };
constexpr auto greater = [](auto a, auto b) { return -(a > b); };
constexpr auto greater_equal = [](auto a, auto b) { return -(a >= b); };
constexpr auto less = [](auto a, auto b) { return -(a < b); };
constexpr auto less_equal = [](auto a, auto b) { return -(a <= b); };

template <class T>
constexpr u32 absolute(u32 a) {
  u32 result = 0;
  for (u32 i = 0; i < lanes<T>; ++i) {
    const i32 value = lane<T>(a, i);
    result |= at_lane<T>(value < 0 ? -value : value, i);
  }
  return result;
}

/// Lane imm of rs1, extended as T is.
template <class T>
constexpr u32 extract(u32 a, u32 imm) {
  return static_cast<u32>(i32{lane<T>(a, imm)});
}
template <class T>
constexpr u32 insert(u32 old, u32 a, u32 imm) {
  const u32 mask = at_lane<T>(-1, imm);
  return (old & ~mask) | at_lane<T>(lane<T>(a, 0), imm);
}

/// rd[i] = a[which[i]]
template <class T>
constexpr u32 shuffle(u32 a, u32 which) {
  u32 result = 0;
  for (u32 i = 0; i < lanes<T>; ++i)
    result |= at_lane<T>(lane<T>(a, lane<T>(which, i) & (lanes<T> - 1)), i);
  return result;
}
/// The same out of eight bytes (four halves): rs1 above, the old rd below.
template <class T>
constexpr u32 shuffle_two(u32 old, u32 a, u32 which) {
  u32 result = 0;
  for (u32 i = 0; i < lanes<T>; ++i) {
    const u32 from = lane<T>(which, i);
    result |= at_lane<T>(lane<T>(from & lanes<T> ? a : old, from & (lanes<T> - 1)), i);
  }
  return result;
}
constexpr u32 shuffle_halves_by_bits(u32 a, u32 imm) {
  return shuffle<u16>(a, (imm & 1) | (imm >> 1 & 1) << 16);
}
/// The top byte is given by the instruction, the others by two bits each of the immediate.
template <u32 top>
constexpr u32 shuffle_bytes_by_bits(u32 a, u32 imm) {
  return shuffle<u8>(a, top << 24 | (imm >> 4 & 3) << 16 | (imm >> 2 & 3) << 8 | (imm & 3));
}

constexpr u32 halves(i32 high, i32 low) { return at_lane<u16>(high, 1) | at_lane<u16>(low, 0); }

// Complex numbers: real part in the lower half, imaginary part in the upper; products in Q15.
constexpr i32 real(u32 a) { return lane<i16>(a, 0); }
constexpr i32 imaginary(u32 a) { return lane<i16>(a, 1); }
/// The one case of 2^31, twice (-1) * (-1), wraps.
constexpr i32 wrap(i64 x) { return static_cast<i32>(x); }

template <u32 shift>
constexpr u32 complex_multiply_real(u32 old, u32 a, u32 b) {
  const i64 product = i64{real(a)} * real(b) - i64{imaginary(a)} * imaginary(b);
  return halves(imaginary(old), wrap(product) >> (15 + shift));
}
template <u32 shift>
constexpr u32 complex_multiply_imaginary(u32 old, u32 a, u32 b) {
  const i64 product = i64{real(a)} * imaginary(b) + i64{imaginary(a)} * real(b);
  return halves(wrap(product) >> (15 + shift), real(old));
}

/// (a - b) times -j, each part wrapped and then shifted.
template <u32 shift>
constexpr u32 subtract_rotate(u32 a, u32 b) {
  const i16 high = static_cast<i16>(real(b) - real(a));
  const i16 low = static_cast<i16>(imaginary(a) - imaginary(b));
  return halves(high >> shift, low >> shift);
}
template <u32 shift>
constexpr u32 add_shift(u32 a, u32 b) {
  return halves(static_cast<i16>(imaginary(a) + imaginary(b)) >> shift,
                static_cast<i16>(real(a) + real(b)) >> shift);
}
template <u32 shift>
constexpr u32 subtract_shift(u32 a, u32 b) {
  return halves(static_cast<i16>(imaginary(a) - imaginary(b)) >> shift,
                static_cast<i16>(real(a) - real(b)) >> shift);
}

constexpr Entry single_entries[] = {
    {Op::CV_ABS_H, of_rs1<absolute<i16>>},
    {Op::CV_ABS_B, of_rs1<absolute<i8>>},

    {Op::CV_EXTRACT_H, of_rs1_imm<extract<i16>>},
    {Op::CV_EXTRACT_B, of_rs1_imm<extract<i8>>},
    {Op::CV_EXTRACTU_H, of_rs1_imm<extract<u16>>},
    {Op::CV_EXTRACTU_B, of_rs1_imm<extract<u8>>},
    {Op::CV_INSERT_H, of_rd_rs1_imm<insert<u16>>},
    {Op::CV_INSERT_B, of_rd_rs1_imm<insert<u8>>},

    {Op::CV_SHUFFLE_H, of_rs1_rs2<shuffle<u16>>},
    {Op::CV_SHUFFLE_SCI_H, of_rs1_imm<shuffle_halves_by_bits>},
    {Op::CV_SHUFFLE_B, of_rs1_rs2<shuffle<u8>>},
    {Op::CV_SHUFFLEI0_SCI_B, of_rs1_imm<shuffle_bytes_by_bits<0>>},
    {Op::CV_SHUFFLEI1_SCI_B, of_rs1_imm<shuffle_bytes_by_bits<1>>},
    {Op::CV_SHUFFLEI2_SCI_B, of_rs1_imm<shuffle_bytes_by_bits<2>>},
    {Op::CV_SHUFFLEI3_SCI_B, of_rs1_imm<shuffle_bytes_by_bits<3>>},
    {Op::CV_SHUFFLE2_H, of_rd_rs1_rs2<shuffle_two<u16>>},
    {Op::CV_SHUFFLE2_B, of_rd_rs1_rs2<shuffle_two<u8>>},

    {Op::CV_PACK, of_rs1_rs2<[](u32 a, u32 b) { return a << 16 | (b & 0xffff); }>},
    {Op::CV_PACK_H, of_rs1_rs2<[](u32 a, u32 b) { return (a & 0xffff'0000) | (b >> 16); }>},
    {Op::CV_PACKHI_B, of_rd_rs1_rs2<[](u32 old, u32 a, u32 b) {
       return (old & 0x0000'ffff) | a << 24 | (b & 0xff) << 16;
     }>},
    {Op::CV_PACKLO_B, of_rd_rs1_rs2<[](u32 old, u32 a, u32 b) {
       return (old & 0xffff'0000) | (a & 0xff) << 8 | (b & 0xff);
     }>},

    {Op::CV_CPLXMUL_R, of_rd_rs1_rs2<complex_multiply_real<0>>},
    {Op::CV_CPLXMUL_R_DIV2, of_rd_rs1_rs2<complex_multiply_real<1>>},
    {Op::CV_CPLXMUL_R_DIV4, of_rd_rs1_rs2<complex_multiply_real<2>>},
    {Op::CV_CPLXMUL_R_DIV8, of_rd_rs1_rs2<complex_multiply_real<3>>},
    {Op::CV_CPLXMUL_I, of_rd_rs1_rs2<complex_multiply_imaginary<0>>},
    {Op::CV_CPLXMUL_I_DIV2, of_rd_rs1_rs2<complex_multiply_imaginary<1>>},
    {Op::CV_CPLXMUL_I_DIV4, of_rd_rs1_rs2<complex_multiply_imaginary<2>>},
    {Op::CV_CPLXMUL_I_DIV8, of_rd_rs1_rs2<complex_multiply_imaginary<3>>},
    {Op::CV_CPLXCONJ, of_rs1<[](u32 a) { return halves(-imaginary(a), real(a)); }>},
    {Op::CV_SUBROTMJ, of_rs1_rs2<subtract_rotate<0>>},
    {Op::CV_SUBROTMJ_DIV2, of_rs1_rs2<subtract_rotate<1>>},
    {Op::CV_SUBROTMJ_DIV4, of_rs1_rs2<subtract_rotate<2>>},
    {Op::CV_SUBROTMJ_DIV8, of_rs1_rs2<subtract_rotate<3>>},
    {Op::CV_ADD_DIV2, of_rs1_rs2<add_shift<1>>},
    {Op::CV_ADD_DIV4, of_rs1_rs2<add_shift<2>>},
    {Op::CV_ADD_DIV8, of_rs1_rs2<add_shift<3>>},
    {Op::CV_SUB_DIV2, of_rs1_rs2<subtract_shift<1>>},
    {Op::CV_SUB_DIV4, of_rs1_rs2<subtract_shift<2>>},
    {Op::CV_SUB_DIV8, of_rs1_rs2<subtract_shift<3>>},
};

}  // namespace

constinit const Bodies simd_bodies = bodies(
    {Extension::xcvsimd}, single_entries,  //
    family<Signed<add>>(Op::CV_ADD_H), family<Signed<subtract>>(Op::CV_SUB_H),
    family<Signed<average>>(Op::CV_AVG_H), family<Unsigned<average>>(Op::CV_AVGU_H),
    family<Signed<smaller>>(Op::CV_MIN_H), family<Unsigned<smaller>>(Op::CV_MINU_H),
    family<Signed<larger>>(Op::CV_MAX_H), family<Unsigned<larger>>(Op::CV_MAXU_H),
    family<Unsigned<shift_right>>(Op::CV_SRL_H), family<Signed<shift_right>>(Op::CV_SRA_H),
    family<Unsigned<shift_left>>(Op::CV_SLL_H), family<Unsigned<bit_or>>(Op::CV_OR_H),
    family<Unsigned<bit_xor>>(Op::CV_XOR_H), family<Unsigned<bit_and>>(Op::CV_AND_H),
    family<Signed<equal>>(Op::CV_CMPEQ_H), family<Signed<not_equal>>(Op::CV_CMPNE_H),
    family<Signed<greater>>(Op::CV_CMPGT_H), family<Unsigned<greater>>(Op::CV_CMPGTU_H),
    family<Signed<greater_equal>>(Op::CV_CMPGE_H), family<Unsigned<greater_equal>>(Op::CV_CMPGEU_H),
    family<Signed<less>>(Op::CV_CMPLT_H), family<Unsigned<less>>(Op::CV_CMPLTU_H),
    family<Signed<less_equal>>(Op::CV_CMPLE_H), family<Unsigned<less_equal>>(Op::CV_CMPLEU_H),
    family<DotProduct<false, false, false>>(Op::CV_DOTUP_H),
    family<DotProduct<false, true, false>>(Op::CV_DOTUSP_H),
    family<DotProduct<true, true, false>>(Op::CV_DOTSP_H),
    family<DotProduct<false, false, true>>(Op::CV_SDOTUP_H),
    family<DotProduct<false, true, true>>(Op::CV_SDOTUSP_H),
    family<DotProduct<true, true, true>>(Op::CV_SDOTSP_H));

}  // namespace simfarm::reference
