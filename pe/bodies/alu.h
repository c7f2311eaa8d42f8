// XCValu and XCVmac. Source: CV32E40P User Manual, "General ALU operations" and
// "Multiply-Accumulate"; sums and products wrap at 32 bits before they are shifted.
#pragma once
#include "pe/bodies/bits.h"

namespace simfarm::bodies {

/// `a` into [low, high], signed.
template <class L>
[[gnu::always_inline]] inline typename L::V clip(L& l, const typename L::V& a,
                                                 const typename L::V& low,
                                                 const typename L::V& high) {
  return l.min(l.max(a, low), high);
}

/// How a normalising instruction treats its sum before the shift, by its row's last letters.
struct Normalisation {
  bool logical = false;
  bool rounded = false;
};

/// cv.addn, cv.addun, cv.addrn, cv.addurn and everything named like them.
constexpr Normalisation normalisation_of(Op op) {
  std::string_view name = row(op).name;
  if (reads(op, Field::rd) && row(op).immediate == Immediate::none) name.remove_suffix(1);
  name.remove_suffix(1);  // n
  Normalisation how;
  how.rounded = name.ends_with("r");
  if (how.rounded) name.remove_suffix(1);
  how.logical = name.ends_with("u");
  return how;
}

/// `sum` shifted right, by the immediate or by rs2[4:0]. Half of the last bit kept is added before
/// where the row rounds, nothing for an amount of 0.
template <Op op, class L>
[[gnu::always_inline]] inline typename L::V normalise(L& l, const Operands<typename L::V>& o,
                                                      typename L::V sum) {
  constexpr Normalisation how = normalisation_of(op);
  if constexpr (row(op).immediate == Immediate::none) {
    const typename L::V by = amount(l, o.rs2);
    if constexpr (how.rounded) sum = sum + (l.value(1) << by >> 1u);
    return how.logical ? sum >> by : l.sar(sum, by);
  } else {
    if constexpr (how.rounded) sum = sum + l.value((1u << o.imm) >> 1);
    return how.logical ? sum >> o.imm : l.sar(sum, o.imm);
  }
}

/// The half of a register that a 16 x 16 multiplication takes, by the letters of its name.
template <Op op, class L>
[[gnu::always_inline]] inline typename L::V factor(L& l, const typename L::V& a) {
  constexpr bool high = row(op).name.find("hh") != std::string_view::npos;
  if constexpr (normalisation_of(op).logical)
    return high ? a >> 16u : a & l.value(0xffff);
  else
    return high ? l.sar(a, 16u) : sign_extend(l, a, 16);
}

constexpr bool named(Op op, std::string_view beginning) {
  return row(op).name.starts_with(beginning);
}

template <Op op, class L>
[[gnu::always_inline]] inline typename L::V mac_result(L& l, const Operands<typename L::V>& o) {
  if constexpr (op == Op::CV_MAC)
    return o.rd + o.rs1 * o.rs2;
  else if constexpr (op == Op::CV_MSU)
    return o.rd - o.rs1 * o.rs2;
  else if constexpr (named(op, "cv.mul"))
    return normalise<op>(l, o, factor<op>(l, o.rs1) * factor<op>(l, o.rs2));
  else if constexpr (named(op, "cv.mac"))
    return normalise<op>(l, o, o.rd + factor<op>(l, o.rs1) * factor<op>(l, o.rs2));
  else
    static_assert(op == Op::count, "a row of XCVmac has no body");
}

template <Op op, class L>
[[gnu::always_inline]] inline typename L::V alu_result(L& l, const Operands<typename L::V>& o) {
  using V = typename L::V;
  if constexpr (op == Op::CV_ABS)
    return l.max(o.rs1, l.value(0) - o.rs1);
  else if constexpr (op == Op::CV_SLE)
    return flag(l, l.invert(l.less(o.rs2, o.rs1)));
  else if constexpr (op == Op::CV_SLEU)
    return flag(l, l.invert(l.less_unsigned(o.rs2, o.rs1)));
  else if constexpr (op == Op::CV_MIN)
    return l.min(o.rs1, o.rs2);
  else if constexpr (op == Op::CV_MINU)
    return l.min_unsigned(o.rs1, o.rs2);
  else if constexpr (op == Op::CV_MAX)
    return l.max(o.rs1, o.rs2);
  else if constexpr (op == Op::CV_MAXU)
    return l.max_unsigned(o.rs1, o.rs2);
  else if constexpr (op == Op::CV_EXTHS)
    return sign_extend(l, o.rs1, 16);
  else if constexpr (op == Op::CV_EXTHZ)
    return o.rs1 & l.value(0xffff);
  else if constexpr (op == Op::CV_EXTBS)
    return sign_extend(l, o.rs1, 8);
  else if constexpr (op == Op::CV_EXTBZ)
    return o.rs1 & l.value(0xff);
  else if constexpr (op == Op::CV_CLIP || op == Op::CV_CLIPU) {
    const u32 bound = ((1u << o.imm) - 1) >> 1;  // 2^(imm - 1) - 1, and 0 for 0
    return clip(l, o.rs1, l.value(op == Op::CV_CLIP ? ~bound : 0), l.value(bound));
  } else if constexpr (op == Op::CV_CLIPR || op == Op::CV_CLIPUR) {
    const V bound = o.rs2 & l.value(0x7fff'ffff);
    return clip(l, o.rs1, op == Op::CV_CLIPR ? ~bound : l.value(0), bound);
  } else if constexpr (named(op, "cv.add") || named(op, "cv.sub")) {
    // With the amount in rs2, rd is the first operand and rs1 the second.
    constexpr bool subtracts = named(op, "cv.sub"), of_rd = reads(op, Field::rd);
    const V& first = of_rd ? o.rd : o.rs1;
    const V& second = of_rd ? o.rs1 : o.rs2;
    return normalise<op>(l, o, subtracts ? first - second : first + second);
  } else
    static_assert(op == Op::count, "a row of XCValu has no body");
}

}  // namespace simfarm::bodies
