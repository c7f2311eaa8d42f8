// What the PEs share and the order of its events: semaphores, posts, barriers, DMA engines, the
// console. PEs ask; when none of them runs, the fabric answers everything that happens before the
// first cycle in which one could ask again, in the order of docs/machine.md, V9. Nothing that a PE
// asks is ever late: it is asked in the PE's own time, and only answered in the machine's.
#pragma once
#include <algorithm>
#include <array>
#include <compare>
#include <deque>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/deadlock.h"
#include "engine/fast/array_state.h"
#include "engine/fast/buffers.h"
#include "engine/fast/deliveries.h"
#include "engine/fast/dma_view.h"
#include "engine/fast/first_trap.h"
#include "engine/fast/ordered.h"
#include "engine/fast/pe.h"
#include "engine/fast/plan.h"
#include "engine/fast/planted.h"
#include "engine/fast/race_watch.h"
#include "engine/fast/reach.h"
#include "engine/fast/reservations.h"
#include "engine/fast/stepper.h"
#include "engine/grid.h"
#include "engine/simulation.h"
#include "engine/start.h"

namespace simfarm::fast {

class Fabric {
 public:
  /// `granule`: of the marks that PEs leave.
  Fabric(const RunInput& input, const RunOptions& options, ArrayState& state, Stepper& stepper,
         SharedMemories& shared, u32 granule);

  /// The instruction pe.op of `pe`, none of links, meets the rest of the machine in cycle pe.since.
  /// Afterwards the PE has gone on, ended, or waits for the fabric; or trapped (the fault). May be
  /// called for several PEs at once.
  std::optional<Fault> meet(Pe& pe);

  /// `pe` may ask more before what it has asked is answered. One that has not may not run: it could
  /// be one that posts, or writes to the console, without end.
  bool may_ask(PeId pe) const { return asks_[pe].weight < most_asked; }

  /// Called when no PE runs. False: nothing has happened.
  bool advance();

  /// A race may have happened; the run need not go on. Known for certain after finish().
  bool suspects_race() const { return races_ && races_->suspects(); }
  /// A wait that was trusted has not ended as it was said: nothing of the run counts.
  bool misjudged() const { return misjudged_; }
  /// Waits are trusted: a PE may be where it would never have come to, until that is known.
  bool trusting() const { return trusting_; }
  /// When the run is over: what has come to PEs that did not look.
  void finish();

  /// Nothing will happen any more unless a PE goes on.
  bool quiet() const { return events_.empty() && turns_.empty() && raises_ == 0 && !beyond_end_; }
  /// No engine has a descriptor that waits.
  bool drained() const;
  /// The cycle of the last event so far.
  Cycle last_event() const { return last_event_; }
  /// The last cycle in which a barrier is or was complete.
  Cycle last_barrier() const { return last_barrier_; }

  DmaReport report(PeId pe, Cycle end) const;
  std::vector<ConsoleWrite> console(Cycle end);
  const Unacquired& unacquired(PeId pe) const { return parties_[pe].unacquired; }

  // For the report on a deadlock.
  u32 semaphore(PeId pe, u32 number) const {
    return static_cast<u32>(parties_[pe].semaphores[number].value);
  }
  std::optional<PeId> last_poster(PeId pe, u32 number) const {
    return parties_[pe].semaphores[number].last_poster;
  }
  std::vector<WaitingTransfer> waiting_transfers(PeId pe) const;
  Cycle acquiring_since(PeId pe) const { return parties_[pe].acquiring_since; }

 private:
  using Chain = std::vector<Request>;
  struct Semaphore {
    i64 value = 0;      ///< below zero: a wait that will be over has taken its amount
    Cycle settled = 0;  ///< up to there waits have been answered ahead
    std::optional<PeId> last_poster;
  };
  /// When something comes to a PE, among all that does.
  struct Moment {
    Cycle at = 0;
    Phase phase{};
    PeId source = 0;
    u64 sequence = 0;
    friend auto operator<=>(const Moment&, const Moment&) = default;
    friend bool operator==(const Moment&, const Moment&) = default;
    /// The last of all that comes in cycle `at`.
    static Moment last_in(Cycle at) { return {at, Phase::post, ~PeId{0}, ~u64{0}}; }
  };
  /// A post, or a multicast's bytes and release, on its way to a PE. Nothing happens in its cycle
  /// unless somebody waits for it: what has come is looked at when that is asked for (settle).
  struct Raise {
    Moment moment;
    u32 number = 0;  ///< semaphore
    u32 amount = 0;  ///< 0: only bytes come
    Stall by{};
    u32 pc = 0;                ///< of a post
    Flight* flight = nullptr;  ///< of a multicast; one of its initiator's
    Cycle at() const { return moment.at; }
    friend bool operator>(const Raise& a, const Raise& b) { return a.moment > b.moment; }
    friend bool operator<(const Raise& a, const Raise& b) { return a.moment < b.moment; }
  };
  /// What the fabric keeps of one PE and its DMA engine.
  struct Party {
    explicit Party(const Machine& machine) : track(machine) {}
    std::array<Semaphore, semaphore_count> semaphores;

    bool wants_room = false;  ///< waits in a gp.dma
    bool waits = false;       ///< in a gp.wait
    u32 awaited = 0;          ///< its semaphore
    u32 amount = 0;
    Ordered<Raise> raises;  ///< of its semaphores, by others or by multicasts: not settled
    std::size_t settle_at = fewest_to_settle;  ///< when there are so many, what has come is settled
    Stall over_by{};                           ///< what ends the wait, if nothing comes but these
    u32 listed = ~u32{0};                      ///< its place in waits_, while it waits for others
    Stall raised_by = Stall::sem_wait_none;    ///< who raised it to the amount

    EngineTrack track;
    std::deque<Chain> queue;  ///< chains of which nothing has started
    Chain chain;              ///< the one that has
    std::size_t started = 0;  ///< of `chain`
    u64 next_sequence = 0;
    Cycle acquiring_since = never;
    std::vector<SharedFlight> flights;  ///< started, not complete
    Unacquired unacquired;

    bool chain_left() const { return started < chain.size(); }
    bool engine_waits() const { return chain_left() || !queue.empty(); }
    const Request& head() const { return chain_left() ? chain[started] : queue.front().front(); }
    template <class Is>
    bool none_waiting(Is is) const {
      return std::none_of(chain.begin() + static_cast<std::ptrdiff_t>(started), chain.end(), is) &&
             std::none_of(queue.begin(), queue.end(), [&](const Chain& one) {
               return std::any_of(one.begin(), one.end(), is);
             });
    }
    template <class Visit>
    void for_each_waiting(Visit visit) {
      for (std::size_t k = started; k < chain.size(); ++k) visit(chain[k]);
      for (Chain& one : queue)
        for (Request& request : one) visit(request);
    }
  };

  static constexpr u32 most_asked = 4096;
  static constexpr std::size_t fewest_to_settle = 256;
  /// Cycles after which what has come is settled, looked for or not: a trap is found in time.
  static constexpr Cycle settled_every = 1 << 16;
  enum class Ask : u8 { dma, room, post, wait, barrier, exit, console };
  /// Something that a PE does, or wants.
  struct Asked {
    Cycle at = 0;
    PeId pe = 0;
    Ask what{};
    u32 number = 0;  ///< semaphore, or barrier group
    u32 amount = 0;  ///< of a wait; the PE that a post goes to
    u32 pc = 0;
    u32 address = 0;  ///< of the console text
  };
  /// What one PE has asked and is not answered yet, in the order of its own time.
  struct Asks {
    std::vector<Asked> asked;
    std::size_t answered = 0;        ///< of them
    std::size_t collected = 0;       ///< of them: their turns are known
    std::vector<Chain> chains;       ///< of its gp.dmas
    std::size_t chains_taken = 0;    ///< of them
    std::vector<std::string> texts;  ///< of its console writes
    std::size_t texts_taken = 0;
    u32 weight = 0;  ///< of what is not forgotten, in what a post takes
    /// A post is not answered.
    void skip_posts() {
      while (answered < collected && asked[answered].what == Ask::post) ++answered;
      if (answered == asked.size()) forget();
    }
    void forget() {
      asked.clear();
      chains.clear();
      texts.clear();
      answered = collected = chains_taken = texts_taken = 0;
      weight = 0;
    }
  };
  /// A wait for the others.
  struct Waiting {
    PeId pe = 0;
    Cycle over_at = 0;  ///< if nothing comes but what is under way; never: it does not end then
    Cycle said = 0;     ///< the first that over_at was, but never
    Cycle wakes_at = never;  ///< an event of that cycle looks at it
    bool trusted = false;
  };
  using Turn = std::pair<Cycle, PeId>;
  /// Something that happens by itself.
  struct Event {
    Cycle at = 0;
    Phase phase{};
    PeId source = 0;  ///< initiator; a start: the engine's; a barrier's number
    u64 sequence = 0;
    bool at_initiator = false;
    PeId to = 0;               ///< receiver; of a post: whose wait is looked at
    Flight* flight = nullptr;  ///< one of its initiator's
    bool operator>(const Event& other) const {
      return std::tie(sequence, at_initiator, to) >
             std::tie(other.sequence, other.at_initiator, other.to);
    }
  };
  /// Events in order: by cycle in a ring for the near ones, a heap for those beyond.
  class Events {
   public:
    bool empty() const { return next_at_ == never; }
    /// The cycle of the next one; never: there is none.
    Cycle first_at() const { return next_at_; }
    Phase first_phase() {
      take_cycle();
      return kept_[current_.back().place].phase;
    }
    void push(const Event& event);
    Event pop();
    /// Calls visit(event) for each up to cycle `last`.
    template <class Visit>
    void for_each_until(Cycle last, Visit visit) const {
      if (current_at_ <= last)
        for (const Due& due : current_) visit(kept_[due.place]);
      for (Cycle at = next_near(from_); at <= last; at = next_near(at + 1))
        for (u32 k = heads_[at % window]; k != none; k = next_[k]) visit(kept_[k]);
      for (const u32 place : far_)
        if (kept_[place].at <= last) visit(kept_[place]);
    }

   private:
    static constexpr u32 pe_bits = 28;
    static constexpr u32 window = 4096;  ///< cycles
    static constexpr u32 none = ~u32{0};
    struct Due {
      u32 order = 0;  ///< phase, source
      u32 place = 0;
    };
    Due due_of(u32 place) const;
    bool later(const Due& a, const Due& b) const {
      if (a.order != b.order) return a.order > b.order;
      return kept_[a.place] > kept_[b.place];
    }
    void put(u32 place);
    Cycle next_near(Cycle from) const;
    void take_cycle();
    u32 pop_far();

    std::vector<Event> kept_;   ///< by place
    std::vector<u32> next_;     ///< by place: another one in the same cycle
    std::vector<u32> free_;     ///< places
    std::vector<Due> current_;  ///< of the cycle current_at_, if it is the next: the first last
    Cycle current_at_ = 0;
    Cycle next_at_ = never;
    Cycle from_ = 0;  ///< nothing comes before it
    /// By cycle, those in [from_, from_ + window); and a bit for each cycle that has some, and for
    /// each 64 cycles.
    std::vector<u32> heads_ = std::vector<u32>(window, none);
    std::array<u64, window / 64> there_{};
    u64 some_there_ = 0;
    std::vector<u32> far_;  ///< a heap of those beyond
  };
  struct Barrier {
    bool complete = false;  ///< and its members on the way out
    u32 members = 0;
    u32 extent = 0;
    std::vector<PeId> arrived;
  };

  void post(const Post& post);
  void ask(const Asked& asked) {
    asks_[asked.pe].asked.push_back(asked);
    ++asks_[asked.pe].weight;
  }
  void collect();
  void runs(const Pe& pe);
  void happen(const Event& event);
  void answer(const Asked& asked);

  std::optional<Fault> meet_dma(Pe& pe, Cycle at);
  std::optional<Fault> meet_call(Pe& pe);
  void trap(Pe& pe, Cycle at, Fault fault);
  void queue(PeId pe, Chain chain);
  void schedule_start(PeId pe, Cycle at);
  void try_start(PeId pe);
  void start(PeId pe);
  void complete_at_initiator(Flight& flight);
  void forget_if_over(Flight& flight);
  void arrive(Flight& flight, PeId pe, u32 releases);
  void put_on_waiting(const Flight& flight, PeId pe);
  bool raise(PeId pe, u32 number, u32 amount, Stall by);

  void settle(PeId pe, const Moment& last) {
    if (!parties_[pe].raises.empty()) settle_some(pe, last);
  }
  void settle(PeId pe) { settle(pe, Moment::last_in(now_)); }
  void settle_some(PeId pe, const Moment& last);
  void settle_all(Cycle last);
  void come(PeId pe, const Raise& raise);
  static std::string overflow_by(const Flight& flight, PeId pe, u32 number);

  void acquire(PeId pe, SharedFlight flight);
  void answer_wait(PeId pe);
  /// Waits whose end nobody can change any more.
  bool look_ahead();
  bool look_ahead(Pe& pe);
  bool trusts(const Waiting& wait) const;
  void let_go_ahead(PeId pe, Cycle at);
  void see(Pe& pe, const Raise& raise, bool engine_waits);
  void add_raise(PeId pe, const Raise& raise);
  Cycle find_end_of_wait(PeId pe);
  void list_wait(PeId pe);
  void see_to_wait(PeId pe);
  void wake(Waiting& wait);
  void start_when_raised(PeId pe);
  void end_wait(PeId pe, Cycle at);
  /// What its wait needs has changed.
  void end_is_unknown(PeId pe) {
    const Party& party = parties_[pe];
    if (party.listed >= waits_.size()) return;
    waits_[party.listed].over_at = not_known;
    see_to_wait(pe);
  }
  bool could_be_reached(PeId pe, Cycle at) const;
  static bool leave_alone(const Party& party, u32 number) {
    return !party.engine_waits() || none_uses(party, number);
  }
  static bool none_uses(const Party& party, u32 number);
  void find_reach(Cycle until);
  void go_on(Pe& pe, Cycle at, Stall bin);
  void give_room(Pe& pe);

  u32 barrier_of(PeId pe, BarrierGroup group) const;
  void complete_if_all_there(u32 barrier);
  void end_pe(PeId pe);
  void write(const Asked& asked);

  const RunInput& input_;
  const Machine& machine_;
  const RunOptions& options_;
  std::vector<Pe>& pes_;
  std::vector<u32>& held_;
  Stepper& stepper_;
  FirstTrap& traps_;
  SharedMemories& shared_;
  Reservations reservations_;
  Plans plans_;

  Buffers buffers_;  ///< outlives all flights
  Deliveries deliveries_;
  std::optional<RaceWatch> races_;  ///< where they are to be looked for

  const std::vector<std::unique_ptr<Posts>>& posts_;  ///< by worker
  std::vector<Asks> asks_;                            ///< by PE
  Ordered<Turn> turns_;                               ///< of what was asked
  Events events_;
  Reach reach_;
  std::vector<Party> parties_;
  std::vector<Barrier> barriers_;
  std::vector<PeId> recheck_;   ///< PEs whose gp.wait may be over in this cycle
  std::vector<PeId> has_room_;  ///< PEs of which a chain has started in this cycle

  Cycle now_ = 0;
  Cycle over_ = 0;     ///< all cycles before it are
  Cycle settled_ = 0;  ///< the last one up to which all PEs were
  u64 raises_ = 0;     ///< of all PEs, not settled
  Cycle horizon_ = never;
  std::vector<Cycle> clocks_;  ///< by PE: its clock, if it runs; else never
  std::vector<PeId> loose_;    ///< PEs that may have run since the last advance
  std::vector<bool> is_loose_;
  std::vector<PeId> own_waits_;  ///< waits for a PE's own semaphores that may be known by now
  static constexpr Cycle not_known = 0;
  std::vector<Waiting> waits_;
  std::vector<Waiting> candidates_;  ///< of them
  std::optional<u64> trust_;         ///< HostOptions::trust
  bool trusting_ = false;
  bool misjudged_ = false;
  bool beyond_end_ = false;  ///< a transfer will be complete after the run's end
  Cycle last_event_ = 0;
  Cycle last_barrier_ = 0;
  u64 written_ = 0;
  std::vector<ConsoleWrite> console_;
};

}  // namespace simfarm::fast
