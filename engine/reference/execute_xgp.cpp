// Xgp: wide MAC, 64-bit local accesses, requantisation, table look-up. The formulas are
// docs/machine.md, "Xgp arithmetic"; what waits for other PEs is not here.
#include <fmt/format.h>

#include <limits>

#include "engine/reference/body.h"

namespace simfarm::reference {
namespace {

constexpr u32 wide_bytes = 8;

u64 pair(u32 low, u32 high) { return u64{high} << 32 | low; }
u32 low(u64 x) { return static_cast<u32>(x); }
u32 high(u64 x) { return static_cast<u32>(x >> 32); }

bool aligned(Step& s, u32 address) {
  if (address % wide_bytes == 0) return true;
  s.fail(TrapKind::misaligned_wide, address,
         fmt::format("0x{:08x} is not a multiple of {}", address, wide_bytes));
  return false;
}
bool load_wide(Step& s, u32 address, u64& value) {
  return aligned(s, address) && s.load(address, wide_bytes, value);
}
bool store_wide(Step& s, u32 address, u64 value) {
  return aligned(s, address) && s.store(address, wide_bytes, value);
}

/// {rs2, rd} = mem64[address]; then the base moves on.
void load_pair(Step& s, u32 address, u32 increment) {
  u64 value = 0;
  if (!load_wide(s, address, value)) return;
  if (increment != 0) s.write(s.op.rs1, s.rs1() + increment);
  s.write_rd(low(value));
  s.write(s.op.rs2, high(value));
}
/// mem64[address] = {rs3, rs2}; then the base moves on.
void store_pair(Step& s, u32 address, u32 increment) {
  if (!store_wide(s, address, pair(s.rs2(), s.rs3()))) return;
  if (increment != 0) s.write(s.op.rs1, s.rs1() + increment);
}

/// Sum of the products of eight bytes each of x and y, modulo 2^32.
template <class X, class Y>
u32 dot8(u64 x, u64 y) {
  i32 sum = 0;
  for (u32 shift = 0; shift < 64; shift += 8)
    sum += i32{static_cast<X>(x >> shift)} * i32{static_cast<Y>(y >> shift)};
  return static_cast<u32>(sum);
}

/// rd += X . {rs2, rs1}
template <class X, class Y>
constexpr Body dot =
    [](Step& s) { s.write_rd(s.rd() + dot8<X, Y>(s.hart.operand, pair(s.rs1(), s.rs2()))); };
/// The same, and then X = mem64[rs3]; rs3 += 8. Everything is read before anything is written.
template <class X, class Y>
constexpr Body dot_and_load = [](Step& s) {
  u64 next = 0;
  const u32 pointer = s.rs3();
  if (!load_wide(s, pointer, next)) return;
  s.write_rd(s.rd() + dot8<X, Y>(s.hart.operand, pair(s.rs1(), s.rs2())));
  s.write(s.op.rs3, pointer + wide_bytes);
  s.hart.operand = next;
};

void load_operand(Step& s) {
  u64 value = 0;
  if (!load_wide(s, s.rs1(), value)) return;
  s.hart.operand = value;
  s.write(s.op.rs1, s.rs1() + wide_bytes);
}

/// The upper half of 2ab, rounded half away from zero, saturated: the doubling overflows for one
/// pair only.
u32 requantise_multiply(u32 a, u32 b) {
  constexpr i32 lowest = std::numeric_limits<i32>::min();
  const i32 x = static_cast<i32>(a), y = static_cast<i32>(b);
  if (x == lowest && y == lowest) return static_cast<u32>(std::numeric_limits<i32>::max());
  const i64 product = i64{x} * y;
  const i64 half = product >= 0 ? i64{1} << 30 : 1 - (i64{1} << 30);
  return static_cast<u32>((product + half) / (i64{1} << 31));  // towards zero
}

/// a / 2^amount, rounded half away from zero; amount modulo 32.
u32 round_shift(u32 a, u32 b) {
  const u32 amount = b & 31;
  const i32 value = static_cast<i32>(a);
  const i64 mask = (i64{1} << amount) - 1;
  const i64 remainder = value & mask;
  const i64 threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  return static_cast<u32>((value >> amount) + (remainder > threshold ? 1 : 0));
}

/// Four look-ups in a table of 256 bytes at rs1, one for each byte of rs2.
void look_up(Step& s) {
  u32 result = 0;
  for (u32 shift = 0; shift < 32; shift += 8) {
    u64 value = 0;
    if (!s.load(s.rs1() + (s.rs2() >> shift & 0xff), 1, value)) return;
    result |= low(value) << shift;
  }
  s.write_rd(result);
}

constexpr Entry entries[] = {
    {Op::GP_LD2, [](Step& s) { load_pair(s, s.rs1() + s.imm(), 0); }},
    {Op::GP_SD2, [](Step& s) { store_pair(s, s.rs1() + s.imm(), 0); }},
    {Op::GP_LD2_PI, [](Step& s) { load_pair(s, s.rs1(), s.imm()); }},
    {Op::GP_SD2_PI, [](Step& s) { store_pair(s, s.rs1(), s.imm()); }},

    {Op::GP_XSDOT8, dot<i8, i8>},
    {Op::GP_XUDOT8, dot<u8, u8>},
    {Op::GP_XUSDOT8, dot<u8, i8>},
    {Op::GP_XSDOT8_LD, dot_and_load<i8, i8>},
    {Op::GP_XUDOT8_LD, dot_and_load<u8, u8>},
    {Op::GP_XUSDOT8_LD, dot_and_load<u8, i8>},
    {Op::GP_XSET, [](Step& s) { s.hart.operand = pair(s.rs1(), s.rs2()); }},
    {Op::GP_XLD, load_operand},

    {Op::GP_RQMUL, of_rs1_rs2<requantise_multiply>},
    {Op::GP_RSHR, of_rs1_rs2<round_shift>},
    {Op::GP_LUT8, look_up},
};

}  // namespace

constinit const Bodies xgp_bodies = bodies({Extension::xgp}, entries);

}  // namespace simfarm::reference
