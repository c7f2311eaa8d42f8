// Csrs: values, side effects, counters. Expected values are those of the core's RTL where the core
// has the csr.
#include "pe/csr.h"

#include "isa/decode.h"
#include "tests/pe/core.h"

namespace simfarm::reference {
namespace {

constexpr u8 t0 = 5, a0 = 10, a1 = 11;

Operation csrrw(u8 rd, u32 number, u8 rs1) {
  return {.op = Op::CSRRW, .rd = rd, .rs1 = rs1, .imm = static_cast<i32>(number)};
}
Operation csrrs(u8 rd, u32 number, u8 rs1) {
  return {.op = Op::CSRRS, .rd = rd, .rs1 = rs1, .imm = static_cast<i32>(number)};
}

u32 read(TestCore& core, u32 number) {
  EXPECT_FALSE(core.run(csrrs(a0, number, 0)).fault) << std::hex << number;
  return core.hart.x[a0];
}
std::optional<Fault> write(TestCore& core, u32 number, u32 value) {
  core.hart.x[t0] = value;
  return core.run(csrrw(0, number, t0)).fault;
}

TEST(Csr, StartValuesAndBitsThatAWriteChanges) {
  const struct {
    u32 number, start, after_ones, after_zeros;
  } cases[] = {
      {csr::mstatus, 0x1800, 0x1888, 0x1800},
      {csr::misa, 0x4080'1104, 0x4080'1104, 0x4080'1104},
      {csr::mie, 0, 0xffff'0888, 0},
      {csr::mtvec, 1, 0xffff'ff01, 0},
      {csr::mcountinhibit, 0xd, 0xd, 0},
      {csr::mscratch, 0, 0xffff'ffff, 0},
      {csr::mepc, 0, 0xffff'fffe, 0},
      {csr::mcause, 0, 0x8000'001f, 0},
      {csr::mtval, 0, 0, 0},
      {csr::mip, 0, 0, 0},
      {csr::mhpmevent3, 0, 0, 0},
      {csr::mhpmcounter31h, 0, 0, 0},
      {csr::tselect, 0, 0, 0},
      {csr::tdata1, 0x2800'1040, 0x2800'1040, 0x2800'1040},
      {csr::tdata2, 0, 0, 0},
      {csr::tinfo, 4, 4, 4},
  };
  for (const auto& one : cases) {
    TestCore core;
    EXPECT_EQ(read(core, one.number), one.start) << std::hex << one.number;
    EXPECT_FALSE(write(core, one.number, ~0u));
    EXPECT_EQ(read(core, one.number), one.after_ones) << std::hex << one.number;
    EXPECT_FALSE(write(core, one.number, 0));
    EXPECT_EQ(read(core, one.number), one.after_zeros) << std::hex << one.number;
  }
}

TEST(Csr, IdentityAndImplementation) {
  TestCore core;
  core.around = {.cycle = 0,
                 .pe = 6,
                 .row = 1,
                 .column = 2,
                 .rows = 3,
                 .columns = 4,
                 .local_memory_bytes = 0x8000};
  EXPECT_EQ(read(core, csr::mhartid), 6u);
  EXPECT_EQ(read(core, csr::uhartid), 6u);
  EXPECT_EQ(read(core, csr::pe_row), 1u);
  EXPECT_EQ(read(core, csr::pe_column), 2u);
  EXPECT_EQ(read(core, csr::pe_rows), 3u);
  EXPECT_EQ(read(core, csr::pe_columns), 4u);
  EXPECT_EQ(read(core, csr::pe_count), 12u);
  EXPECT_EQ(read(core, csr::pe_local_memory_bytes), 0x8000u);
  EXPECT_EQ(read(core, csr::mvendorid), 0x602u);
  EXPECT_EQ(read(core, csr::marchid), 4u);
  EXPECT_EQ(read(core, csr::mimpid), 1u);
  EXPECT_EQ(read(core, csr::privlv), 3u);
  EXPECT_EQ(read(core, csr::zfinx), 0u);
}

// Every csr that decoding lets through can be read; what is read-only or absent does not decode.
TEST(Csr, EveryNumber) {
  u32 there = 0;
  for (u32 number = 0; number < 4096; ++number) {
    const bool exists = operands_are_legal(csrrs(a0, number, 0));
    const bool writable = operands_are_legal(csrrw(a0, number, t0));
    EXPECT_EQ(writable, exists && number < 0xc00) << std::hex << number;
    there += exists;
    if (!exists) continue;
    TestCore core;
    EXPECT_FALSE(core.run(csrrs(a0, number, 0)).fault) << std::hex << number;
    if (writable) {
      EXPECT_FALSE(write(core, number, 0)) << std::hex << number;
    } else {
      EXPECT_EQ(csr_bits(number).writable, 0u) << std::hex << number;
    }
  }
  // 9 machine, 29 events, 29 x 2 counters, 4 + 4 fixed counters and views, 29 x 2 views, 7 of the
  // trigger, 6 of the loops, 3 of PULP, 4 of the implementation, mcountinhibit, 7 ours.
  EXPECT_EQ(there, 9u + 29 + 29 * 2 + 8 + 29 * 2 + 7 + 6 + 3 + 4 + 1 + 7);
  for (u32 absent : {0x001u, 0x306u, 0x310u, 0x3a0u, 0x7b0u, 0x7c1u, 0xb01u, 0xc01u, 0xcc3u, 0xcc7u,
                     0xfbfu, 0xfc6u})
    EXPECT_FALSE(operands_are_legal(csrrs(a0, absent, 0))) << std::hex << absent;
}

TEST(Csr, SetAndClear) {
  TestCore core;
  write(core, csr::mscratch, 0xf0);
  core.hart.x[a1] = 0x3c;
  core.run(csrrs(a0, csr::mscratch, a1));
  EXPECT_EQ(core.hart.x[a0], 0xf0u);
  EXPECT_EQ(core.hart.mscratch, 0xfcu);
  core.run({.op = Op::CSRRC, .rd = a1, .rs1 = a1, .imm = csr::mscratch});  // rd is rs1
  EXPECT_EQ(core.hart.x[a1], 0xfcu);
  EXPECT_EQ(core.hart.mscratch, 0xc0u);
  core.run({.op = Op::CSRRSI, .rd = a0, .imm2 = 31, .imm = csr::mscratch});
  EXPECT_EQ(core.hart.mscratch, 0xdfu);
  core.run({.op = Op::CSRRCI, .rd = a0, .imm2 = 16, .imm = csr::mscratch});
  EXPECT_EQ(core.hart.mscratch, 0xcfu);
  core.run({.op = Op::CSRRWI, .rd = a0, .imm2 = 9, .imm = csr::mscratch});
  EXPECT_EQ(core.hart.x[a0], 0xcfu);
  EXPECT_EQ(core.hart.mscratch, 9u);
}

TEST(Csr, CycleIsTheMachinesWithWhatWasWritten) {
  TestCore core;
  core.around.cycle = 0x1'0000'0007;
  EXPECT_EQ(read(core, csr::mcycle), 7u);
  EXPECT_EQ(read(core, csr::mcycleh), 1u);  // one cycle later
  EXPECT_EQ(read(core, csr::cycle), 9u);
  // On the RTL, with the csr's own four cycles: written with 100, read as 103.
  core.around.cycle = 50;
  write(core, csr::mcycle, 100);
  core.around.cycle = 54;
  EXPECT_EQ(read(core, csr::mcycle), 103u);
  // Written with -4, the upper half five cycles later with 7: the carry into it is overwritten.
  core.around.cycle = 100;
  write(core, csr::mcycle, static_cast<u32>(-4));
  core.around.cycle = 105;
  write(core, csr::mcycleh, 7);
  core.around.cycle = 109;
  EXPECT_EQ(read(core, csr::mcycle), 3u);
  EXPECT_EQ(read(core, csr::mcycleh), 7u);
}

TEST(Csr, InhibitingStopsNothing) {
  TestCore core;
  write(core, csr::mcountinhibit, ~0u);
  const u32 before = read(core, csr::mcycle);
  EXPECT_EQ(read(core, csr::mcycle), before + 1);
  EXPECT_EQ(read(core, csr::minstret), 3u);
}

TEST(Csr, RetiredCountsWhatIssuedBefore) {
  TestCore core;
  EXPECT_EQ(read(core, csr::minstret), 0u);
  core.run(nop());
  EXPECT_EQ(read(core, csr::instret), 2u);
  write(core, csr::minstret, 100);
  EXPECT_EQ(read(core, csr::minstret), 100u);
  core.run(nop());
  core.run(nop());
  EXPECT_EQ(read(core, csr::minstret), 103u);
  core.run(csrrw(a0, csr::minstret, 0));
  EXPECT_EQ(core.hart.x[a0], 104u);
  EXPECT_EQ(read(core, csr::minstret), 0u);
  write(core, csr::minstreth, 5);
  EXPECT_EQ(read(core, csr::minstreth), 5u);
  EXPECT_EQ(read(core, csr::instreth), 5u);
}

TEST(Csr, RegionsStartWhenTheyAreWritten) {
  TestCore core;
  Executed done = core.run(csrrs(a0, csr::region, 0));
  EXPECT_FALSE(done.region);
  EXPECT_EQ(core.hart.x[a0], 0u);
  core.hart.x[t0] = 255;
  done = core.run(csrrw(a0, csr::region, t0));
  EXPECT_EQ(done.region, u8{255});
  EXPECT_EQ(read(core, csr::region), 255u);
  const std::optional<Fault> fault = write(core, csr::region, 256);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, TrapKind::illegal_instruction);
  EXPECT_EQ(fault->address, csr::region);
  EXPECT_EQ(read(core, csr::region), 255u);
}

TEST(Csr, MretGoesToMepcAndRestoresTheEnable) {
  TestCore core;
  write(core, csr::mepc, code_base + 0x101);
  write(core, csr::mstatus, mstatus_mie);
  EXPECT_EQ(core.run({.op = Op::MRET}).next_pc, code_base + 0x100);
  EXPECT_EQ(core.hart.mstatus, 0x1880u);  // MPIE was 0
  core.run({.op = Op::MRET});
  EXPECT_EQ(core.hart.mstatus, 0x1888u);
}

}  // namespace
}  // namespace simfarm::reference
