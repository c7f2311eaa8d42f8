#include "pe/trap.h"

namespace simfarm {

std::string_view name(TrapKind kind) {
  switch (kind) {
    case TrapKind::illegal_instruction:
      return "illegal instruction";
    case TrapKind::fetch_fault:
      return "instruction fetch fault";
    case TrapKind::load_fault:
      return "load outside local memory";
    case TrapKind::store_fault:
      return "store outside local memory";
    case TrapKind::store_to_instructions:
      return "store into instruction memory";
    case TrapKind::misaligned_wide:
      return "misaligned 64-bit access";
    case TrapKind::breakpoint:
      return "breakpoint";
    case TrapKind::unknown_ecall:
      return "unknown ecall";
    case TrapKind::hardware_loop:
      return "hardware-loop restriction violated";
    case TrapKind::edge_link:
      return "link off the array's edge";
    case TrapKind::bad_target:
      return "post to a PE that does not exist";
    case TrapKind::bad_semaphore:
      return "bad semaphore or amount";
    case TrapKind::semaphore_overflow:
      return "semaphore overflow";
    case TrapKind::bad_descriptor:
      return "bad DMA descriptor";
    case TrapKind::race:
      return "race";
    case TrapKind::output_limit:
      return "console output limit";
  }
  return "trap";
}

}  // namespace simfarm
