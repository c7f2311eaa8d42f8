// Xgp arithmetic and memory against values worked out by hand from docs/machine.md.
#include <random>

#include "tests/pe/core.h"

namespace simfarm::reference::xgp {
namespace {

constexpr u32 memory = TestMemory::base;
constexpr u8 s0 = 8, a0 = 10, a1 = 11, a2 = 12;

u32 result(Op op, u32 rs1, u32 rs2, u32 rd = 0, u64 operand = 0) {
  TestCore core;
  core.hart.operand = operand;
  core.hart.x[a0] = rd, core.hart.x[a1] = rs1, core.hart.x[a2] = rs2;
  EXPECT_FALSE(core.run({.op = op, .rd = a0, .rs1 = a1, .rs2 = a2}).fault);
  return core.hart.x[a0];
}

TEST(Xgp, RequantiseMultiply) {
  const struct {
    i32 a, b, product;
  } cases[] = {
      {0, 0, 0},
      {INT32_MIN, INT32_MIN, INT32_MAX},   // the one saturation
      {INT32_MIN, INT32_MAX, -INT32_MAX},  // -(2^31 - 1)
      {INT32_MAX, INT32_MAX, INT32_MAX - 1},
      {INT32_MIN, 1, -1},
      {INT32_MIN, -1, 1},
      {1 << 30, 1, 1},   // exactly one half: up
      {1 << 30, -1, 0},  // minus one half: (-2^30 + 1 - 2^30) / 2^31, towards zero
      {(1 << 30) - 1, 1, 0},
      {(1 << 30) + 1, -1, -1},
      {3 << 29, 1, 1},  // 0.75
      {3 << 29, -1, -1},
      {1 << 30, 3, 2},    // 1.5
      {1 << 30, -3, -1},  // -1.5: half rounds towards zero on this side, as gemmlowp's does
      {0x4000'0000, 0x4000'0000, 0x2000'0000},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(result(Op::GP_RQMUL, static_cast<u32>(one.a), static_cast<u32>(one.b)),
              static_cast<u32>(one.product))
        << one.a << " * " << one.b;
    EXPECT_EQ(result(Op::GP_RQMUL, static_cast<u32>(one.b), static_cast<u32>(one.a)),
              static_cast<u32>(one.product));
  }
}

TEST(Xgp, RoundingShiftIsHalfAwayFromZero) {
  const struct {
    i32 a;
    u32 amount;
    i32 shifted;
  } cases[] = {
      {5, 0, 5},
      {-5, 0, -5},
      {5, 1, 3},
      {-5, 1, -3},
      {3, 1, 2},
      {-3, 1, -2},
      {1, 1, 1},
      {-1, 1, -1},
      {1, 2, 0},
      {-1, 2, 0},
      {2, 2, 1},
      {-2, 2, -1},
      {6, 2, 2},
      {-6, 2, -2},
      {INT32_MAX, 1, 1 << 30},
      {INT32_MIN, 1, -(1 << 30)},
      {INT32_MAX, 31, 1},
      {INT32_MIN, 31, -1},
      {1 << 30, 31, 1},
      {-(1 << 30), 31, -1},
      {(1 << 30) - 1, 31, 0},
      {5, 32, 5},
      {5, 33, 3},  // modulo 32
  };
  for (const auto& one : cases)
    EXPECT_EQ(result(Op::GP_RSHR, static_cast<u32>(one.a), one.amount),
              static_cast<u32>(one.shifted))
        << one.a << " >> " << one.amount;
}

TEST(Xgp, DotProductsOfEightBytes) {
  // X = {-1, 2, -128, 127, 0, 1, 100, -100}, {hi, lo} = {1, 1, -128, 127, 5, 255 (-1), 2, 3};
  // lowest byte first.
  const u64 x = 0x9c64'0100'7f80'02ff;
  const u32 low = 0x7f80'0101, high = 0x0302'ff05;
  // signed: -1 + 2 + 16384 + 16129 + 0 - 1 + 200 - 300
  EXPECT_EQ(result(Op::GP_XSDOT8, low, high, 1000, x), 1000u + 32413);
  // unsigned: 255 + 2 + 16384 + 16129 + 0 + 255 + 200 + 468
  EXPECT_EQ(result(Op::GP_XUDOT8, low, high, 1000, x), 1000u + 33693);
  // X unsigned: 255 + 2 - 16384 + 16129 + 0 - 1 + 200 + 468
  EXPECT_EQ(result(Op::GP_XUSDOT8, low, high, 1000, x), 1000u + 669);
  // The extremes, and the sum's wrap.
  const u64 lowest = 0x8080'8080'8080'8080;
  EXPECT_EQ(result(Op::GP_XSDOT8, 0x8080'8080, 0x8080'8080, ~0u, lowest), 8u * 16384 - 1);
  EXPECT_EQ(result(Op::GP_XUDOT8, ~0u, ~0u, 0, ~u64{0}), 8u * 65025);
  EXPECT_EQ(result(Op::GP_XUSDOT8, 0x8080'8080, 0x8080'8080, 0, ~u64{0}),
            static_cast<u32>(-8 * 255 * 128));
}

TEST(Xgp, TheAccumulatorMayBeASource) {
  TestCore core;
  core.hart.operand = 0x0101'0101'0101'0101;
  core.hart.x[a0] = 0x0000'0203;
  core.run({.op = Op::GP_XSDOT8, .rd = a0, .rs1 = a0, .rs2 = a0});
  EXPECT_EQ(core.hart.x[a0], 0x0203u + 2 * (2 + 3));
}

TEST(Xgp, DotAndLoadUsesTheOldOperand) {
  TestCore core;
  core.memory.store(memory + 16, 8, 0x0202'0202'0202'0202);
  core.hart.operand = 0x0101'0101'0101'0101;
  core.hart.x[s0] = memory + 16;
  core.hart.x[a1] = 0x0102'0304;
  core.hart.x[a2] = 0x0506'0708;
  const Operation op{.op = Op::GP_XSDOT8_LD, .rd = a0, .rs1 = a1, .rs2 = a2, .rs3 = s0};
  core.run(op);
  EXPECT_EQ(core.hart.x[a0], 36u);
  EXPECT_EQ(core.hart.operand, 0x0202'0202'0202'0202u);
  EXPECT_EQ(core.hart.x[s0], memory + 24);
  core.run(op);
  EXPECT_EQ(core.hart.x[a0], 36u + 72);
  EXPECT_EQ(core.hart.operand, 0u);
  // The pointer as a source: its value before.
  core.hart.operand = 1;
  core.hart.x[s0] = memory + 16;
  core.hart.x[a0] = 0;
  core.run({.op = Op::GP_XUDOT8_LD, .rd = a0, .rs1 = s0, .rs2 = s0, .rs3 = s0});
  EXPECT_EQ(core.hart.x[a0], 16u);
  EXPECT_EQ(core.hart.x[s0], memory + 24);
}

TEST(Xgp, OperandBuffer) {
  TestCore core;
  core.hart.x[a1] = 0x1111'1111, core.hart.x[a2] = 0x2222'2222;
  core.run({.op = Op::GP_XSET, .rs1 = a1, .rs2 = a2});
  EXPECT_EQ(core.hart.operand, 0x2222'2222'1111'1111u);
  core.memory.store(memory + 8, 8, 0x8877'6655'4433'2211);
  core.hart.x[s0] = memory + 8;
  core.run({.op = Op::GP_XLD, .rs1 = s0});
  EXPECT_EQ(core.hart.operand, 0x8877'6655'4433'2211u);
  EXPECT_EQ(core.hart.x[s0], memory + 16);
}

TEST(Xgp, WideLoadsAndStores) {
  TestCore core;
  core.hart.x[s0] = memory + 8;
  core.hart.x[a1] = 0x1111'1111, core.hart.x[a2] = 0x2222'2222;
  core.run({.op = Op::GP_SD2, .rs1 = s0, .rs2 = a1, .rs3 = a2, .imm = 248});
  EXPECT_EQ(core.memory.word(memory + 256, 8), 0x2222'2222'1111'1111u);
  core.run({.op = Op::GP_LD2, .rd = 20, .rs1 = s0, .rs2 = 21, .imm = 248});
  EXPECT_EQ(core.hart.x[20], 0x1111'1111u);
  EXPECT_EQ(core.hart.x[21], 0x2222'2222u);
  // The base may be a destination where it is not incremented; x0 takes nothing.
  core.run({.op = Op::GP_LD2, .rd = 0, .rs1 = s0, .rs2 = s0, .imm = 248});
  EXPECT_EQ(core.hart.x[s0], 0x2222'2222u);
  EXPECT_EQ(core.hart.x[0], 0u);

  core.hart.x[s0] = memory + 256;
  core.run({.op = Op::GP_LD2_PI, .rd = 22, .rs1 = s0, .rs2 = 23, .imm = -128});
  EXPECT_EQ(core.hart.x[22], 0x1111'1111u);
  EXPECT_EQ(core.hart.x[23], 0x2222'2222u);
  EXPECT_EQ(core.hart.x[s0], memory + 128);
  core.run({.op = Op::GP_SD2_PI, .rs1 = s0, .rs2 = s0, .rs3 = a1, .imm = 120});
  EXPECT_EQ(core.memory.word(memory + 128, 8), 0x1111'1111'0000'0000u | (memory + 128));
  EXPECT_EQ(core.hart.x[s0], memory + 248);
}

TEST(Xgp, WideAccessesMustBeAlignedAndFaultsChangeNothing) {
  for (Op op : {Op::GP_LD2, Op::GP_SD2, Op::GP_LD2_PI, Op::GP_SD2_PI, Op::GP_XLD, Op::GP_XSDOT8_LD,
                Op::GP_XUDOT8_LD, Op::GP_XUSDOT8_LD}) {
    for (u32 address : {memory + 4, memory + 4096, memory + 4097}) {
      TestCore core;
      core.hart.operand = 0x0101'0101;
      core.hart.x[s0] = address;
      core.hart.x[a0] = 1, core.hart.x[a1] = 2, core.hart.x[a2] = 3;
      const bool dot = row(op).name.ends_with(".ld");
      const Hart before = core.hart;
      const Executed done =
          core.run({.op = op, .rd = a0, .rs1 = dot ? a1 : s0, .rs2 = a2, .rs3 = dot ? s0 : a1});
      ASSERT_TRUE(done.fault) << row(op).name;
      const bool store = row(op).timing == TimingClass::store;
      EXPECT_EQ(done.fault->kind, address % 8 != 0 ? TrapKind::misaligned_wide
                                  : store          ? TrapKind::store_fault
                                                   : TrapKind::load_fault)
          << row(op).name;
      EXPECT_EQ(done.fault->address, address);
      EXPECT_EQ(core.hart.x, before.x);
      EXPECT_EQ(core.hart.operand, before.operand);
    }
  }
}

TEST(Xgp, TableLookUp) {
  TestCore core;
  for (u32 k = 0; k < 256; ++k) core.memory.bytes[512 + k] = static_cast<u8>(255 - k);
  core.hart.x[a1] = memory + 512;
  core.hart.x[a2] = 0xff00'8001;
  core.run({.op = Op::GP_LUT8, .rd = a0, .rs1 = a1, .rs2 = a2});
  EXPECT_EQ(core.hart.x[a0], 0x00ff'7ffeu);
  // Only the bytes that are looked up must be there: a table whose last 16 entries are outside.
  core.hart.x[a1] = memory + 4096 - 240;
  core.hart.x[a2] = 0x0102'03ef;
  EXPECT_FALSE(core.run({.op = Op::GP_LUT8, .rd = a0, .rs1 = a1, .rs2 = a2}).fault);
  core.hart.x[a2] = 0x0102'f003;
  core.hart.x[a0] = 5;
  const Executed done = core.run({.op = Op::GP_LUT8, .rd = a0, .rs1 = a1, .rs2 = a2});
  ASSERT_TRUE(done.fault);
  EXPECT_EQ(done.fault->kind, TrapKind::load_fault);
  EXPECT_EQ(done.fault->address, memory + 4096);
  EXPECT_EQ(core.hart.x[a0], 5u);
}

// The definitions, worded another way: exact rationals instead of masks and nudges.
TEST(Xgp, RoundingAgreesWithItsDefinitionOnRandomOperands) {
  std::mt19937 random(7);
  for (u32 k = 0; k < 20'000; ++k) {
    const u32 a = static_cast<u32>(random()), b = static_cast<u32>(random());
    const i64 value = static_cast<i32>(a);
    const u32 amount = b % 32;
    const i64 unit = i64{1} << amount;
    const i64 magnitude = (2 * (value < 0 ? -value : value) + unit) / (2 * unit);
    EXPECT_EQ(result(Op::GP_RSHR, a, b), static_cast<u32>(value < 0 ? -magnitude : magnitude));

    const i64 product = value * static_cast<i32>(b);
    const i64 doubled = product >> 30;       // 2p / 2^31 with one more bit, rounded down
    const i64 nearest = (doubled + 1) >> 1;  // half up: gemmlowp's half on either side
    EXPECT_EQ(result(Op::GP_RQMUL, a, b), static_cast<u32>(nearest)) << a << ' ' << b;
  }
}

}  // namespace
}  // namespace simfarm::reference::xgp
