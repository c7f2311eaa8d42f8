// The links between neighbours, as rings of time stamps (docs/machine.md, "Links"): a word carries
// the cycle of its arrival, a free slot the cycle from which its credit is back. When a word is
// sent and received follows from these alone, in whatever order the host runs sender and receiver.
#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "engine/fast/planted.h"
#include "engine/grid.h"

namespace simfarm::fast {

/// One direction of one link. One sender and one receiver, who may run on different host threads.
class Link {
 public:
  explicit Link(const Machine& machine)
      : depth_(machine.link.depth),
        latency_(machine.link.latency),
        credit_latency_(machine.link.credit_latency),
        slots_(std::make_unique<Slot[]>(depth_)) {}

  /// The sender's: a slot is free, or the cycle in which it will be is known.
  bool can_send() const {
    return sent_.load(std::memory_order_relaxed) - received_.load(std::memory_order_acquire) <
           depth_;
  }
  /// The cycle in which a word at hand since `since` can be sent.
  Cycle send_cycle(Cycle since) const {
    const Cycle credit = slots_[next_sent_].from;
    return credit > since ? credit : since;
  }
  void send(u32 word, Cycle at) {
    const u64 sent = sent_.load(std::memory_order_relaxed);
    Slot& slot = slots_[next_sent_];
    if (++next_sent_ == depth_) next_sent_ = 0;
    slot.word = word;
    slot.from = at + latency_ - (planted(Planted::early_link_word) ? 1 : 0);
    last_arrival_ = slot.from;
    sent_.store(sent + 1, std::memory_order_release);
  }

  /// The receiver's: a word is there, or the cycle in which it will be is known.
  bool can_receive() const {
    return sent_.load(std::memory_order_acquire) != received_.load(std::memory_order_relaxed);
  }
  Cycle receive_cycle(Cycle since) const {
    const Cycle arrival = slots_[next_received_].from;
    return arrival > since ? arrival : since;
  }
  u32 receive(Cycle at) {
    const u64 received = received_.load(std::memory_order_relaxed);
    Slot& slot = slots_[next_received_];
    if (++next_received_ == depth_) next_received_ = 0;
    const u32 word = slot.word;
    slot.from = at + credit_latency_ + (planted(Planted::late_link_credit) ? 1 : 0);
    last_credit_ = slot.from;
    received_.store(received + 1, std::memory_order_release);
    return word;
  }

  /// Sends a word at hand since `since`, or receives one into `word`, if it is known by now that
  /// this is possible by `latest`; in which cycle. never: it is not, and nothing has happened.
  Cycle send_by(u32 word, Cycle since, Cycle latest) {
    if (!can_send()) return never;
    const Cycle at = send_cycle(since);
    if (at > latest) return never;
    send(word, at);
    return at;
  }
  Cycle receive_by(u32& word, Cycle since, Cycle latest) {
    if (!can_receive()) return never;
    const Cycle at = receive_cycle(since);
    if (at > latest) return never;
    word = receive(at);
    return at;
  }

  /// The cycle from which nothing is on its way; asked when nobody runs.
  Cycle quiet_from() const { return std::max(last_arrival_, last_credit_); }

 private:
  /// Small: a run of link operations touches those of all PEs in turn.
  struct Slot {
    Cycle from = 0;  ///< when it holds a word: of its arrival; free: of its credit
    u32 word = 0;
  };
  u32 depth_, latency_, credit_latency_;
  std::unique_ptr<Slot[]> slots_;
  u32 next_sent_ = 0;  // the sender's, as is the next
  Cycle last_arrival_ = 0;
  std::atomic<u64> sent_ = 0;
  u32 next_received_ = 0;  // the receiver's, as is the next
  Cycle last_credit_ = 0;
  std::atomic<u64> received_ = 0;
};

class Links {
 public:
  explicit Links(const Machine& machine) : neighbours_(machine.pes() * direction_count) {
    for (u32 k = 0; k < neighbours_.size(); ++k) {
      links_.push_back(std::make_unique<Link>(machine));
      neighbours_[k] =
          neighbour(machine, k / direction_count, static_cast<Direction>(k % direction_count));
    }
  }

  std::optional<PeId> next_to(PeId pe, Direction direction) const {
    return neighbours_[pe * direction_count + static_cast<u32>(direction)];
  }
  /// Out of `pe` towards `direction`, where a neighbour is.
  Link& out(PeId pe, Direction direction) {
    return in(*next_to(pe, direction), opposite(direction));
  }
  /// Into `pe` from `direction`.
  Link& in(PeId pe, Direction direction) {
    return *links_[pe * direction_count + static_cast<u32>(direction)];
  }
  Cycle quiet_from() const {
    Cycle cycle = 0;
    for (const auto& link : links_) cycle = std::max(cycle, link->quiet_from());
    return cycle;
  }

 private:
  std::vector<std::optional<PeId>> neighbours_;
  std::vector<std::unique_ptr<Link>> links_;
};

}  // namespace simfarm::fast
