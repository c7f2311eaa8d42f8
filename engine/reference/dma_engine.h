// One PE's DMA engine: the descriptors that wait, and the slots of its bursts.
#pragma once
#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "base/types.h"
#include "engine/machine.h"
#include "engine/outcome.h"
#include "engine/reference/request.h"
#include "engine/reference/transfer.h"

namespace simfarm::reference {

class DmaEngine {
 public:
  explicit DmaEngine(const Machine& machine)
      : queue_limit_(machine.dma.queue), free_slots_(machine.dma.in_flight) {}

  bool has_room() const { return queue_.size() < queue_limit_; }
  /// Gives the chain's transfers their sequence numbers.
  void number(std::deque<Request>& chain) {
    for (Request& request : chain) request.sequence = next_sequence_++;
  }
  /// Queues a numbered chain, which takes one place however long it is.
  void queue(std::deque<Request> chain) { queue_.push_back(std::move(chain)); }

  /// The descriptor that would start next; null: none waits.
  const Request* head() const;
  /// True when nothing but its acquire keeps head() from starting in cycle `now`.
  bool head_may_start(Cycle now) const;
  /// Takes head() out, to start it.
  Request take_head();
  void started(std::shared_ptr<Transfer> transfer) { previous_ = std::move(transfer); }

  /// Calls visit(request) for every descriptor that waits.
  template <class Visit>
  void for_each_waiting(Visit visit) {
    for (Request& request : chain_) visit(request);
    for (std::deque<Request>& chain : queue_)
      for (Request& request : chain) visit(request);
  }

  template <class Visit>
  void for_each_waiting(Visit visit) const {
    for (const Request& request : chain_) visit(request);
    for (const std::deque<Request>& chain : queue_)
      for (const Request& request : chain) visit(request);
  }

  /// head() could not have its acquire in cycle `now`.
  void acquire_failed(Cycle now) { acquiring_since_ = std::min(acquiring_since_, now); }
  /// The first cycle in which that was so.
  Cycle acquiring_since() const { return acquiring_since_; }

  bool waiting() const { return !chain_.empty() || !queue_.empty(); }
  u32& free_slots() { return free_slots_; }
  DmaReport& report() { return report_; }
  const DmaReport& report() const { return report_; }

 private:
  u32 queue_limit_;
  u32 free_slots_;
  std::deque<std::deque<Request>> queue_;  ///< chains of which nothing has started
  std::deque<Request> chain_;              ///< the rest of the chain that has
  std::shared_ptr<Transfer> previous_;     ///< the one started last
  u64 next_sequence_ = 0;
  Cycle acquiring_since_ = never;
  DmaReport report_;
};

}  // namespace simfarm::reference
