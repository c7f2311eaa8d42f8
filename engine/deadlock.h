// The report on a machine in which nothing can move any more: what each party waits for, and a
// chain of who holds up whom. How it came to that is an engine's; the words are the same for all.
#pragma once
#include <optional>
#include <vector>

#include "dma/descriptor.h"
#include "engine/machine.h"
#include "engine/outcome.h"
#include "isa/operation.h"

namespace simfarm {

/// A descriptor that has not started.
struct WaitingTransfer {
  const dma::Descriptor* descriptor = nullptr;
  const std::vector<PeId>* receivers = nullptr;  ///< of a multicast
  u32 pc = 0;                                    ///< of the gp.dma that queued it
};

/// A machine that stands still: every PE has ended or waits, no DMA engine is at work, nothing is
/// on its way.
class Standstill {
 public:
  virtual ~Standstill() = default;
  virtual const Machine& machine() const = 0;
  virtual Cycle cycle() const = 0;  ///< the first in which nothing could move
  virtual bool ended(PeId pe) const = 0;
  /// Of a PE that has not ended: the instruction that waits.
  virtual u32 pc(PeId pe) const = 0;
  virtual const Operation& operation(PeId pe) const = 0;
  virtual u32 rs1(PeId pe) const = 0;
  virtual Cycle waiting_since(PeId pe) const = 0;
  virtual u32 semaphore(PeId pe, u32 semaphore) const = 0;
  /// Who raised it by a gp.post last.
  virtual std::optional<PeId> last_poster(PeId pe, u32 semaphore) const = 0;
  /// Of `pe`'s engine, the head of the queue first.
  virtual std::vector<WaitingTransfer> waiting_transfers(PeId pe) const = 0;
  /// Since when the head waits for its acquire.
  virtual Cycle acquiring_since(PeId pe) const = 0;
};

Deadlock explain_deadlock(const Standstill& still);

}  // namespace simfarm
