// The body of every instruction that only computes: one template each, for any lane context
// (pe/bodies/lane.h). A row of pe/bodies/rows.h without a body does not compile.
#pragma once
#include "pe/bodies/alu.h"
#include "pe/bodies/base.h"
#include "pe/bodies/bits.h"
#include "pe/bodies/simd.h"
#include "pe/bodies/xgp.h"

namespace simfarm::bodies {

/// The new rd of `op`.
template <Op op, class L>
[[gnu::always_inline]] inline typename L::V result(L& l, const Operands<typename L::V>& o) {
  static_assert(has_result(op));
  constexpr Extension extension = row(op).extension;
  if constexpr (extension == Extension::i || extension == Extension::m)
    return base_result<op>(l, o);
  else if constexpr (extension == Extension::zba || extension == Extension::zbb ||
                     extension == Extension::xcvbitmanip)
    return bits_result<op>(l, o);
  else if constexpr (extension == Extension::xcvalu)
    return alu_result<op>(l, o);
  else if constexpr (extension == Extension::xcvmac)
    return mac_result<op>(l, o);
  else if constexpr (extension == Extension::xcvsimd)
    return simd_result<op>(l, o);
  else if constexpr (extension == Extension::xgp)
    return xgp_result<op>(l, o);
  else
    static_assert(op == Op::count, "an extension has no bodies");
}

/// Where the branch `op` is taken.
template <Op op, class L>
[[gnu::always_inline]] inline typename L::M holds(L& l, const typename L::V& rs1,
                                                  const typename L::V& rs2, u32 imm2) {
  static_assert(has_condition(op));
  return branch_condition<op>(l, rs1, rs2, imm2);
}

}  // namespace simfarm::bodies
