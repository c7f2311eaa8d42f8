#include "pe/csr.h"

#include <array>

namespace simfarm {
namespace {

struct Range {
  u32 first;
  u32 last;
  CsrRule rule;
};

constexpr CsrRule constant(u32 value) { return {false, 0, value}; }
constexpr CsrRule ignoring_writes(u32 value) { return {true, 0, value}; }

// Everything that the CV32E40P has outside debug mode (core with PULP extensions, without FPU or
// clusters; its user manual, "Control and Status Registers", and its RTL), and our own.
constexpr Range ranges[] = {
    {csr::mstatus, csr::mstatus, {true, mstatus_mie | mstatus_mpie, mstatus_start}},
    {csr::misa, csr::misa, ignoring_writes(0x4080'1104)},  // RV32IMC, X
    {csr::mie, csr::mie, {true, 0xffff'0888, 0}},
    {csr::mtvec, csr::mtvec, {true, 0xffff'ff01, mtvec_start}},
    {csr::mcountinhibit, csr::mcountinhibit, {true, 0xd, mcountinhibit_start}},
    {0x323, 0x33f, ignoring_writes(0)},  // mhpmevent3..31
    {csr::mscratch, csr::mscratch, {true, ~0u, 0}},
    {csr::mepc, csr::mepc, {true, ~1u, 0}},
    {csr::mcause, csr::mcause, {true, 0x8000'001f, 0}},
    {0x343, 0x344, ignoring_writes(0)},            // mtval, mip
    {0x7a0, 0x7a0, ignoring_writes(0)},            // tselect
    {0x7a1, 0x7a1, ignoring_writes(0x2800'1040)},  // tdata1: a match trigger that debug mode owns
    {0x7a2, 0x7a3, ignoring_writes(0)},            // tdata2, tdata3
    {0x7a4, 0x7a4, ignoring_writes(4)},            // tinfo: match triggers only
    {0x7a8, 0x7a8, ignoring_writes(0)},            // mcontext
    {0x7aa, 0x7aa, ignoring_writes(0)},            // scontext
    {csr::region, csr::region, {true, 0xff, 0}},
    {csr::mcycle, csr::mcycle, {true, ~0u, 0}},
    {csr::minstret, csr::minstret, {true, ~0u, 0}},
    {0xb03, 0xb1f, ignoring_writes(0)},  // mhpmcounter3..31
    {csr::mcycleh, csr::mcycleh, {true, ~0u, 0}},
    {csr::minstreth, csr::minstreth, {true, ~0u, 0}},
    {0xb83, 0xb9f, ignoring_writes(0)},  // mhpmcounter3h..31h
    {csr::cycle, csr::cycle, constant(0)},
    {csr::instret, 0xc1f, constant(0)},  // and hpmcounter3..31
    {csr::cycleh, csr::cycleh, constant(0)},
    {csr::instreth, 0xc9f, constant(0)},  // and hpmcounter3h..31h
    {csr::lpstart0, csr::lpcount0, constant(0)},
    {csr::lpstart1, csr::lpcount1, constant(0)},
    {csr::uhartid, csr::uhartid, constant(0)},
    {0xcd1, 0xcd1, constant(3)},      // privlv: machine
    {0xcd2, 0xcd2, constant(0)},      // zfinx: absent
    {0xf11, 0xf11, constant(0x602)},  // mvendorid: OpenHW Group
    {0xf12, 0xf12, constant(4)},      // marchid: CV32E40P
    {0xf13, 0xf13, constant(1)},      // mimpid: with PULP extensions
    {csr::mhartid, csr::mhartid, constant(0)},
    {csr::row, csr::local_memory_bytes, constant(0)},
};

}  // namespace

std::optional<CsrRule> csr_rule(u32 number) {
  for (const Range& range : ranges)
    if (range.first <= number && number <= range.last) return range.rule;
  return std::nullopt;
}

}  // namespace simfarm
