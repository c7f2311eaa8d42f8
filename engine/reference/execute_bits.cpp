// Zba, Zbb and XCVbitmanip. Sources: The RISC-V Instruction Set Manual, Volume I, B extension;
// CV32E40P User Manual, "Bit Manipulation", with the RTL's answer where a field leaves the word.
#include <algorithm>
#include <bit>

#include "engine/reference/body.h"

namespace simfarm::reference {
namespace {

template <u32 shift>
constexpr u32 shift_add(u32 a, u32 b) {
  return (a << shift) + b;
}

constexpr u32 min_signed(u32 a, u32 b) { return static_cast<i32>(a) < static_cast<i32>(b) ? a : b; }
constexpr u32 max_signed(u32 a, u32 b) { return static_cast<i32>(a) < static_cast<i32>(b) ? b : a; }
constexpr u32 min_unsigned(u32 a, u32 b) { return std::min(a, b); }
constexpr u32 max_unsigned(u32 a, u32 b) { return std::max(a, b); }

constexpr u32 rotate_left(u32 a, u32 b) { return std::rotl(a, static_cast<int>(b & 31)); }
constexpr u32 rotate_right(u32 a, u32 b) { return std::rotr(a, static_cast<int>(b & 31)); }
constexpr u32 leading_zeros(u32 a) { return static_cast<u32>(std::countl_zero(a)); }
constexpr u32 trailing_zeros(u32 a) { return static_cast<u32>(std::countr_zero(a)); }
constexpr u32 ones(u32 a) { return static_cast<u32>(std::popcount(a)); }

/// Each byte of `a` that is not zero becomes 0xff.
constexpr u32 or_combine(u32 a) {
  u32 result = 0;
  for (u32 mask = 0xff; mask != 0; mask <<= 8)
    if (a & mask) result |= mask;
  return result;
}
constexpr u32 reverse_bytes(u32 a) {
  return a << 24 | (a & 0xff00) << 8 | (a >> 8 & 0xff00) | a >> 24;
}

/// A bit field as XCV names it: `more` + 1 bits from bit `low` on, cut off at bit 31.
constexpr u32 field_bits(u32 more, u32 low) { return std::min(more + 1, 32 - low); }
constexpr u32 field_mask(u32 more, u32 low) { return ~0u >> (31 - more) << low; }

constexpr u32 extract(u32 a, u32 more, u32 low) {
  return static_cast<u32>(sign_extend(a >> low, field_bits(more, low)));
}
constexpr u32 extract_unsigned(u32 a, u32 more, u32 low) {
  return (a & field_mask(more, low)) >> low;
}
constexpr u32 insert(u32 old, u32 a, u32 more, u32 low) {
  const u32 mask = field_mask(more, low);
  return (old & ~mask) | (a << low & mask);
}
constexpr u32 clear_field(u32 a, u32 more, u32 low) { return a & ~field_mask(more, low); }
constexpr u32 set_field(u32 a, u32 more, u32 low) { return a | field_mask(more, low); }

/// The same with the field given by rs2: bits 9:5 and 4:0.
template <auto f>
constexpr u32 by_register(u32 a, u32 b) {
  return f(a, b >> 5 & 31, b & 31);
}
constexpr u32 insert_by_register(u32 old, u32 a, u32 b) {
  return insert(old, a, b >> 5 & 31, b & 31);
}

/// Reverses the order of groups of 1, 2 or 3 bits, from the top, after a shift left. Three does not
/// divide 32: two bits of the result stay 0. Radix 3 acts as 0 (on the core).
constexpr u32 reverse_groups(u32 a, u32 radix, u32 shift) {
  const u32 group = radix == 3 ? 1 : radix + 1;
  u32 rest = a << shift, result = 0;
  for (u32 low = 0; low + group <= 32; low += group) {
    result |= rest >> (32 - group) << low;
    rest <<= group;
  }
  return result;
}

constexpr u32 lowest_one(u32 a) { return trailing_zeros(a); }  // 32 for 0
constexpr u32 highest_one(u32 a) { return a == 0 ? 32 : 31 - leading_zeros(a); }
/// Bits below the sign that equal it; 0 for 0, unlike a count.
constexpr u32 leading_signs(u32 a) {
  if (a == 0) return 0;
  return leading_zeros(a >> 31 ? ~a : a) - 1;
}

constexpr Entry entries[] = {
    {Op::SH1ADD, of_rs1_rs2<shift_add<1>>},
    {Op::SH2ADD, of_rs1_rs2<shift_add<2>>},
    {Op::SH3ADD, of_rs1_rs2<shift_add<3>>},

    {Op::ANDN, of_rs1_rs2<[](u32 a, u32 b) { return a & ~b; }>},
    {Op::ORN, of_rs1_rs2<[](u32 a, u32 b) { return a | ~b; }>},
    {Op::XNOR, of_rs1_rs2<[](u32 a, u32 b) { return ~(a ^ b); }>},
    {Op::MIN, of_rs1_rs2<min_signed>},
    {Op::MINU, of_rs1_rs2<min_unsigned>},
    {Op::MAX, of_rs1_rs2<max_signed>},
    {Op::MAXU, of_rs1_rs2<max_unsigned>},
    {Op::ROL, of_rs1_rs2<rotate_left>},
    {Op::ROR, of_rs1_rs2<rotate_right>},
    {Op::RORI, of_rs1_imm<rotate_right>},
    {Op::CLZ, of_rs1<leading_zeros>},
    {Op::CTZ, of_rs1<trailing_zeros>},
    {Op::CPOP, of_rs1<ones>},
    {Op::SEXT_B, of_rs1<[](u32 a) { return static_cast<u32>(sign_extend(a, 8)); }>},
    {Op::SEXT_H, of_rs1<[](u32 a) { return static_cast<u32>(sign_extend(a, 16)); }>},
    {Op::ZEXT_H, of_rs1<[](u32 a) { return a & 0xffff; }>},
    {Op::ORC_B, of_rs1<or_combine>},
    {Op::REV8, of_rs1<reverse_bytes>},

    {Op::CV_EXTRACT, of_rs1_imm_imm2<extract>},
    {Op::CV_EXTRACTU, of_rs1_imm_imm2<extract_unsigned>},
    {Op::CV_INSERT, of_rd_rs1_imm_imm2<insert>},
    {Op::CV_BCLR, of_rs1_imm_imm2<clear_field>},
    {Op::CV_BSET, of_rs1_imm_imm2<set_field>},
    {Op::CV_BITREV, of_rs1_imm_imm2<reverse_groups>},
    {Op::CV_EXTRACTR, of_rs1_rs2<by_register<extract>>},
    {Op::CV_EXTRACTUR, of_rs1_rs2<by_register<extract_unsigned>>},
    {Op::CV_INSERTR, of_rd_rs1_rs2<insert_by_register>},
    {Op::CV_BCLRR, of_rs1_rs2<by_register<clear_field>>},
    {Op::CV_BSETR, of_rs1_rs2<by_register<set_field>>},
    {Op::CV_ROR, of_rs1_rs2<rotate_right>},
    {Op::CV_FF1, of_rs1<lowest_one>},
    {Op::CV_FL1, of_rs1<highest_one>},
    {Op::CV_CLB, of_rs1<leading_signs>},
    {Op::CV_CNT, of_rs1<ones>},
};

}  // namespace

constinit const Bodies bit_bodies =
    bodies({Extension::zba, Extension::zbb, Extension::xcvbitmanip}, entries);

}  // namespace simfarm::reference
