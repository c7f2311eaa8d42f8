// Where a PE's cycles go: exhaustive and exclusive. Every cycle of a PE is one issued instruction
// or one stall of exactly one of these bins; engines check the sum whenever counters are read.
#pragma once
#include <array>
#include <string_view>

#include "base/types.h"
#include "isa/row.h"

namespace simfarm {

/// A stall bin. sem_wait is split by the event that completed the wait; a wait that never completes
/// (deadlock, cycle limit) is charged to sem_wait_none.
enum class Stall : u8 {
  load_use,        ///< waiting for a load's result, or draining before a synchronising instruction
  exec_busy,       ///< further cycles of a multi-cycle mulh, div, rem
  branch,          ///< refill after a taken branch or a jump
  jump_dep,        ///< jalr on a register just written
  misaligned,      ///< second access of a misaligned load or store
  csr,             ///< pipeline flush around a counter or trap csr
  link_empty,      ///< gp.recv, nothing there
  link_full,       ///< gp.send, no credit
  dma_queue_full,  ///< gp.dma, no free queue slot
  sem_wait_dma,    ///< gp.wait completed by the PE's own DMA engine
  sem_wait_post,   ///< gp.wait completed by a post
  sem_wait_push,   ///< gp.wait completed by a push from another engine
  sem_wait_none,   ///< gp.wait never completed
  barrier,
  fence,
  done,  ///< after the PE ended, until the run's last cycle
  count
};
inline constexpr u32 stall_count = static_cast<u32>(Stall::count);

/// "load_use", "sem_wait_dma", ...
std::string_view name(Stall stall);
/// "alu", "mul", ...
std::string_view name(IssueClass issue);

/// One PE's (or one of its regions') cycles. Units: cycles, which for `issued` are instructions.
struct Counters {
  std::array<u64, issue_class_count> issued{};
  std::array<u64, stall_count> stalls{};

  /// Instructions issued: the sum over the classes.
  u64 instructions() const;
  /// All cycles: instructions plus every stall.
  u64 cycles() const;
  Counters& operator+=(const Counters& other);
  friend bool operator==(const Counters&, const Counters&) = default;
};

}  // namespace simfarm
