// A transfer that has started: its bursts under way, from cut to written, and when it is complete.
#pragma once
#include <deque>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "base/types.h"
#include "engine/machine.h"
#include "engine/outcome.h"
#include "engine/reference/arbiter.h"
#include "engine/reference/bursts.h"
#include "engine/reference/multicast.h"
#include "engine/reference/payload.h"
#include "engine/reference/request.h"
#include "engine/reference/stages.h"
#include "engine/reference/watch.h"

namespace simfarm::reference {

class Transfer {
 public:
  /// Starts in cycle `start`, with these bytes to carry.
  Transfer(Request request, std::shared_ptr<const Payload> payload, Cycle start,
           const Machine& machine);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  const Request& request() const { return request_; }
  const std::shared_ptr<const Payload>& payload() const { return payload_; }
  Cycle start() const { return start_; }

  /// Takes note of the bursts that have ended by `now`: they give their slots back.
  void retire(Cycle now, u32& free_slots, DmaReport& report);
  /// Issues the bursts that can be issued in cycle `now`.
  void issue(Cycle now, u32& free_slots);
  /// Asks for a beat for every stage that is ready, in order of (burst, stage).
  void ask(Cycle now, Arbiter& arbiter, Watch& watch);

  /// Every read and write has been issued: the engine's next transfer may start.
  bool all_issued() const { return exhausted_ && unissued_ == 0; }
  /// The cycle of the completion, once every burst's end is known.
  std::optional<Cycle> completion() const;
  /// Receivers whose bytes are all there, and their semaphore released, in cycle `now`.
  std::vector<PeId> receivers_completed(Cycle now) { return multicast_.completed(now); }

  /// What cycle `now`, whose beats have been granted, is charged to; none: every burst has ended,
  /// or the set-up is not over.
  std::optional<DmaBin> bin(Cycle now) const;
  bool in_setup(Cycle now) const { return now < setup_end_; }

 private:
  struct Flying {
    Burst burst;
    u32 writes_missing = 0;  ///< a read: writes cut that depend on it and are not written yet
    bool issued = false;
    bool retired = false;  ///< its end has been taken note of
    bool holds_slot = false;
    std::vector<Stage> stages;  ///< none before it first asks for a beat
    Cycle granted = never;      ///< the last cycle in which it had one
    Cycle end = never;          ///< known once its last beat is granted

    bool takes_slot() const { return burst.kind != BurstKind::write || burst.sourceless(); }
  };

  bool can_cut_on() const;
  void cut();
  void add(const Burst& burst);
  Flying& burst(u32 number) { return flying_[number - first_number_]; }
  Flying& read(u32 index) { return burst(read_numbers_[index - first_read_]); }
  void give_back_if_done(Flying& read, u32& free_slots);
  void drop_finished();
  std::optional<DmaBin> release_bin(Cycle now) const;
  bool sources_arrived(const Flying& write, Cycle now);
  void ask(u32 number, Cycle now, Arbiter& arbiter, Watch& watch);
  void pass(const Flying& one, u32 stage);
  void ask_release(Cycle now, Arbiter& arbiter, Watch& watch);

  Request request_;
  std::shared_ptr<const Payload> payload_;
  Cycle start_;
  Cycle setup_end_;
  const Machine& machine_;
  Multicast multicast_;

  BurstCutter cutter_;
  bool exhausted_ = false;     ///< nothing is left to cut
  std::deque<Flying> flying_;  ///< in order of number, from the first that is not over
  u32 first_number_ = 0;       ///< of flying_.front()
  u32 first_unfinished_ =
      0;  ///< the first burst that has not ended; reads before it may hold slots
  std::deque<u32> read_numbers_;  ///< burst numbers of the reads from first_read_ on
  u32 first_read_ = 0;
  u32 reads_done_ = 0;           ///< reads below it have had all of their writes cut
  u32 unissued_ = 0;             ///< of flying_
  u32 unissued_slots_ = 0;       ///< of those, the ones that take a slot
  u32 reads_open_ = 0;           ///< reads issued
  u32 index_reads_missing_ = 0;  ///< index reads that have not arrived
  Cycle latest_end_ = 0;         ///< of the ends known so far
  u32 ends_unknown_ = 0;         ///< of flying_
  u32 next_number_ = 0;
  using End = std::pair<Cycle, u32>;                                 // of a burst, by its number
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;  ///< known, to come
  std::vector<u32> slot_numbers_;  ///< bursts that take a slot, issued, whose end is not known
  u32 begun_ = 0;                  ///< writes from this number on have had no beat
  bool news_ = true;               ///< since the last issue(), something has arrived
  u32 slots_seen_ = 0;             ///< slots that the last issue() left free
  bool release_granted_ = false;   ///< a beat of the release, in this cycle
};

}  // namespace simfarm::reference
