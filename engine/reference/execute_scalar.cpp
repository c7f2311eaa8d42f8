// XCValu and XCVmac. Source: CV32E40P User Manual, "General ALU operations" and
// "Multiply-Accumulate". Sums and products wrap at 32 bits before they are shifted.
#include <algorithm>
#include <cstdlib>

#include "engine/reference/body.h"

namespace simfarm::reference {
namespace {

constexpr i32 as_signed(u32 a) { return static_cast<i32>(a); }
constexpr u32 as_unsigned(i32 a) { return static_cast<u32>(a); }

constexpr u32 absolute(u32 a) { return as_signed(a) < 0 ? -a : a; }

/// `a` into [low, high], signed.
constexpr u32 clip_between(u32 a, i32 low, i32 high) {
  return as_unsigned(std::clamp(as_signed(a), low, high));
}
/// The upper bound of cv.clip[u]: 2^(bits - 1) - 1, and 0 for 0 bits.
constexpr i32 bound(u32 bits) { return as_signed((1u << bits) - 1) >> 1; }
constexpr i32 bound_of_register(u32 b) { return as_signed(b & 0x7fff'ffff); }
constexpr u32 clip(u32 a, u32 bits) { return clip_between(a, ~bound(bits), bound(bits)); }
constexpr u32 clip_unsigned(u32 a, u32 bits) { return clip_between(a, 0, bound(bits)); }
constexpr u32 clip_register(u32 a, u32 b) {
  return clip_between(a, ~bound_of_register(b), bound_of_register(b));
}
constexpr u32 clip_unsigned_register(u32 a, u32 b) {
  return clip_between(a, 0, bound_of_register(b));
}

/// How a wrapped 32-bit sum becomes the result.
enum class Shift { arithmetic, logical, rounded_arithmetic, rounded_logical };

/// (sum + half) >> amount, where half is that of the last bit kept; nothing is rounded at amount 0.
template <Shift shift>
constexpr u32 normalise(u32 sum, u32 amount) {
  constexpr bool rounded = shift == Shift::rounded_arithmetic || shift == Shift::rounded_logical;
  constexpr bool logical = shift == Shift::logical || shift == Shift::rounded_logical;
  const u32 half = rounded ? (1u << amount) >> 1 : 0;
  const u32 value = sum + half;
  return logical ? value >> amount : as_unsigned(as_signed(value) >> amount);
}

template <Shift shift>
constexpr u32 add(u32 a, u32 b, u32 amount) {
  return normalise<shift>(a + b, amount);
}
template <Shift shift>
constexpr u32 subtract(u32 a, u32 b, u32 amount) {
  return normalise<shift>(a - b, amount);
}
/// rd is the first operand, rs1 the second, rs2[4:0] the amount.
template <auto f>
constexpr u32 with_register(u32 rd, u32 rs1, u32 rs2) {
  return f(rd, rs1, rs2 & 31);
}

enum class Half { low, low_signed, high, high_signed };

template <Half half>
constexpr u32 operand(u32 a) {
  switch (half) {
    case Half::low:
      return a & 0xffff;
    case Half::high:
      return a >> 16;
    case Half::low_signed:
      return as_unsigned(sign_extend(a, 16));
    case Half::high_signed:
      return as_unsigned(as_signed(a) >> 16);
  }
}

template <Half half, Shift shift>
constexpr u32 multiply(u32 a, u32 b, u32 amount) {
  return normalise<shift>(operand<half>(a) * operand<half>(b), amount);
}
template <Half half, Shift shift>
constexpr u32 accumulate(u32 sum, u32 a, u32 b, u32 amount) {
  return normalise<shift>(sum + operand<half>(a) * operand<half>(b), amount);
}

using enum Shift;

constexpr Entry alu_entries[] = {
    {Op::CV_ABS, of_rs1<absolute>},
    {Op::CV_SLE, of_rs1_rs2<[](u32 a, u32 b) { return as_signed(a) <= as_signed(b); }>},
    {Op::CV_SLEU, of_rs1_rs2<[](u32 a, u32 b) { return a <= b; }>},
    {Op::CV_MIN,
     of_rs1_rs2<[](u32 a, u32 b) { return as_unsigned(std::min(as_signed(a), as_signed(b))); }>},
    {Op::CV_MINU, of_rs1_rs2<[](u32 a, u32 b) { return std::min(a, b); }>},
    {Op::CV_MAX,
     of_rs1_rs2<[](u32 a, u32 b) { return as_unsigned(std::max(as_signed(a), as_signed(b))); }>},
    {Op::CV_MAXU, of_rs1_rs2<[](u32 a, u32 b) { return std::max(a, b); }>},
    {Op::CV_EXTHS, of_rs1<[](u32 a) { return as_unsigned(sign_extend(a, 16)); }>},
    {Op::CV_EXTHZ, of_rs1<[](u32 a) { return a & 0xffff; }>},
    {Op::CV_EXTBS, of_rs1<[](u32 a) { return as_unsigned(sign_extend(a, 8)); }>},
    {Op::CV_EXTBZ, of_rs1<[](u32 a) { return a & 0xff; }>},
    {Op::CV_CLIP, of_rs1_imm<clip>},
    {Op::CV_CLIPU, of_rs1_imm<clip_unsigned>},
    {Op::CV_CLIPR, of_rs1_rs2<clip_register>},
    {Op::CV_CLIPUR, of_rs1_rs2<clip_unsigned_register>},

    {Op::CV_ADDN, of_rs1_rs2_imm<add<arithmetic>>},
    {Op::CV_ADDUN, of_rs1_rs2_imm<add<logical>>},
    {Op::CV_ADDRN, of_rs1_rs2_imm<add<rounded_arithmetic>>},
    {Op::CV_ADDURN, of_rs1_rs2_imm<add<rounded_logical>>},
    {Op::CV_SUBN, of_rs1_rs2_imm<subtract<arithmetic>>},
    {Op::CV_SUBUN, of_rs1_rs2_imm<subtract<logical>>},
    {Op::CV_SUBRN, of_rs1_rs2_imm<subtract<rounded_arithmetic>>},
    {Op::CV_SUBURN, of_rs1_rs2_imm<subtract<rounded_logical>>},
    {Op::CV_ADDNR, of_rd_rs1_rs2<with_register<add<arithmetic>>>},
    {Op::CV_ADDUNR, of_rd_rs1_rs2<with_register<add<logical>>>},
    {Op::CV_ADDRNR, of_rd_rs1_rs2<with_register<add<rounded_arithmetic>>>},
    {Op::CV_ADDURNR, of_rd_rs1_rs2<with_register<add<rounded_logical>>>},
    {Op::CV_SUBNR, of_rd_rs1_rs2<with_register<subtract<arithmetic>>>},
    {Op::CV_SUBUNR, of_rd_rs1_rs2<with_register<subtract<logical>>>},
    {Op::CV_SUBRNR, of_rd_rs1_rs2<with_register<subtract<rounded_arithmetic>>>},
    {Op::CV_SUBURNR, of_rd_rs1_rs2<with_register<subtract<rounded_logical>>>},
};

constexpr Entry mac_entries[] = {
    {Op::CV_MULUN, of_rs1_rs2_imm<multiply<Half::low, logical>>},
    {Op::CV_MULHHUN, of_rs1_rs2_imm<multiply<Half::high, logical>>},
    {Op::CV_MULSN, of_rs1_rs2_imm<multiply<Half::low_signed, arithmetic>>},
    {Op::CV_MULHHSN, of_rs1_rs2_imm<multiply<Half::high_signed, arithmetic>>},
    {Op::CV_MULURN, of_rs1_rs2_imm<multiply<Half::low, rounded_logical>>},
    {Op::CV_MULHHURN, of_rs1_rs2_imm<multiply<Half::high, rounded_logical>>},
    {Op::CV_MULSRN, of_rs1_rs2_imm<multiply<Half::low_signed, rounded_arithmetic>>},
    {Op::CV_MULHHSRN, of_rs1_rs2_imm<multiply<Half::high_signed, rounded_arithmetic>>},

    {Op::CV_MACUN, of_rd_rs1_rs2_imm<accumulate<Half::low, logical>>},
    {Op::CV_MACHHUN, of_rd_rs1_rs2_imm<accumulate<Half::high, logical>>},
    {Op::CV_MACSN, of_rd_rs1_rs2_imm<accumulate<Half::low_signed, arithmetic>>},
    {Op::CV_MACHHSN, of_rd_rs1_rs2_imm<accumulate<Half::high_signed, arithmetic>>},
    {Op::CV_MACURN, of_rd_rs1_rs2_imm<accumulate<Half::low, rounded_logical>>},
    {Op::CV_MACHHURN, of_rd_rs1_rs2_imm<accumulate<Half::high, rounded_logical>>},
    {Op::CV_MACSRN, of_rd_rs1_rs2_imm<accumulate<Half::low_signed, rounded_arithmetic>>},
    {Op::CV_MACHHSRN, of_rd_rs1_rs2_imm<accumulate<Half::high_signed, rounded_arithmetic>>},

    {Op::CV_MAC, of_rd_rs1_rs2<[](u32 sum, u32 a, u32 b) { return sum + a * b; }>},
    {Op::CV_MSU, of_rd_rs1_rs2<[](u32 sum, u32 a, u32 b) { return sum - a * b; }>},
};

}  // namespace

constinit const Bodies scalar_bodies =
    bodies({Extension::xcvalu, Extension::xcvmac}, alu_entries, mac_entries);

}  // namespace simfarm::reference
