// The control and status registers that a PE has: numbers, names, legality of an access. What they
// hold is pe's business.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/types.h"
#include "isa/operation.h"

namespace simfarm {

/// Numbers that code refers to by name.
namespace csr {
inline constexpr u32 mstatus = 0x300, misa = 0x301, mie = 0x304, mtvec = 0x305;
inline constexpr u32 mcountinhibit = 0x320, mhpmevent3 = 0x323, mhpmevent31 = 0x33F;
inline constexpr u32 mscratch = 0x340, mepc = 0x341, mcause = 0x342, mtval = 0x343, mip = 0x344;
inline constexpr u32 tselect = 0x7A0, tdata1 = 0x7A1, tdata2 = 0x7A2, tdata3 = 0x7A3, tinfo = 0x7A4;
inline constexpr u32 mcontext = 0x7A8, scontext = 0x7AA;
inline constexpr u32 region = 0x7C0;  ///< ours: a profile region starts on this PE
inline constexpr u32 mcycle = 0xB00, minstret = 0xB02, mhpmcounter3 = 0xB03, mhpmcounter31 = 0xB1F;
inline constexpr u32 mcycleh = 0xB80, minstreth = 0xB82, mhpmcounter3h = 0xB83;
inline constexpr u32 mhpmcounter31h = 0xB9F;
inline constexpr u32 cycle = 0xC00, instret = 0xC02, hpmcounter3 = 0xC03, hpmcounter31 = 0xC1F;
inline constexpr u32 cycleh = 0xC80, instreth = 0xC82, hpmcounter3h = 0xC83, hpmcounter31h = 0xC9F;
inline constexpr u32 lpstart0 = 0xCC0, lpend0 = 0xCC1, lpcount0 = 0xCC2;
inline constexpr u32 lpstart1 = 0xCC4, lpend1 = 0xCC5, lpcount1 = 0xCC6;
inline constexpr u32 uhartid = 0xCD0, privlv = 0xCD1, zfinx = 0xCD2;
inline constexpr u32 mvendorid = 0xF11, marchid = 0xF12, mimpid = 0xF13, mhartid = 0xF14;
/// Ours: where this PE is, and in what machine.
inline constexpr u32 pe_row = 0xFC0, pe_column = 0xFC1, pe_rows = 0xFC2, pe_columns = 0xFC3;
inline constexpr u32 pe_count = 0xFC4, pe_local_memory_bytes = 0xFC5;
}  // namespace csr

/// A register, or a numbered run of them ("mhpmcounter" 3 .. 31 and an "h" behind).
struct CsrInfo {
  u16 first;
  u16 last;
  std::string_view name;
  i32 number = -1;  ///< of the first register of a run, written behind its name
  std::string_view suffix = "";
  bool standard = true;  ///< RISC-V assemblers know the name
};

/// In order of number. The CV32E40P core's set without FPU and user mode: its debug-mode registers
/// (dcsr, dpc, dscratch) do not exist outside debug mode, mcounteren and pmp* not in this core.
inline constexpr std::array csr_table{
    CsrInfo{csr::mstatus, csr::mstatus, "mstatus"},
    CsrInfo{csr::misa, csr::misa, "misa"},
    CsrInfo{csr::mie, csr::mie, "mie"},
    CsrInfo{csr::mtvec, csr::mtvec, "mtvec"},
    CsrInfo{csr::mcountinhibit, csr::mcountinhibit, "mcountinhibit"},
    CsrInfo{csr::mhpmevent3, csr::mhpmevent31, "mhpmevent", 3},
    CsrInfo{csr::mscratch, csr::mscratch, "mscratch"},
    CsrInfo{csr::mepc, csr::mepc, "mepc"},
    CsrInfo{csr::mcause, csr::mcause, "mcause"},
    CsrInfo{csr::mtval, csr::mtval, "mtval"},
    CsrInfo{csr::mip, csr::mip, "mip"},
    CsrInfo{csr::tselect, csr::tselect, "tselect"},
    CsrInfo{csr::tdata1, csr::tdata3, "tdata", 1},
    CsrInfo{csr::tinfo, csr::tinfo, "tinfo", -1, "", false},
    CsrInfo{csr::mcontext, csr::mcontext, "mcontext"},
    CsrInfo{csr::scontext, csr::scontext, "scontext", -1, "", false},
    CsrInfo{csr::region, csr::region, "region", -1, "", false},
    CsrInfo{csr::mcycle, csr::mcycle, "mcycle"},
    CsrInfo{csr::minstret, csr::minstret, "minstret"},
    CsrInfo{csr::mhpmcounter3, csr::mhpmcounter31, "mhpmcounter", 3},
    CsrInfo{csr::mcycleh, csr::mcycleh, "mcycleh"},
    CsrInfo{csr::minstreth, csr::minstreth, "minstreth"},
    CsrInfo{csr::mhpmcounter3h, csr::mhpmcounter31h, "mhpmcounter", 3, "h"},
    CsrInfo{csr::cycle, csr::cycle, "cycle"},
    CsrInfo{csr::instret, csr::instret, "instret"},
    CsrInfo{csr::hpmcounter3, csr::hpmcounter31, "hpmcounter", 3},
    CsrInfo{csr::cycleh, csr::cycleh, "cycleh"},
    CsrInfo{csr::instreth, csr::instreth, "instreth"},
    CsrInfo{csr::hpmcounter3h, csr::hpmcounter31h, "hpmcounter", 3, "h"},
    CsrInfo{csr::lpstart0, csr::lpstart0, "lpstart0", -1, "", false},
    CsrInfo{csr::lpend0, csr::lpend0, "lpend0", -1, "", false},
    CsrInfo{csr::lpcount0, csr::lpcount0, "lpcount0", -1, "", false},
    CsrInfo{csr::lpstart1, csr::lpstart1, "lpstart1", -1, "", false},
    CsrInfo{csr::lpend1, csr::lpend1, "lpend1", -1, "", false},
    CsrInfo{csr::lpcount1, csr::lpcount1, "lpcount1", -1, "", false},
    CsrInfo{csr::uhartid, csr::uhartid, "uhartid", -1, "", false},
    CsrInfo{csr::privlv, csr::privlv, "privlv", -1, "", false},
    CsrInfo{csr::zfinx, csr::zfinx, "zfinx", -1, "", false},
    CsrInfo{csr::mvendorid, csr::mvendorid, "mvendorid"},
    CsrInfo{csr::marchid, csr::marchid, "marchid"},
    CsrInfo{csr::mimpid, csr::mimpid, "mimpid"},
    CsrInfo{csr::mhartid, csr::mhartid, "mhartid"},
    CsrInfo{csr::pe_row, csr::pe_row, "pe_row", -1, "", false},
    CsrInfo{csr::pe_column, csr::pe_column, "pe_column", -1, "", false},
    CsrInfo{csr::pe_rows, csr::pe_rows, "pe_rows", -1, "", false},
    CsrInfo{csr::pe_columns, csr::pe_columns, "pe_columns", -1, "", false},
    CsrInfo{csr::pe_count, csr::pe_count, "pe_count", -1, "", false},
    CsrInfo{csr::pe_local_memory_bytes, csr::pe_local_memory_bytes, "pe_local_memory_bytes", -1, "",
            false},
};

/// True when the machine has csr `number`.
bool csr_exists(u32 number);

/// By the architecture, the top two bits say so; every csr here keeps to it.
constexpr bool csr_is_read_only(u32 number) { return (number >> 10) == 3; }

/// True when the csr instruction writes: set and clear of nothing do not.
constexpr bool csr_writes(const Operation& operation) {
  switch (operation.op) {
    case Op::CSRRW:
    case Op::CSRRWI:
      return true;
    case Op::CSRRS:
    case Op::CSRRC:
      return operation.rs1 != 0;
    case Op::CSRRSI:
    case Op::CSRRCI:
      return operation.imm2 != 0;
    default:
      return false;
  }
}

/// The name, if the machine has csr `number`: "mhpmcounter4h".
std::optional<std::string> csr_name(u32 number);

/// What assemblers and disassemblers write: the name if it is standard, else the number in hex.
std::string csr_text(u32 number);

}  // namespace simfarm
