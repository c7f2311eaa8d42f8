// The bodies of loads and stores: a width, a way to form the address, and perhaps an increment of
// the base. Misaligned accesses are legal; the core makes two accesses of them.
#pragma once
#include "engine/reference/body.h"

namespace simfarm::reference {

enum class Width : u8 { byte, half, word, byte_unsigned, half_unsigned };

constexpr u32 bytes_of(Width width) {
  if (width == Width::word) return 4;
  return width == Width::half || width == Width::half_unsigned ? 2 : 1;
}

/// `value` as a load of that width leaves it in a register.
constexpr u32 extended(Width width, u64 value) {
  const u32 low = static_cast<u32>(value);
  switch (width) {
    case Width::byte:
      return static_cast<u32>(sign_extend(low, 8));
    case Width::half:
      return static_cast<u32>(sign_extend(low, 16));
    case Width::byte_unsigned:
      return low & 0xff;
    case Width::half_unsigned:
      return low & 0xffff;
    case Width::word:
      break;
  }
  return low;
}

/// How an access finds its address, and what it adds to rs1 afterwards.
struct Place {
  u32 address = 0;
  u32 increment = 0;
};
inline constexpr auto base_plus_imm = [](const Step& s) { return Place{s.rs1() + s.imm(), 0}; };
inline constexpr auto base_plus_rs2 = [](const Step& s) { return Place{s.rs1() + s.rs2(), 0}; };
inline constexpr auto base_plus_rs3 = [](const Step& s) { return Place{s.rs1() + s.rs3(), 0}; };
inline constexpr auto base_then_imm = [](const Step& s) { return Place{s.rs1(), s.imm()}; };
inline constexpr auto base_then_rs2 = [](const Step& s) { return Place{s.rs1(), s.rs2()}; };
inline constexpr auto base_then_rs3 = [](const Step& s) { return Place{s.rs1(), s.rs3()}; };

/// rd = memory. When rd is the incremented base, the loaded value stays (as on the core).
template <Width width, auto place>
inline constexpr Body load_rd = [](Step& s) {
  const Place where = place(s);
  u64 value = 0;
  if (!s.load(where.address, bytes_of(width), value)) return;
  if (where.increment != 0) s.write(s.op.rs1, s.rs1() + where.increment);
  s.write_rd(extended(width, value));
};

/// memory = rs2, as it was before the increment.
template <Width width, auto place>
inline constexpr Body store_rs2 = [](Step& s) {
  const Place where = place(s);
  if (!s.store(where.address, bytes_of(width), s.rs2())) return;
  if (where.increment != 0) s.write(s.op.rs1, s.rs1() + where.increment);
};

}  // namespace simfarm::reference
