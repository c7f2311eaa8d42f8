#include "pe/csr.h"

namespace simfarm {

// Sources: CV32E40P User Manual, "Control and Status Registers", and its RTL (PULP extensions, no
// FPU, machine mode only).
CsrBits csr_bits(u32 number) {
  switch (number) {
    case csr::mstatus:
      return {mstatus_mie | mstatus_mpie, mstatus_start};
    case csr::misa:
      return {0, 0x4080'1104};  // RV32IMC, X
    case csr::mie:
      return {0xffff'0888, 0};
    case csr::mtvec:
      return {0xffff'ff01, mtvec_start};
    case csr::mcountinhibit:
      return {0xd, mcountinhibit_start};
    case csr::mscratch:
      return {~0u, 0};
    case csr::mepc:
      return {~1u, 0};
    case csr::mcause:
      return {0x8000'001f, 0};
    case csr::tdata1:
      return {0, 0x2800'1040};  // an address match trigger that only debug mode can write
    case csr::tinfo:
      return {0, 4};  // address match triggers only
    case csr::region:
      return {largest_region, 0};
    case csr::mcycle:
    case csr::mcycleh:
    case csr::minstret:
    case csr::minstreth:
      return {~0u, 0};
    case csr::privlv:
      return {0, 3};  // machine
    case csr::mvendorid:
      return {0, 0x602};  // OpenHW Group
    case csr::marchid:
      return {0, 4};  // CV32E40P
    case csr::mimpid:
      return {0, 1};  // with PULP extensions
    default:
      return {};  // mtval, mip, mhpm*, the other trigger csrs, zfinx: always 0
  }
}

bool csr_flushes(u32 number) {
  switch (number) {
    case csr::mstatus:
    case csr::mtvec:
    case csr::mcountinhibit:
    case csr::mepc:
    case csr::mcause:
    case csr::privlv:
      return true;
    default:
      return (number >= csr::mhpmevent3 && number <= csr::mhpmevent31) ||
             (number >= csr::mcycle && number <= csr::mhpmcounter31h) ||
             (number >= csr::cycle && number <= csr::hpmcounter31h);
  }
}

}  // namespace simfarm
