// XCVsimd: two halves or four bytes of a register at once. Source: CV32E40P User Manual, "SIMD";
// sums wrap in their part before they are shifted, dot products at 32 bits.
#pragma once
#include <type_traits>

#include "pe/bodies/bits.h"

namespace simfarm::bodies {

/// Where the second operand comes from: rs2, its lowest part for all (.sc), the immediate for all
/// (.sci).
enum class Second : u8 { parts, lowest, immediate };

/// A row that has the six forms .h .sc.h .sci.h .b .sc.b .sci.b, by its name.
struct SimdForm {
  std::string_view stem;  ///< "cv.add"; empty for a row that is not of that kind
  Second second = Second::parts;
  bool of_bytes = false;
};

constexpr SimdForm simd_form_of(Op op) {
  constexpr std::string_view stems[] = {
      "cv.add",   "cv.sub",    "cv.avg",   "cv.avgu",   "cv.min",     "cv.minu",
      "cv.max",   "cv.maxu",   "cv.srl",   "cv.sra",    "cv.sll",     "cv.or",
      "cv.xor",   "cv.and",    "cv.cmpeq", "cv.cmpne",  "cv.cmpgt",   "cv.cmpgtu",
      "cv.cmpge", "cv.cmpgeu", "cv.cmplt", "cv.cmpltu", "cv.cmple",   "cv.cmpleu",
      "cv.dotup", "cv.dotusp", "cv.dotsp", "cv.sdotup", "cv.sdotusp", "cv.sdotsp"};
  SimdForm form;
  std::string_view name = row(op).name;
  if (row(op).extension != Extension::xcvsimd) return form;
  form.of_bytes = name.ends_with(".b");
  if (!form.of_bytes && !name.ends_with(".h")) return form;
  name.remove_suffix(2);
  if (name.ends_with(".sci")) {
    form.second = Second::immediate;
    name.remove_suffix(4);
  } else if (name.ends_with(".sc")) {
    form.second = Second::lowest;
    name.remove_suffix(3);
  }
  for (std::string_view stem : stems)
    if (stem == name) form.stem = stem;
  return form;
}

/// `a`'s lowest part in every part.
template <class L>
[[gnu::always_inline]] inline typename L::V spread(L& l, Bytes, const typename L::V& a) {
  return l.shuffle_bytes(a, 0u);
}
template <class L>
[[gnu::always_inline]] inline typename L::V spread(L& l, Halves, const typename L::V& a) {
  return (a << 16u) | (a & l.value(0xffff));
}

/// Shifts part by part by `by`, the same for all parts and below their width.
template <class L, class P>
[[gnu::always_inline]] inline typename L::V shift_right(L& l, P, const typename L::V& a, u32 by) {
  return (a >> by) & l.value(P::ones * (((1u << P::bits) - 1) >> by));
}
template <class L, class P>
[[gnu::always_inline]] inline typename L::V shift_right_arithmetic(L& l, P p,
                                                                   const typename L::V& a, u32 by) {
  // The sign, shifted with the rest, is spread upwards by a subtraction that stays in its part.
  const typename L::V sign = l.value(P::signs >> by);
  return l.subtract(p, shift_right(l, p, a, by) ^ sign, sign);
}
template <class L, class P>
[[gnu::always_inline]] inline typename L::V shift_left(L& l, P, const typename L::V& a, u32 by) {
  constexpr u32 part = (1u << P::bits) - 1;
  return (a << by) & l.value(P::ones * ((part << by) & part));
}

enum class Shift : u8 { right, right_arithmetic, left };

/// Shifts each part by the part of `by` beside it, modulo its width: part after part, at the top of
/// the word for shifts right (so that nothing follows it down), at its bottom for shifts left.
template <Shift shift, class L, class P>
[[gnu::always_inline]] inline typename L::V shift_parts(L& l, P, const typename L::V& a,
                                                        const typename L::V& by) {
  using V = typename L::V;
  constexpr u32 part = (1u << P::bits) - 1;
  V all = l.value(0);
  for (u32 k = 0; k < P::count; ++k) {
    const u32 low = k * P::bits, above = 32 - P::bits - low;
    const V distance = (by >> low) & l.value(P::bits - 1);
    V one = a << above & l.value(part << (32 - P::bits));
    if constexpr (shift == Shift::left)
      one = (((a >> low) & l.value(part)) << distance) & l.value(part);
    else if constexpr (shift == Shift::right)
      one = (one >> distance) >> (32 - P::bits);
    else
      one = l.sar(one, distance) >> (32 - P::bits);
    all = all | one << low;
  }
  return all;
}

template <Shift shift, Second second, class L, class P>
[[gnu::always_inline]] inline typename L::V shifted(L& l, P p, const Operands<typename L::V>& o) {
  if constexpr (second == Second::immediate) {
    const u32 by = o.imm & (P::bits - 1);
    if constexpr (shift == Shift::right) return shift_right(l, p, o.rs1, by);
    if constexpr (shift == Shift::right_arithmetic) return shift_right_arithmetic(l, p, o.rs1, by);
    if constexpr (shift == Shift::left) return shift_left(l, p, o.rs1, by);
  } else {
    return shift_parts<shift>(l, p, o.rs1, second == Second::lowest ? spread(l, p, o.rs2) : o.rs2);
  }
}

template <Second second, class L, class P>
[[gnu::always_inline]] inline typename L::V second_operand(L& l, P p,
                                                           const Operands<typename L::V>& o) {
  if constexpr (second == Second::parts)
    return o.rs2;
  else if constexpr (second == Second::lowest)
    return spread(l, p, o.rs2);
  else
    return l.value((o.imm & ((1u << P::bits) - 1)) * P::ones);
}

/// Rows of six forms; P is the width of a part.
template <Op op, class L, class P>
[[gnu::always_inline]] inline typename L::V parts_result(L& l, P p,
                                                         const Operands<typename L::V>& o) {
  using V = typename L::V;
  constexpr SimdForm form = simd_form_of(op);
  constexpr std::string_view stem = form.stem;
  if constexpr (stem == "cv.srl") return shifted<Shift::right, form.second>(l, p, o);
  if constexpr (stem == "cv.sra") return shifted<Shift::right_arithmetic, form.second>(l, p, o);
  if constexpr (stem == "cv.sll") return shifted<Shift::left, form.second>(l, p, o);
  const V& a = o.rs1;
  const V b = second_operand<form.second>(l, p, o);
  if constexpr (stem == "cv.add") return l.add(p, a, b);
  if constexpr (stem == "cv.sub") return l.subtract(p, a, b);
  if constexpr (stem == "cv.avg") return shift_right_arithmetic(l, p, l.add(p, a, b), 1);
  if constexpr (stem == "cv.avgu") return shift_right(l, p, l.add(p, a, b), 1);
  if constexpr (stem == "cv.min") return l.min(p, a, b);
  if constexpr (stem == "cv.minu") return l.min_unsigned(p, a, b);
  if constexpr (stem == "cv.max") return l.max(p, a, b);
  if constexpr (stem == "cv.maxu") return l.max_unsigned(p, a, b);
  if constexpr (stem == "cv.or") return a | b;
  if constexpr (stem == "cv.xor") return a ^ b;
  if constexpr (stem == "cv.and") return a & b;
  if constexpr (stem == "cv.cmpeq") return l.mask_equal(p, a, b);
  if constexpr (stem == "cv.cmpne") return ~l.mask_equal(p, a, b);
  if constexpr (stem == "cv.cmpgt") return l.mask_less(p, b, a);
  if constexpr (stem == "cv.cmpgtu") return l.mask_less_unsigned(p, b, a);
  if constexpr (stem == "cv.cmpge") return ~l.mask_less(p, a, b);
  if constexpr (stem == "cv.cmpgeu") return ~l.mask_less_unsigned(p, a, b);
  if constexpr (stem == "cv.cmplt") return l.mask_less(p, a, b);
  if constexpr (stem == "cv.cmpltu") return l.mask_less_unsigned(p, a, b);
  if constexpr (stem == "cv.cmple") return ~l.mask_less(p, b, a);
  if constexpr (stem == "cv.cmpleu") return ~l.mask_less_unsigned(p, b, a);
  if constexpr (stem == "cv.dotup") return l.dot_unsigned(p, l.value(0), a, b);
  if constexpr (stem == "cv.dotusp") return l.dot_unsigned_signed(p, l.value(0), a, b);
  if constexpr (stem == "cv.dotsp") return l.dot_signed(p, l.value(0), a, b);
  if constexpr (stem == "cv.sdotup") return l.dot_unsigned(p, o.rd, a, b);
  if constexpr (stem == "cv.sdotusp") return l.dot_unsigned_signed(p, o.rd, a, b);
  if constexpr (stem == "cv.sdotsp") return l.dot_signed(p, o.rd, a, b);
}

/// Lane `which` of rs1 out and in.
template <Op op, class L, class P>
[[gnu::always_inline]] inline typename L::V part_out(L& l, P, const Operands<typename L::V>& o) {
  const typename L::V top = o.rs1 << (32 - P::bits * (o.imm + 1));
  constexpr bool is_signed = op == Op::CV_EXTRACT_H || op == Op::CV_EXTRACT_B;
  return is_signed ? l.sar(top, 32 - P::bits) : top >> (32 - P::bits);
}
template <class L, class P>
[[gnu::always_inline]] inline typename L::V part_in(L& l, P, const Operands<typename L::V>& o) {
  const u32 low = P::bits * o.imm, mask = ((1u << P::bits) - 1) << low;
  return (o.rd & l.value(~mask)) | ((o.rs1 << low) & l.value(mask));
}

/// Numbers of bytes for numbers of halves, both one a part: 1 is bytes 3 and 2.
template <class L>
[[gnu::always_inline]] inline typename L::V bytes_of_halves(L& l, const typename L::V& which) {
  const typename L::V first = (which & l.value(0x0001'0001)) << 1u;
  return first | first << 8u | l.value(0x0100'0100);
}

/// rs1's parts where `above` has all ones, rd's elsewhere; of each the bytes `which`.
template <class L>
[[gnu::always_inline]] inline typename L::V shuffle_two(L& l, const Operands<typename L::V>& o,
                                                        const typename L::V& which,
                                                        const typename L::V& above) {
  return (l.shuffle_bytes(o.rs1, which) & above) | (l.shuffle_bytes(o.rd, which) & ~above);
}

template <Op op, class L>
[[gnu::always_inline]] inline typename L::V shuffle_result(L& l, const Operands<typename L::V>& o) {
  using V = typename L::V;
  if constexpr (op == Op::CV_SHUFFLE_H)
    return l.shuffle_bytes(o.rs1, bytes_of_halves(l, o.rs2));
  else if constexpr (op == Op::CV_SHUFFLE_SCI_H)
    return l.shuffle_bytes(o.rs1,
                           0x0100'0100u | (o.imm & 1) * 0x0202u | (o.imm >> 1 & 1) * 0x0202'0000u);
  else if constexpr (op == Op::CV_SHUFFLE_B)
    return l.shuffle_bytes(o.rs1, o.rs2 & l.value(0x0303'0303));
  else if constexpr (op == Op::CV_SHUFFLE2_H) {
    const V two = l.value(0x0002'0002);
    return shuffle_two(l, o, bytes_of_halves(l, o.rs2), l.mask_equal(halves, o.rs2 & two, two));
  } else if constexpr (op == Op::CV_SHUFFLE2_B) {
    const V four = l.value(0x0404'0404);
    return shuffle_two(l, o, o.rs2 & l.value(0x0303'0303), l.mask_equal(bytes, o.rs2 & four, four));
  } else {
    // The top byte is the instruction's, the others are two bits each of the immediate.
    constexpr u32 top = op == Op::CV_SHUFFLEI0_SCI_B   ? 0
                        : op == Op::CV_SHUFFLEI1_SCI_B ? 1
                        : op == Op::CV_SHUFFLEI2_SCI_B ? 2
                                                       : 3;
    const u32 which = top << 24 | (o.imm >> 4 & 3) << 16 | (o.imm >> 2 & 3) << 8 | (o.imm & 3);
    return l.shuffle_bytes(o.rs1, which);
  }
}

/// The bits that a row named .div2, .div4 or .div8 shifts by more.
constexpr u32 division_bits(Op op) {
  const std::string_view name = row(op).name;
  return name.ends_with(".div2")   ? 1
         : name.ends_with(".div4") ? 2
         : name.ends_with(".div8") ? 3
                                   : 0;
}

template <Op op, std::string_view::size_type size>
constexpr bool is_named(const char (&beginning)[size]) {
  return row(op).name.starts_with(beginning);
}

/// Complex numbers: real part in the lower half, imaginary part in the upper.
template <Op op, class L>
[[gnu::always_inline]] inline typename L::V complex_result(L& l, const Operands<typename L::V>& o) {
  using V = typename L::V;
  constexpr u32 by = division_bits(op);
  const V upper = l.value(0xffff'0000), lower = l.value(0x0000'ffff);
  if constexpr (is_named<op>("cv.cplxmul.r")) {
    const V real = l.dot_signed(halves, l.value(0), o.rs1 & lower, o.rs2) -
                   l.dot_signed(halves, l.value(0), o.rs1 & upper, o.rs2);
    return (o.rd & upper) | (l.sar(real, 15 + by) & lower);
  } else if constexpr (is_named<op>("cv.cplxmul.i")) {
    const V imaginary = l.dot_signed(halves, l.value(0), o.rs1, l.rotate_right(o.rs2, 16u));
    return (o.rd & lower) | l.sar(imaginary, 15 + by) << 16u;
  } else if constexpr (op == Op::CV_CPLXCONJ)
    return (o.rs1 & lower) | (l.value(0) - (o.rs1 & upper));
  else if constexpr (is_named<op>("cv.subrotmj")) {
    // rs1 - rs2 is {imaginary, real}; the result is {-real, imaginary}.
    const V turned = l.rotate_right(l.subtract(halves, o.rs1, o.rs2), 16u);
    const V negated = l.rotate_right(l.subtract(halves, o.rs2, o.rs1), 16u);
    return shift_right_arithmetic(l, halves, (negated & upper) | (turned & lower), by);
  } else if constexpr (is_named<op>("cv.add.div"))
    return shift_right_arithmetic(l, halves, l.add(halves, o.rs1, o.rs2), by);
  else if constexpr (is_named<op>("cv.sub.div"))
    return shift_right_arithmetic(l, halves, l.subtract(halves, o.rs1, o.rs2), by);
  else
    static_assert(op == Op::count, "a row of XCVsimd has no body");
}

template <Op op, class L>
[[gnu::always_inline]] inline typename L::V simd_result(L& l, const Operands<typename L::V>& o) {
  constexpr SimdForm form = simd_form_of(op);
  if constexpr (!form.stem.empty())
    return parts_result<op>(l, std::conditional_t<form.of_bytes, Bytes, Halves>{}, o);
  else if constexpr (op == Op::CV_ABS_H)
    return l.max(halves, o.rs1, l.subtract(halves, l.value(0), o.rs1));
  else if constexpr (op == Op::CV_ABS_B)
    return l.max(bytes, o.rs1, l.subtract(bytes, l.value(0), o.rs1));
  else if constexpr (op == Op::CV_EXTRACT_H || op == Op::CV_EXTRACTU_H)
    return part_out<op>(l, halves, o);
  else if constexpr (op == Op::CV_EXTRACT_B || op == Op::CV_EXTRACTU_B)
    return part_out<op>(l, bytes, o);
  else if constexpr (op == Op::CV_INSERT_H)
    return part_in(l, halves, o);
  else if constexpr (op == Op::CV_INSERT_B)
    return part_in(l, bytes, o);
  else if constexpr (is_named<op>("cv.shuffle"))
    return shuffle_result<op>(l, o);
  else if constexpr (op == Op::CV_PACK)
    return (o.rs1 << 16u) | (o.rs2 & l.value(0xffff));
  else if constexpr (op == Op::CV_PACK_H)
    return (o.rs1 & l.value(0xffff'0000)) | (o.rs2 >> 16u);
  else if constexpr (op == Op::CV_PACKHI_B)
    return (o.rd & l.value(0xffff)) | (o.rs1 << 24u) | ((o.rs2 & l.value(0xff)) << 16u);
  else if constexpr (op == Op::CV_PACKLO_B)
    return (o.rd & l.value(0xffff'0000)) | ((o.rs1 & l.value(0xff)) << 8u) |
           (o.rs2 & l.value(0xff));
  else
    return complex_result<op>(l, o);
}

}  // namespace simfarm::bodies
