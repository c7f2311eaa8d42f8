// What a PE's csrs hold: which bits a write changes and what is there at the start. Which csrs
// there are is isa/csr.h; values that change by themselves (counters, hardware loops) are the
// engines'.
#pragma once
#include "base/types.h"
#include "isa/csr.h"

namespace simfarm {

inline constexpr u32 mstatus_mie = 1u << 3;
inline constexpr u32 mstatus_mpie = 1u << 7;

/// At the start of a run, as after a reset of the CV32E40P.
inline constexpr u32 mstatus_start = 0x1800;  ///< previous privilege: machine, the only one
inline constexpr u32 mtvec_start = 1;         ///< vectored
inline constexpr u32 mcountinhibit_start = 0xd;

inline constexpr u32 largest_region = 255;

/// The bits of one csr.
struct CsrBits {
  u32 writable = 0;  ///< those that a write changes; the others ignore it
  u32 start = 0;     ///< value at the start; of a csr without writable bits, always
};

/// The bits of csr `number`, which exists. Counters, hardware loops and what identifies a PE: no
/// start, since they are computed.
CsrBits csr_bits(u32 number);

/// True for counters and trap registers, around whose access the core flushes its pipeline.
bool csr_flushes(u32 number);

}  // namespace simfarm
