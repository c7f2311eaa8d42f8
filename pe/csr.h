// Which csrs a PE has, which of their bits a write changes, and what they hold at the start. Values
// that change by themselves (counters, hardware loops) are the engines'.
#pragma once
#include <optional>

#include "base/types.h"

namespace simfarm {

/// Csr numbers that the engines treat one by one.
namespace csr {
inline constexpr u32 mstatus = 0x300, misa = 0x301, mie = 0x304, mtvec = 0x305;
inline constexpr u32 mcountinhibit = 0x320;
inline constexpr u32 mscratch = 0x340, mepc = 0x341, mcause = 0x342;
inline constexpr u32 region = 0x7c0;  ///< ours: the profile region, 0..255
inline constexpr u32 mcycle = 0xb00, minstret = 0xb02, mcycleh = 0xb80, minstreth = 0xb82;
inline constexpr u32 cycle = 0xc00, instret = 0xc02, cycleh = 0xc80, instreth = 0xc82;
inline constexpr u32 lpstart0 = 0xcc0, lpend0 = 0xcc1, lpcount0 = 0xcc2;
inline constexpr u32 lpstart1 = 0xcc4, lpend1 = 0xcc5, lpcount1 = 0xcc6;
inline constexpr u32 uhartid = 0xcd0, mhartid = 0xf14;
/// Ours: where a PE is and what surrounds it.
inline constexpr u32 row = 0xfc0, column = 0xfc1, rows = 0xfc2, columns = 0xfc3;
inline constexpr u32 pe_count = 0xfc4, local_memory_bytes = 0xfc5;
}  // namespace csr

inline constexpr u32 mstatus_mie = 1u << 3;
inline constexpr u32 mstatus_mpie = 1u << 7;

/// What one csr is.
struct CsrRule {
  bool writable = false;  ///< else a write is an illegal instruction
  u32 write_mask = 0;     ///< bits that a write changes; none: writes are ignored
  u32 start = 0;          ///< value at the start; of a csr without writable bits: always
};

/// The rule of csr `number`, or none where the machine has no such csr (an illegal instruction).
std::optional<CsrRule> csr_rule(u32 number);

/// Value of a csr at the start of a run: the CV32E40P's after reset.
inline constexpr u32 mstatus_start = 0x1800;  // previous privilege: machine, the only one
inline constexpr u32 mtvec_start = 1;         // vectored
inline constexpr u32 mcountinhibit_start = 0xd;

}  // namespace simfarm
