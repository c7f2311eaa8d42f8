// All DMA engines and what they contend for, cycle by cycle: completions, then starts, then beats.
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "base/types.h"
#include "engine/reference/arbiter.h"
#include "engine/reference/dma_engine.h"
#include "engine/reference/transfer.h"
#include "engine/reference/world.h"

namespace simfarm::reference {

class Dma {
 public:
  explicit Dma(World& world);

  /// What completes in this cycle: bytes to where they belong, semaphores up.
  void complete();
  /// Starts what can start, in order of PE.
  void start();
  /// Bursts are issued, and every resource grants its beat.
  void move();
  /// The cycle that move() has seen is over, and counts.
  void charge();

  bool has_room(PeId pe) const { return engines_[pe].has_room(); }
  void queue(PeId pe, std::deque<Request> chain);
  const DmaEngine& engine(PeId pe) const { return engines_[pe]; }

  /// Nothing is under way.
  bool quiet() const { return active_.empty(); }
  /// Nothing waits either.
  bool drained() const { return active_.empty() && waiting_ == 0; }

  DmaReport report(PeId pe, Cycle end) const;

 private:
  struct Event;

  void start(PeId pe);
  std::vector<Event> events();
  void complete_at_receiver(const Transfer& transfer, PeId receiver);
  void complete_at_initiator(const Transfer& transfer);
  void arrive(const Transfer& transfer, PeId pe, const dma::SemaphoreUse& release);
  void release(const Transfer& transfer, PeId pe, const dma::SemaphoreUse& release);

  World& world_;
  Arbiter arbiter_;
  std::vector<DmaEngine> engines_;
  std::vector<std::shared_ptr<Transfer>> active_;  ///< started, not complete; in order of age
  u64 waiting_ = 0;                                ///< descriptors that have not started
  std::vector<DmaBin> bins_;                       ///< what this cycle is charged to, by PE
  std::vector<PeId> busy_;                         ///< PEs whose engine is not idle in it
};

}  // namespace simfarm::reference
