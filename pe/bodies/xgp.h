// Xgp: the wide MAC's products and requantisation. The formulas are docs/machine.md's.
#pragma once
#include "pe/bodies/base.h"

namespace simfarm::bodies {

/// The upper word of 2ab, rounded: floor((ab + 2^30) / 2^31), which is the formula's rounding for
/// both signs. Only the square of -2^31 gives 2^31, and saturates.
template <class L>
[[gnu::always_inline]] inline typename L::V requantise_multiply(L& l, const typename L::V& a,
                                                                const typename L::V& b) {
  using V = typename L::V;
  const Wide<V> product = l.multiply_wide(a, b);
  const V doubled = (product.high << 1u) | (product.low >> 31u);
  const V rounded = doubled + ((product.low >> 30u) & l.value(1));
  return l.select(l.equal(rounded, l.value(0x8000'0000)), l.value(0x7fff'ffff), rounded);
}

/// a / 2^amount, rounded half away from zero: up, where what is shifted out is half or more, but
/// for negative numbers more than half.
template <class L>
[[gnu::always_inline]] inline typename L::V round_shift(L& l, const typename L::V& a,
                                                        const typename L::V& b) {
  using V = typename L::V;
  const V by = amount(l, b);
  const V mask = (l.value(1) << by) - l.value(1);
  const V limit = (mask >> 1u) + (a >> 31u);
  return l.sar(a, by) + flag(l, l.less(limit, a & mask));
}

template <Op op, class L>
[[gnu::always_inline]] inline typename L::V xgp_result(L& l, const Operands<typename L::V>& o) {
  if constexpr (op == Op::GP_XSDOT8 || op == Op::GP_XSDOT8_LD)
    return l.dot_signed(bytes, l.dot_signed(bytes, o.rd, o.x_low, o.rs1), o.x_high, o.rs2);
  else if constexpr (op == Op::GP_XUDOT8 || op == Op::GP_XUDOT8_LD)
    return l.dot_unsigned(bytes, l.dot_unsigned(bytes, o.rd, o.x_low, o.rs1), o.x_high, o.rs2);
  else if constexpr (op == Op::GP_XUSDOT8 || op == Op::GP_XUSDOT8_LD)
    return l.dot_unsigned_signed(bytes, l.dot_unsigned_signed(bytes, o.rd, o.x_low, o.rs1),
                                 o.x_high, o.rs2);
  else if constexpr (op == Op::GP_RQMUL)
    return requantise_multiply(l, o.rs1, o.rs2);
  else if constexpr (op == Op::GP_RSHR)
    return round_shift(l, o.rs1, o.rs2);
  else
    static_assert(op == Op::count, "a row of Xgp has no body");
}

}  // namespace simfarm::bodies
