// Zba, Zbb and XCVbitmanip. Sources: The RISC-V Instruction Set Manual, Volume I, B extension;
// CV32E40P User Manual, "Bit Manipulation".
#pragma once
#include "pe/bodies/base.h"

namespace simfarm::bodies {

/// A bit field as XCV names it: `more` + 1 bits from bit `low` on, those that there are. Known when
/// the instruction is translated (u32) or only at run time (V).
template <class L>
class Field5 {
 public:
  using V = typename L::V;
  [[gnu::always_inline]] Field5(L& l, u32 more, u32 low)
      : low_{l.value(low)},
        mask_{l.value(~0u >> (31 - more) << low)},
        above_{l.value(above(more, low))} {}
  /// `both` is rs2: bits 9:5 and 4:0.
  [[gnu::always_inline]] Field5(L& l, const V& both) : low_{both & l.value(31)} {
    const V more = (both >> 5u) & l.value(31);
    mask_ = l.value(~0u) >> (l.value(31) - more) << low_;
    above_ = l.max(l.value(31) - more - low_, l.value(0));
  }
  const V& low() const { return low_; }
  const V& mask() const { return mask_; }
  /// Bits of the word above the field.
  const V& above() const { return above_; }

 private:
  static constexpr u32 above(u32 more, u32 low) { return more + low > 31 ? 0 : 31 - more - low; }
  V low_, mask_, above_;
};

/// Field from immediates for rows that have two, else from rs2.
template <Op op, class L>
[[gnu::always_inline]] inline Field5<L> field5(L& l, const Operands<typename L::V>& o) {
  if constexpr (reads(op, Field::rs2))
    return Field5<L>(l, o.rs2);
  else
    return Field5<L>(l, o.imm, o.imm2);
}

/// Exchanges neighbouring groups of `group` bits; `lower` is a mask of the lower one of each pair.
template <class L>
[[gnu::always_inline]] inline typename L::V exchange(L& l, const typename L::V& a, u32 group,
                                                     u32 lower) {
  return ((a & l.value(lower)) << group) | ((a >> group) & l.value(lower));
}

/// The word's groups of 1, 2 or 3 bits in reverse order, from the top; three does not divide 32,
/// and two bits of the result stay 0. Radix 3 acts as 0 (on the core).
template <class L>
[[gnu::always_inline]] inline typename L::V reverse_groups(L& l, const typename L::V& a,
                                                           u32 radix) {
  using V = typename L::V;
  if (radix == 2) {
    V all = l.value(0);
    for (u32 low = 0; low < 30; low += 3) all = all | ((a >> (29 - low)) & l.value(7)) << low;
    return all;
  }
  V all = l.shuffle_bytes(a, 0x00010203u);
  all = exchange(l, all, 4, 0x0f0f'0f0f);
  all = exchange(l, all, 2, 0x3333'3333);
  return radix == 1 ? all : exchange(l, all, 1, 0x5555'5555);
}

template <class L>
[[gnu::always_inline]] inline typename L::V sign_extend(L& l, const typename L::V& a, u32 bits) {
  return l.sar(a << (32 - bits), 32 - bits);
}

template <Op op, class L>
[[gnu::always_inline]] inline typename L::V bits_result(L& l, const Operands<typename L::V>& o) {
  using V = typename L::V;
  if constexpr (op == Op::SH1ADD)
    return (o.rs1 << 1u) + o.rs2;
  else if constexpr (op == Op::SH2ADD)
    return (o.rs1 << 2u) + o.rs2;
  else if constexpr (op == Op::SH3ADD)
    return (o.rs1 << 3u) + o.rs2;
  else if constexpr (op == Op::ANDN)
    return o.rs1 & ~o.rs2;
  else if constexpr (op == Op::ORN)
    return o.rs1 | ~o.rs2;
  else if constexpr (op == Op::XNOR)
    return ~(o.rs1 ^ o.rs2);
  else if constexpr (op == Op::MIN)
    return l.min(o.rs1, o.rs2);
  else if constexpr (op == Op::MINU)
    return l.min_unsigned(o.rs1, o.rs2);
  else if constexpr (op == Op::MAX)
    return l.max(o.rs1, o.rs2);
  else if constexpr (op == Op::MAXU)
    return l.max_unsigned(o.rs1, o.rs2);
  else if constexpr (op == Op::ROL)
    return l.rotate_right(o.rs1, l.value(0) - o.rs2);
  else if constexpr (op == Op::ROR || op == Op::CV_ROR)
    return l.rotate_right(o.rs1, o.rs2);
  else if constexpr (op == Op::RORI)
    return l.rotate_right(o.rs1, o.imm);
  else if constexpr (op == Op::CLZ)
    return l.leading_zeros(o.rs1);
  else if constexpr (op == Op::CTZ || op == Op::CV_FF1)
    return l.trailing_zeros(o.rs1);
  else if constexpr (op == Op::CPOP || op == Op::CV_CNT)
    return l.count_ones(o.rs1);
  else if constexpr (op == Op::SEXT_B)
    return sign_extend(l, o.rs1, 8);
  else if constexpr (op == Op::SEXT_H)
    return sign_extend(l, o.rs1, 16);
  else if constexpr (op == Op::ZEXT_H)
    return o.rs1 & l.value(0xffff);
  else if constexpr (op == Op::ORC_B)
    return ~l.mask_equal(bytes, o.rs1, l.value(0));
  else if constexpr (op == Op::REV8)
    return l.shuffle_bytes(o.rs1, 0x00010203u);
  else if constexpr (op == Op::CV_EXTRACT || op == Op::CV_EXTRACTR) {
    const Field5<L> field = field5<op>(l, o);
    return l.sar(o.rs1 << field.above(), field.above() + field.low());
  } else if constexpr (op == Op::CV_EXTRACTU || op == Op::CV_EXTRACTUR) {
    const Field5<L> field = field5<op>(l, o);
    return (o.rs1 & field.mask()) >> field.low();
  } else if constexpr (op == Op::CV_INSERT || op == Op::CV_INSERTR) {
    const Field5<L> field = field5<op>(l, o);
    return (o.rd & ~field.mask()) | ((o.rs1 << field.low()) & field.mask());
  } else if constexpr (op == Op::CV_BCLR || op == Op::CV_BCLRR)
    return o.rs1 & ~field5<op>(l, o).mask();
  else if constexpr (op == Op::CV_BSET || op == Op::CV_BSETR)
    return o.rs1 | field5<op>(l, o).mask();
  else if constexpr (op == Op::CV_BITREV)
    return reverse_groups(l, o.rs1 << o.imm2, o.imm);
  else if constexpr (op == Op::CV_FL1)
    return l.select(l.equal(o.rs1, l.value(0)), l.value(32), l.value(31) - l.leading_zeros(o.rs1));
  else if constexpr (op == Op::CV_CLB) {
    const V signs = l.leading_zeros(o.rs1 ^ l.sar(o.rs1, 31u)) - l.value(1);
    return l.select(l.equal(o.rs1, l.value(0)), l.value(0), signs);
  } else
    static_assert(op == Op::count, "a row of Zba, Zbb or XCVbitmanip has no body");
}

}  // namespace simfarm::bodies
