// What one instruction does, in the reference engine: written to be read. Time is not here
// (pe/timing) and neither is anything that another PE could see (engine/reference/array).
#pragma once
#include <array>
#include <optional>
#include <string>

#include "base/types.h"
#include "isa/operation.h"
#include "pe/csr.h"
#include "pe/timing.h"
#include "pe/trap.h"

namespace simfarm::reference {

/// One of the core's two hardware loops; active while count > 0. `end` is the address after the
/// body.
struct HardwareLoop {
  u32 start = 0;
  u32 end = 0;
  u32 count = 0;
};

/// The architectural state of one PE's core.
struct Hart {
  std::array<u32, 32> x{};  ///< x[0] stays 0
  u32 pc = 0;
  u64 operand = 0;  ///< Xgp's operand buffer X
  std::array<HardwareLoop, 2> loops{};
  u8 region = 0;  ///< profile region, csr 0x7C0
  u32 mstatus = mstatus_start;
  u32 mtvec = mtvec_start;
  u32 mcountinhibit = mcountinhibit_start;          ///< only its value: nothing stops a counter
  u32 mie = 0, mscratch = 0, mepc = 0, mcause = 0;  ///< nothing ever enters a handler
  u64 cycle_offset = 0;  ///< mcycle reads the machine's cycle plus this (csr writes change it)
  u64 retired_offset = 0;
  u64 retired = 0;  ///< instructions issued before the current one
};

/// Why an instruction could not be done.
struct Fault {
  TrapKind kind{};
  u32 address = 0;
  std::string detail;
};

/// The PE's window on its local memory. Addresses are the PE's; values are little-endian.
class DataPort {
 public:
  virtual ~DataPort() = default;
  virtual std::optional<Fault> load(u32 address, u32 bytes, u64& value) = 0;
  virtual std::optional<Fault> store(u32 address, u32 bytes, u64 value) = 0;
};

/// What an instruction can know of its surroundings.
struct Surroundings {
  Cycle cycle = 0;  ///< of issue
  PeId pe = 0;
  u32 row = 0, column = 0, rows = 1, columns = 1;
  u32 local_memory_bytes = 0;
};

/// What an instruction did, beside changing Hart and memory.
struct Executed {
  std::optional<Fault> fault;  ///< then neither Hart nor memory has changed
  u32 next_pc = 0;             ///< hardware loops followed
  timing::Facts facts;         ///< wide_at_halfword is the caller's: it knows the code at next_pc
  std::optional<u8> region;    ///< csr 0x7C0 was written
};

/// Executes one instruction, as decode() gives it, that does not synchronise (timing class other
/// than sync) and is not ecall: those are the array's, which also advances their pc by next_pc().
Executed execute(Hart& hart, const Operation& op, const Surroundings& around, DataPort& memory);

/// Where execution goes after a non-jumping instruction at hart.pc of that length: the next
/// instruction, or a hardware loop's start; counts the loop down.
u32 next_pc(Hart& hart, u32 length);

}  // namespace simfarm::reference
