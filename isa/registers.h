// Names of the 32 registers, as the ABI has them.
#pragma once
#include <array>
#include <optional>
#include <string_view>

#include "base/types.h"

namespace simfarm {

inline constexpr std::array<std::string_view, 32> register_names{
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

/// Numbers that the ABI gives a role.
namespace abi {
inline constexpr u32 zero = 0, ra = 1, sp = 2, gp = 3, tp = 4, a0 = 10, a1 = 11, a7 = 17;
}  // namespace abi

constexpr std::string_view register_name(u32 number) { return register_names[number & 31u]; }

/// The number of "a0", "x10" or "fp".
constexpr std::optional<u32> register_number(std::string_view name) {
  for (u32 k = 0; k < register_names.size(); ++k)
    if (register_names[k] == name) return k;
  if (name == "fp") return 8;
  if (name.size() < 2 || name.size() > 3 || name[0] != 'x') return std::nullopt;
  u32 number = 0;
  for (char c : name.substr(1)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + static_cast<u32>(c - '0');
  }
  if (number >= register_names.size() || (name.size() == 3 && name[1] == '0')) return std::nullopt;
  return number;
}

}  // namespace simfarm
