// How the immediate of an instruction lies in its word. A pattern says where the bits are (its
// letters i, most significant first), a format here which bit of the value each of them is.
#pragma once
#include <array>
#include <string_view>

#include "base/types.h"

namespace simfarm {

/// The formats; simd_* and below are named for what uses them.
enum class Immediate : u8 {
  none,
  i_type,
  s_type,
  b_type,
  bi_type,
  u_type,
  j_type,
  uimm2,
  uimm5,
  uimm12,
  simd_signed,
  simd_unsigned,
  simd_bit4,
  simd_bit3,
  simd_bit2,
  simd_bit1,
  semaphore,
  posted_semaphore,
  barrier_group,
  direction,
  pair_offset,
  pair_increment,
  c_addi4spn,
  c_lw,
  c_imm6,
  c_jump,
  c_addi16sp,
  c_lui,
  c_branch,
  c_lwsp,
  c_swsp,
  count
};

struct ImmediateFormat {
  Immediate id;
  /// Bits of the value in the order of the pattern's letters: "12 10:5 4:1 11". A bit that is not
  /// named is zero.
  std::string_view bits;
  bool is_signed = false;  ///< the highest named bit is the sign
  i32 base = 0;            ///< added to the bits
  bool second_is_signed =
      false;  ///< the second immediate (letters j) is a plain field; signed here
};

inline constexpr std::array<ImmediateFormat, static_cast<u32>(Immediate::count)> immediate_formats{{
    {Immediate::none, ""},
    {Immediate::i_type, "11:0", true},
    {Immediate::s_type, "11:0", true},
    {Immediate::b_type, "12 10:1 11", true},
    {Immediate::bi_type, "12 10:1 11", true, 0, true},
    {Immediate::u_type, "31:12", true},
    {Immediate::j_type, "20 10:1 11 19:12", true},
    {Immediate::uimm2, "1:0"},
    {Immediate::uimm5, "4:0"},
    {Immediate::uimm12, "11:0"},
    {Immediate::simd_signed, "0 5:1", true},
    {Immediate::simd_unsigned, "0 5:1"},
    {Immediate::simd_bit4, "0 3:1"},
    {Immediate::simd_bit3, "0 2:1"},
    {Immediate::simd_bit2, "0 1"},
    {Immediate::simd_bit1, "0"},
    {Immediate::semaphore, "3:0"},
    {Immediate::posted_semaphore, "2:0", false, 8},
    {Immediate::barrier_group, "1:0"},
    {Immediate::direction, "1:0"},
    {Immediate::pair_offset, "7:3"},
    {Immediate::pair_increment, "7:3", true},
    {Immediate::c_addi4spn, "5:4 9:6 2 3"},
    {Immediate::c_lw, "5:3 2 6"},
    {Immediate::c_imm6, "5:0", true},
    {Immediate::c_jump, "11 4 9:8 10 6 7 3:1 5", true},
    {Immediate::c_addi16sp, "9 4 6 8:7 5", true},
    {Immediate::c_lui, "17:12", true},
    {Immediate::c_branch, "8 4:3 7:6 2:1 5", true},
    {Immediate::c_lwsp, "5 4:2 7:6"},
    {Immediate::c_swsp, "5:2 7:6"},
}};

constexpr const ImmediateFormat& immediate_format(Immediate id) {
  return immediate_formats[static_cast<u32>(id)];
}

consteval bool immediate_formats_are_in_order() {
  for (u32 k = 0; k < immediate_formats.size(); ++k)
    if (static_cast<u32>(immediate_formats[k].id) != k) return false;
  return true;
}
static_assert(immediate_formats_are_in_order());

}  // namespace simfarm
