// The links between neighbours, as rings of time stamps (docs/machine.md, "Links"): a word carries
// the cycle of its arrival, a free slot the cycle from which its credit is back. When a word is
// sent and received follows from these alone, in whatever order the host runs sender and receiver.
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/fast/planted.h"
#include "engine/grid.h"

namespace simfarm::fast {

/// One word's place in a link.
struct LinkSlot {
  Cycle from = 0;  ///< when it holds a word: of its arrival; taken: of its credit
  u32 word = 0;
};

/// One direction of one link. One sender and one receiver, who may run on different host threads.
/// Word number k lies in slot k & (slots - 1); the credit to send it is that of word k - depth.
/// Generated code does the same (RegionEmitter::link()): it reads and writes what the offsets say.
/// Counts are in bytes of slots. Links' slots lie behind them, since a run of link operations
/// touches those of all PEs in turn: only Links makes them.
class Link {
 public:
  static constexpr u32 sent_offset = 0;
  static constexpr u32 received_offset = 8;
  static constexpr u32 one = sizeof(LinkSlot);  ///< what counts count it
  static u32 slots(u32 depth) { return std::bit_ceil(depth); }

  explicit Link(const Machine::Link& link)
      : depth_(link.depth * one),
        last_slot_((slots(link.depth) - 1) * one),
        latency_(link.latency),
        credit_latency_(link.credit_latency) {
    static_assert(offsetof(Link, sent_) == sent_offset);
    static_assert(offsetof(Link, received_) == received_offset);
  }
  Link(const Link&) = delete;

  /// The sender's: a slot is free, or the cycle in which it will be is known.
  bool can_send() const {
    return sent_.load(std::memory_order_relaxed) - received_.load(std::memory_order_acquire) <
           depth_;
  }
  /// The cycle in which a word at hand since `since` can be sent.
  Cycle send_cycle(Cycle since) const {
    const Cycle credit = slot(sent_.load(std::memory_order_relaxed) - depth_).from;
    return credit > since ? credit : since;
  }
  void send(u32 word, Cycle at) {
    const u64 sent = sent_.load(std::memory_order_relaxed);
    slot(sent) = {at + latency_ - (planted(Planted::early_link_word) ? 1 : 0), word};
    sent_.store(sent + Link::one, std::memory_order_release);
  }

  /// The receiver's: a word is there, or the cycle in which it will be is known.
  bool can_receive() const {
    return sent_.load(std::memory_order_acquire) != received_.load(std::memory_order_relaxed);
  }
  Cycle receive_cycle(Cycle since) const {
    const Cycle arrival = slot(received_.load(std::memory_order_relaxed)).from;
    return arrival > since ? arrival : since;
  }
  u32 receive(Cycle at) {
    const u64 received = received_.load(std::memory_order_relaxed);
    LinkSlot& from = slot(received);
    from.from = at + credit_latency_ + (planted(Planted::late_link_credit) ? 1 : 0);
    const u32 word = from.word;
    received_.store(received + Link::one, std::memory_order_release);
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
  Cycle quiet_from() const {
    Cycle cycle = 0;
    for (u64 k = 0; k <= last_slot_; k += one) cycle = std::max(cycle, slot(k).from);
    return cycle;
  }

 private:
  LinkSlot& slot(u64 count) { return const_cast<LinkSlot&>(std::as_const(*this).slot(count)); }
  const LinkSlot& slot(u64 count) const {
    const u64 number = (count & last_slot_) / one;
    return std::launder(reinterpret_cast<const LinkSlot*>(this + 1))[number];
  }

  std::atomic<u64> sent_ = 0;      // the sender's
  std::atomic<u64> received_ = 0;  // the receiver's
  u32 depth_, last_slot_;          ///< bytes
  u32 latency_, credit_latency_;
};

class Links {
 public:
  explicit Links(const Machine& machine)
      : neighbours_(machine.pes() * direction_count),
        bytes_(sizeof(Link) + Link::slots(machine.link.depth) * sizeof(LinkSlot)),
        links_(neighbours_.size() * bytes_ / sizeof(Unit)) {
    static_assert(sizeof(Link) % sizeof(Unit) == 0 && sizeof(LinkSlot) % sizeof(Unit) == 0);
    static_assert(std::is_trivially_destructible_v<Link>);
    for (u32 k = 0; k < neighbours_.size(); ++k) {
      auto* const link = new (links_.data() + place(k)) Link(machine.link);
      new (link + 1) LinkSlot[Link::slots(machine.link.depth)];
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
    return *std::launder(reinterpret_cast<Link*>(
        links_.data() + place(pe * direction_count + static_cast<u32>(direction))));
  }
  Cycle quiet_from() const {
    Cycle cycle = 0;
    for (u32 k = 0; k < neighbours_.size(); ++k)
      cycle = std::max(
          cycle,
          std::launder(reinterpret_cast<const Link*>(links_.data() + place(k)))->quiet_from());
    return cycle;
  }

 private:
  struct alignas(16) Unit {
    std::byte bytes[16];
  };
  u64 place(u32 link) const { return link * (bytes_ / sizeof(Unit)); }

  std::vector<std::optional<PeId>> neighbours_;
  u64 bytes_;                ///< of a link and its slots
  std::vector<Unit> links_;  ///< by receiver and the direction that it looks in
};

}  // namespace simfarm::fast
