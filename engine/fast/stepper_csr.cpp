// Csr accesses of the stepper: docs/machine.md, "Csrs".
#include <fmt/format.h>

#include "engine/fast/doing.h"
#include "engine/fast/planted.h"
#include "isa/csr.h"

namespace simfarm::fast {
namespace {

u32 low(u64 value) { return static_cast<u32>(value); }
u32 high(u64 value) { return static_cast<u32>(value >> 32); }
u64 with_low(u64 value, u32 half) { return value >> 32 << 32 | half; }
u64 with_high(u64 value, u32 half) { return u64{half} << 32 | low(value); }

}  // namespace

u32 Stepper::read_csr(const Doing& doing, u32 number) {
  const Pe& pe = doing.pe;
  const Machine& machine = input_.machine;
  const u64 cycle = doing.at + pe.cycle_offset;
  const u64 retired =
      pe.frame.retired + pe.retired_offset + (planted(Planted::retired_count) ? 1 : 0);
  // The loop whose body this instruction ends has counted down by the time the csr is read.
  const auto count = [&](u32 loop) {
    const bool ends = loop_ending_at(doing.loops, doing.pc, doing.op.length) == loop;
    return doing.loops[loop].count - (ends && !planted(Planted::loop_count_not_down) ? 1 : 0);
  };
  switch (number) {
    case csr::mstatus:
      return pe.mstatus;
    case csr::mie:
      return pe.mie;
    case csr::mtvec:
      return pe.mtvec;
    case csr::mcountinhibit:
      return pe.mcountinhibit;
    case csr::mscratch:
      return pe.mscratch;
    case csr::mepc:
      return pe.mepc;
    case csr::mcause:
      return pe.mcause;
    case csr::region:
      return doing.region;
    case csr::cycle:
    case csr::mcycle:
      return low(cycle);
    case csr::cycleh:
    case csr::mcycleh:
      return high(cycle);
    case csr::instret:
    case csr::minstret:
      return low(retired);
    case csr::instreth:
    case csr::minstreth:
      return high(retired);
    case csr::lpstart0:
      return doing.loops[0].start;
    case csr::lpend0:
      return doing.loops[0].end;
    case csr::lpcount0:
      return count(0);
    case csr::lpstart1:
      return doing.loops[1].start;
    case csr::lpend1:
      return doing.loops[1].end;
    case csr::lpcount1:
      return count(1);
    case csr::uhartid:
    case csr::mhartid:
      return pe.id;
    case csr::pe_row:
      return machine.row_of(pe.id);
    case csr::pe_column:
      return machine.column_of(pe.id);
    case csr::pe_rows:
      return machine.rows;
    case csr::pe_columns:
      return machine.columns;
    case csr::pe_count:
      return machine.pes();
    case csr::pe_local_memory_bytes:
      return low(machine.map.local.bytes);
    default:
      return csr_bits(number).start;
  }
}

void Stepper::write_csr(Doing& doing, u32 number, u32 value) {
  Pe& pe = doing.pe;
  const u64 cycle = doing.at + pe.cycle_offset;
  const u64 retired = pe.frame.retired + pe.retired_offset;
  // A written counter counts on after the write: the writing instruction is not in it.
  const auto set_cycle = [&](u64 to) { pe.cycle_offset = to - doing.at - 1; };
  const auto set_retired = [&](u64 to) { pe.retired_offset = to - pe.frame.retired - 1; };
  switch (number) {
    case csr::mstatus:
      pe.mstatus = value;
      break;
    case csr::mie:
      pe.mie = value;
      break;
    case csr::mtvec:
      pe.mtvec = value;
      break;
    case csr::mcountinhibit:
      pe.mcountinhibit = value;
      break;
    case csr::mscratch:
      pe.mscratch = value;
      break;
    case csr::mepc:
      pe.mepc = value;
      break;
    case csr::mcause:
      pe.mcause = value;
      break;
    case csr::region:
      doing.region = static_cast<u8>(value);
      break;
    case csr::mcycle:
      set_cycle(with_low(cycle, value));
      break;
    case csr::mcycleh:
      set_cycle(with_high(cycle, value));
      break;
    case csr::minstret:
      set_retired(with_low(retired, value));
      break;
    case csr::minstreth:
      set_retired(with_high(retired, value));
      break;
    default:
      break;  // nothing in it can be written
  }
}

std::optional<Fault> Stepper::access_csr(Doing& doing) {
  const Operation& op = doing.op;
  const u32 number = doing.imm();
  const u32 old = read_csr(doing, number);
  if (csr_writes(op)) {
    u32 value = 0;
    switch (op.op) {
      case Op::CSRRW:
        value = doing.rs1();
        break;
      case Op::CSRRS:
        value = old | doing.rs1();
        break;
      case Op::CSRRC:
        value = old & ~doing.rs1();
        break;
      case Op::CSRRWI:
        value = op.imm2;
        break;
      case Op::CSRRSI:
        value = old | op.imm2;
        break;
      default:
        value = old & ~u32{op.imm2};
        break;
    }
    if (number == csr::region && value > largest_region)
      return Fault{TrapKind::illegal_instruction, number,
                   fmt::format("region {} is above {}", value, largest_region)};
    const u32 writable = csr_bits(number).writable;
    write_csr(doing, number, (old & ~writable) | (value & writable));
  }
  doing.pe.set_x(op.rd, old);
  return std::nullopt;
}

}  // namespace simfarm::fast
