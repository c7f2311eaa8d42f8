// Zicsr. Side effects as on the CV32E40P (its RTL): a set or clear whose field rs1 is x0, or whose
// immediate is 0, does not write; writes change the bits that pe/csr names.
#include <fmt/format.h>

#include "engine/reference/body.h"
#include "pe/csr.h"

namespace simfarm::reference {
namespace {

u32 low(u64 x) { return static_cast<u32>(x); }
u32 high(u64 x) { return static_cast<u32>(x >> 32); }

u64 cycles(const Step& s) { return s.around.cycle + s.hart.cycle_offset; }
u64 retired(const Step& s) { return s.hart.retired + s.hart.retired_offset; }

/// A counter written with v reads v + n, n cycles (instructions) after the one that follows the
/// write: the writing cycle (instruction) itself does not count.
void write_cycles(Step& s, u64 value) { s.hart.cycle_offset = value - s.around.cycle - 1; }
void write_retired(Step& s, u64 value) { s.hart.retired_offset = value - s.hart.retired - 1; }
u64 with_low(u64 x, u32 value) { return u64{high(x)} << 32 | value; }
u64 with_high(u64 x, u32 value) { return u64{value} << 32 | low(x); }

/// A csr is read one cycle after the issue, when the last instruction of a hardware loop's body has
/// already counted the loop down.
u32 loop_count(const Step& s, u32 loop) {
  Hart after = s.hart;
  next_pc(after, s.op.length);
  return after.loops[loop].count;
}

u32 read(const Step& s, u32 number, u32 start) {
  const Hart& hart = s.hart;
  switch (number) {
    case csr::mstatus:
      return hart.mstatus;
    case csr::mie:
      return hart.mie;
    case csr::mtvec:
      return hart.mtvec;
    case csr::mcountinhibit:
      return hart.mcountinhibit;
    case csr::mscratch:
      return hart.mscratch;
    case csr::mepc:
      return hart.mepc;
    case csr::mcause:
      return hart.mcause;
    case csr::region:
      return hart.region;
    case csr::mcycle:
    case csr::cycle:
      return low(cycles(s));
    case csr::mcycleh:
    case csr::cycleh:
      return high(cycles(s));
    case csr::minstret:
    case csr::instret:
      return low(retired(s));
    case csr::minstreth:
    case csr::instreth:
      return high(retired(s));
    case csr::lpstart0:
      return hart.loops[0].start;
    case csr::lpend0:
      return hart.loops[0].end;
    case csr::lpcount0:
      return loop_count(s, 0);
    case csr::lpstart1:
      return hart.loops[1].start;
    case csr::lpend1:
      return hart.loops[1].end;
    case csr::lpcount1:
      return loop_count(s, 1);
    case csr::uhartid:
    case csr::mhartid:
      return s.around.pe;
    case csr::pe_row:
      return s.around.row;
    case csr::pe_column:
      return s.around.column;
    case csr::pe_rows:
      return s.around.rows;
    case csr::pe_columns:
      return s.around.columns;
    case csr::pe_count:
      return s.around.rows * s.around.columns;
    case csr::pe_local_memory_bytes:
      return s.around.local_memory_bytes;
    default:
      return start;
  }
}

void write(Step& s, u32 number, u32 value) {
  Hart& hart = s.hart;
  switch (number) {
    case csr::mstatus:
      hart.mstatus = value;
      break;
    case csr::mie:
      hart.mie = value;
      break;
    case csr::mtvec:
      hart.mtvec = value;
      break;
    case csr::mcountinhibit:
      hart.mcountinhibit = value;
      break;
    case csr::mscratch:
      hart.mscratch = value;
      break;
    case csr::mepc:
      hart.mepc = value;
      break;
    case csr::mcause:
      hart.mcause = value;
      break;
    case csr::region:
      s.done.region = hart.region = static_cast<u8>(value);
      break;
    case csr::mcycle:
      write_cycles(s, with_low(cycles(s), value));
      break;
    case csr::mcycleh:
      write_cycles(s, with_high(cycles(s), value));
      break;
    case csr::minstret:
      write_retired(s, with_low(retired(s), value));
      break;
    case csr::minstreth:
      write_retired(s, with_high(retired(s), value));
      break;
    default:
      break;  // no bits to write
  }
}

/// rd = csr; csr = change(csr, operand), when there is something to write. The csr exists and is
/// not read-only: decoding has seen to it.
void access(Step& s, u32 operand, u32 (*change)(u32 old, u32 operand)) {
  const u32 number = s.imm();
  const CsrBits bits = csr_bits(number);
  const u32 old = read(s, number, bits.start);
  if (csr_writes(s.op)) {
    const u32 value = change(old, operand);
    if (number == csr::region && value > largest_region)
      return s.fail(TrapKind::illegal_instruction, number,
                    fmt::format("region {} is above {}", value, largest_region));
    write(s, number, (old & ~bits.writable) | (value & bits.writable));
  }
  s.write_rd(old);
}

u32 replace(u32, u32 operand) { return operand; }
u32 set(u32 old, u32 operand) { return old | operand; }
u32 clear(u32 old, u32 operand) { return old & ~operand; }

constexpr Entry entries[] = {
    {Op::CSRRW, [](Step& s) { access(s, s.rs1(), replace); }},
    {Op::CSRRS, [](Step& s) { access(s, s.rs1(), set); }},
    {Op::CSRRC, [](Step& s) { access(s, s.rs1(), clear); }},
    {Op::CSRRWI, [](Step& s) { access(s, s.op.imm2, replace); }},
    {Op::CSRRSI, [](Step& s) { access(s, s.op.imm2, set); }},
    {Op::CSRRCI, [](Step& s) { access(s, s.op.imm2, clear); }},
};

}  // namespace

constinit const Bodies csr_bodies = bodies({Extension::zicsr}, entries);

}  // namespace simfarm::reference
