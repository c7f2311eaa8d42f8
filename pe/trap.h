// Why a run was ended by one of its instructions or transfers. There are no handlers in this
// machine: a trap is a report.
#pragma once
#include <string>
#include <string_view>

#include "base/types.h"

namespace simfarm {

enum class TrapKind : u8 {
  illegal_instruction,
  fetch_fault,  ///< pc outside the program image, or odd
  load_fault,   ///< address outside the PE's own local memory
  store_fault,
  store_to_instructions,  ///< store into instruction memory
  misaligned_wide,        ///< 64-bit access not on an 8-byte boundary
  breakpoint,             ///< ebreak
  unknown_ecall,          ///< a7 is neither 93 nor 64
  hardware_loop,          ///< a restriction on hardware loops is violated
  edge_link,              ///< gp.send or gp.recv off the array's edge
  bad_target,             ///< gp.post to a PE that does not exist
  bad_semaphore,          ///< a semaphore of the wrong kind, or an amount outside 1..65535
  semaphore_overflow,     ///< above 2^31 - 1, at the receiver; names the poster
  bad_descriptor,         ///< reserved bits, ranges, alignment, chain: names descriptor and field
  race,                   ///< only with --check-races; names both parties
  output_limit,           ///< console output above the run's limit
};

/// "illegal instruction", "race", ...
std::string_view name(TrapKind kind);

/// One trap. The smallest (cycle, pe) of a run is its outcome.
struct Trap {
  TrapKind kind{};
  Cycle cycle = 0;
  PeId pe = 0;
  u32 pc = 0;  ///< of the instruction that trapped, or of the gp.dma that queued the transfer
  u32 instruction = 0;  ///< its word, 0 where none was fetched
  u32 address = 0;      ///< the offending address, descriptor or csr, where there is one
  std::string detail;   ///< one sentence: the field, the limit, the other party
};

}  // namespace simfarm
