#include "engine/fast/fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "engine/fast/planted.h"

namespace simfarm::fast {
namespace {

constexpr u32 ecall_exit = 93;
constexpr u32 ecall_write = 64;
constexpr u32 a0 = 10, a1 = 11, a2 = 12, a7 = 17;

u32 distance(u32 a, u32 b) { return a < b ? b - a : a - b; }

/// The local memory of a PE as descriptors are read from it.
class View final : public dma::LocalBytes {
 public:
  explicit View(const LocalStore& local) : local_(local) {}
  void read(u32 address, std::span<u8> bytes) const override { local_.read(address, bytes); }

 private:
  const LocalStore& local_;
};

}  // namespace

Fabric::Fabric(const RunInput& input, const RunOptions& options, ArrayState& state,
               Stepper& stepper, SharedMemories& shared, u32 granule)
    : input_(input),
      machine_(input.machine),
      options_(options),
      pes_(state.pes),
      held_(state.held),
      stepper_(stepper),
      traps_(state.traps),
      shared_(shared),
      // What is complete in the cycle of the end still counts.
      reservations_(machine_, stepper.end() == never ? never : stepper.end() + 1),
      plans_(machine_.dma.in_flight, granule != no_marks),
      deliveries_(pes_),
      posts_(state.posts),
      asks_(machine_.pes()),
      reach_(machine_),
      parties_(machine_.pes(), Party(machine_)),
      barriers_(1 + machine_.rows + machine_.columns),
      clocks_(machine_.pes(), never),
      loose_(machine_.pes()),
      is_loose_(machine_.pes(), true),
      trust_(options.host.trust) {
  std::iota(loose_.begin(), loose_.end(), PeId{0});
  if (granule != no_marks) races_.emplace(machine_, pes_, granule);
  const u32 rows = machine_.rows, columns = machine_.columns;
  for (u32 k = 0; k < barriers_.size(); ++k) {
    Barrier& barrier = barriers_[k];
    barrier.members = k == 0 ? machine_.pes() : k <= rows ? columns : rows;
    barrier.extent = k == 0 ? rows + columns : barrier.members;
    if (planted(Planted::barrier_extent) && k > 0 && k <= rows) barrier.extent = rows;
  }
}

// --- What a PE asks, in its own time -----------------------------------------------------------

void Fabric::trap(Pe& pe, Cycle at, Fault fault) {
  traps_.raise(Phase::pe, {fault.kind, at, pe.id, pe.pc(), stepper_.word_at(pe, pe.pc()),
                           fault.address, std::move(fault.detail)});
}

std::optional<Fault> Fabric::meet(Pe& pe) {
  const Operation& op = *pe.op;
  const u32 number = static_cast<u32>(op.imm);
  Asked asked{pe.since, pe.id};
  asked.pc = pe.pc();
  asked.number = number;
  switch (op.op) {
    case Op::GP_DMA:
      if (pe.chains_queued < machine_.dma.queue) return meet_dma(pe, pe.since);
      asked.what = Ask::room;
      break;
    case Op::GP_WAIT:
      asked.what = Ask::wait;
      asked.amount = pe.x(op.rs1);
      if (asked.amount == 0 || asked.amount > amount_limit)
        return Fault{
            TrapKind::bad_semaphore, number,
            fmt::format("gp.wait {}: amount {} is not 1..{}", number, asked.amount, amount_limit)};
      break;
    case Op::GP_POST:
      asked.what = Ask::post;
      asked.amount = pe.x(op.rs1);
      if (asked.amount >= machine_.pes())
        return Fault{TrapKind::bad_target, asked.amount,
                     fmt::format("gp.post to PE {}: there are {}", asked.amount, machine_.pes())};
      if (races_) races_->meets(pe, pe.since);
      ask(asked);
      stepper_.proceed(pe, pe.since, Stall::sem_wait_none);
      return std::nullopt;
    case Op::GP_BAR:
      asked.what = Ask::barrier;
      break;
    default:
      return meet_call(pe);
  }
  pe.block = Block::fabric;
  // A gp.dma that waits reads its descriptors when it issues.
  if (races_ && op.op != Op::GP_DMA) races_->meets(pe, pe.since);
  ask(asked);
  return std::nullopt;
}

std::optional<Fault> Fabric::meet_dma(Pe& pe, Cycle at) {
  const u32 address = pe.x(pe.op->rs1);
  auto chain = freeze_chain(address, View(pe.local), machine_, pe.id);
  if (!chain) return Fault{TrapKind::bad_descriptor, address, chain.error().message};
  for (Request& request : *chain) {
    request.pc = pe.pc();
    request.queued = at;
  }
  if (races_) races_->queues(pe, *chain, at);
  ++pe.chains_queued;
  ask({at, pe.id, Ask::dma});
  asks_[pe.id].chains.push_back(std::move(*chain));
  stepper_.proceed(pe, at, Stall::dma_queue_full);
  return std::nullopt;
}

/// An ecall.
std::optional<Fault> Fabric::meet_call(Pe& pe) {
  Asked asked{pe.since, pe.id};
  asked.pc = pe.pc();
  if (pe.x(a7) == ecall_exit) {
    asked.what = Ask::exit;
    ask(asked);
    pe.exit_code = pe.x(a0);
    pe.ended_in = pe.since;
    pe.ended_at = asked.pc;
    stepper_.proceed(pe, pe.since, Stall::done);
    pe.block = Block::ended;
    return std::nullopt;
  }
  if (pe.x(a7) != ecall_write)
    return Fault{TrapKind::unknown_ecall, 0,
                 fmt::format("a7 is {}; 93 ends the PE, 64 writes to the console", pe.x(a7))};
  const u32 address = pe.x(a1), bytes = pe.x(a2);
  if (auto fault = stepper_.load_fault(pe, address, bytes)) return fault;
  pe.mark_load(address, bytes);
  if (races_) races_->meets(pe, pe.since);
  if (options_.console) {
    asked.what = Ask::console;
    asked.address = address;
    std::string text(bytes, '\0');
    pe.local.read(address, {reinterpret_cast<u8*>(text.data()), bytes});
    ask(asked);
    asks_[pe.id].weight += bytes / sizeof(Asked);
    asks_[pe.id].texts.push_back(std::move(text));
  }
  pe.set_x(a0, bytes);
  stepper_.proceed(pe, pe.since, Stall::done);
  return std::nullopt;
}

// --- What happens, in the machine's time -------------------------------------------------------

/// What the PEs that ran have asked, and where they stand: the horizon is the first cycle in which
/// a PE could ask something.
void Fabric::collect() {
  horizon_ = never;
  for (const PeId id : loose_) {
    const Pe& pe = pes_[id];
    clocks_[id] = pe.block == Block::none ? pe.frame.clock : never;
    horizon_ = std::min(horizon_, clocks_[id]);
  }
  for (const auto& posts : posts_) {
    for (const Post& one : posts->all()) post(one);
    posts->clear();
  }
  std::size_t kept = 0;
  for (const PeId id : loose_) {
    Asks& asks = asks_[id];
    for (; asks.collected < asks.asked.size(); ++asks.collected) {
      const Asked& asked = asks.asked[asks.collected];
      if (asked.what == Ask::post)
        post({asked.at, asked.amount, asked.number, asked.pc, id});
      else
        turns_.push({asked.at, id});
    }
    asks.skip_posts();
    const Block block = pes_[id].block;
    // At a link it goes on without the fabric.
    if (block == Block::none || block == Block::link_full || block == Block::link_empty)
      loose_[kept++] = id;
    else
      is_loose_[id] = false;
  }
  turns_.sort();
  loose_.resize(kept);
}

/// It has just been let go on.
void Fabric::runs(const Pe& pe) {
  clocks_[pe.id] = pe.frame.clock;
  horizon_ = std::min(horizon_, pe.frame.clock);
  held_[pe.id / pe.width] &= ~(1u << pe.id % pe.width);
  if (is_loose_[pe.id]) return;
  is_loose_[pe.id] = true;
  loose_.push_back(pe.id);
}

bool Fabric::advance() {
  collect();
  if (misjudged_) return true;
  bool happened = false;
  const Cycle end = stepper_.end();
  for (;;) {
    const Cycle event = events_.first_at();
    const Cycle asked = turns_.empty() ? never : turns_.top().first;
    now_ = std::min(event, asked);
    // In the cycle of the end, only what arrives still counts.
    if (now_ == never || now_ >= horizon_ || now_ > end) break;
    over_ = now_;
    if (now_ == end && (event != end || events_.first_phase() > Phase::post)) break;
    happened = true;
    while (events_.first_at() == now_ && (now_ < end || events_.first_phase() <= Phase::post))
      happen(events_.pop());
    if (misjudged_) return true;
    if (now_ == end) break;
    while (!turns_.empty() && turns_.top().first == now_) {
      Asks& asks = asks_[turns_.top().second];
      turns_.pop();
      const Asked next = asks.asked[asks.answered++];
      answer(next);
      asks.skip_posts();
    }
    for (const PeId pe : recheck_) answer_wait(pe);
    recheck_.clear();
    for (const PeId pe : has_room_)
      if (parties_[pe].wants_room) give_room(pes_[pe]);
    has_room_.clear();
  }
  const Cycle next = std::min(now_, horizon_);
  if (next != never) {
    over_ = std::min(next, end);
    reservations_.trim(over_);
    if (over_ - settled_ > settled_every) settle_all(over_ - 1);
  }
  happened |= look_ahead();
  if (races_) races_->look(next);
  deliveries_.deliver_all();
  return happened;
}

void Fabric::happen(const Event& event) {
  switch (event.phase) {
    case Phase::completion:
      if (event.at_initiator) {
        last_event_ = now_;
        complete_at_initiator(*event.flight);
        break;
      }
      // A wait has acquired it; what the engine will read sees it come.
      settle(event.to, {now_, Phase::completion, event.source, event.sequence});
      put_on_waiting(*event.flight, event.to);
      --event.flight->on_the_way;
      forget_if_over(*event.flight);
      break;
    case Phase::post:
      settle(event.to);
      break;
    case Phase::barrier: {
      Barrier& barrier = barriers_[event.source];
      for (const PeId pe : barrier.arrived) go_on(pes_[pe], now_, Stall::barrier);
      barrier.arrived.clear();
      barrier.complete = false;
      break;
    }
    default:
      try_start(event.source);
  }
}

/// Nothing keeps it and nobody answers it, so that it is on its way before its turn.
void Fabric::post(const Post& post) {
  const u32 rows = distance(machine_.row_of(post.pe), machine_.row_of(post.to));
  const u32 columns = planted(Planted::post_distance)
                          ? 0
                          : distance(machine_.column_of(post.pe), machine_.column_of(post.to));
  // Two of one PE to one other issue, and come, in different cycles.
  const Moment moment{post.at + machine_.post.latency + rows + columns, Phase::post, post.pe, 0};
  add_raise(post.to, {moment, post.number, 1, Stall::sem_wait_post, post.pc});
}

/// Something is under way to `pe` from now on.
void Fabric::add_raise(PeId pe, const Raise& raise) {
  Party& party = parties_[pe];
  if (party.raises.size() >= party.settle_at && over_ != 0) {
    settle(pe, Moment::last_in(over_ - 1));
    party.settle_at = std::max(fewest_to_settle, 2 * party.raises.size());
  }
  party.raises.push(raise);
  ++raises_;
  if (raise.amount == 0) return;
  if (raise.at() <= party.semaphores[raise.number].settled && !planted(Planted::trust_unchecked)) {
    check(trusting_, "a raise comes before the end of a wait that was answered ahead");
    misjudged_ = true;
  }
  if (party.acquiring_since != never && party.head().descriptor.acquire.semaphore == raise.number)
    start_when_raised(pe);
  if (party.listed >= waits_.size() || party.awaited != raise.number) return;
  waits_[party.listed].over_at = not_known;
  if (raise.at() < horizon_) see_to_wait(pe);
}

/// What has come to `pe` up to then is there, in order.
void Fabric::settle_some(PeId pe, const Moment& last) {
  Ordered<Raise>& raises = parties_[pe].raises;
  raises.sort();
  while (!raises.empty() && raises.top().moment <= last) {
    const Raise raise = raises.top();
    raises.pop();
    --raises_;
    come(pe, raise);
  }
}

void Fabric::settle_all(Cycle last) {
  for (PeId pe = 0; pe < parties_.size(); ++pe) settle(pe, Moment::last_in(last));
  settled_ = last;
}

void Fabric::come(PeId pe, const Raise& raise) {
  last_event_ = std::max(last_event_, raise.at());
  Flight* const flight = raise.flight;
  if (flight == nullptr)
    parties_[pe].semaphores[raise.number].last_poster = raise.moment.source;
  else
    arrive(*flight, pe, raise.amount != 0 ? 1u << raise.number : 0);
  if (raise.amount != 0 && !this->raise(pe, raise.number, raise.amount, raise.by))
    traps_.raise(raise.moment.phase,
                 {TrapKind::semaphore_overflow, raise.at(), pe,
                  flight == nullptr ? raise.pc : flight->request.pc, 0, raise.number,
                  flight == nullptr ? fmt::format("semaphore {} of PE {} by a gp.post of PE {}",
                                                  raise.number, pe, raise.moment.source)
                                    : overflow_by(*flight, pe, raise.number)});
  if (flight == nullptr) return;
  --flight->on_the_way;
  forget_if_over(*flight);
}

void Fabric::answer(const Asked& asked) {
  Pe& pe = pes_[asked.pe];
  Party& party = parties_[asked.pe];
  switch (asked.what) {
    case Ask::dma:
      queue(asked.pe, std::move(asks_[asked.pe].chains[asks_[asked.pe].chains_taken++]));
      break;
    case Ask::room:
      if (party.queue.size() >= machine_.dma.queue) {  // until a start makes room
        party.wants_room = true;
        break;
      }
      give_room(pe);
      break;
    case Ask::post:  // is on its way
      break;
    case Ask::wait:
      settle(asked.pe);
      check(party.semaphores[asked.number].value >= 0, "a wait was foreseen wrongly");
      party.waits = true;
      party.awaited = asked.number;
      party.amount = asked.amount;
      party.raised_by = Stall::sem_wait_none;
      answer_wait(asked.pe);
      if (party.waits) list_wait(asked.pe);
      break;
    case Ask::barrier: {
      const u32 barrier = barrier_of(asked.pe, static_cast<BarrierGroup>(asked.number));
      barriers_[barrier].arrived.push_back(asked.pe);
      complete_if_all_there(barrier);
      break;
    }
    case Ask::exit:
      end_pe(asked.pe);
      break;
    case Ask::console:
      write(asked);
      break;
  }
}

void Fabric::go_on(Pe& pe, Cycle at, Stall bin) {
  stepper_.proceed(pe, at, bin);
  runs(pe);
}

void Fabric::give_room(Pe& pe) {
  parties_[pe.id].wants_room = false;
  deliveries_.deliver(pe.id);
  if (auto fault = meet_dma(pe, now_)) {
    trap(pe, now_, std::move(*fault));
    pe.block = Block::stopped;
    return;
  }
  runs(pe);
  // It issues in this very cycle.
  Asks& asks = asks_[pe.id];
  Chain chain = std::move(asks.chains.back());
  asks.chains.pop_back();
  asks.asked.pop_back();
  queue(pe.id, std::move(chain));
}

bool Fabric::raise(PeId pe, u32 number, u32 amount, Stall by) {
  Party& party = parties_[pe];
  i64& value = party.semaphores[number].value;
  if (value + amount > semaphore_limit) return false;
  if (party.waits && party.awaited == number) {
    if (planted(Planted::push_charged_to_engine) && by == Stall::sem_wait_push)
      by = Stall::sem_wait_dma;
    if (value < party.amount && value + amount >= party.amount) party.raised_by = by;
    recheck_.push_back(pe);
  }
  value += amount;
  // What comes from others was seen to when it was on its way.
  if (number < first_remote_semaphore && party.acquiring_since != never &&
      party.head().descriptor.acquire.semaphore == number)
    schedule_start(pe, now_);
  return true;
}

/// A gp.wait of `pe` makes it visible.
void Fabric::acquire(PeId pe, SharedFlight flight) {
  if (races_) races_->acquires(pe, *flight);
  deliveries_.add(pe, std::move(flight));
}

void Fabric::answer_wait(PeId id) {
  Party& party = parties_[id];
  if (!party.waits) return;
  if (party.semaphores[party.awaited].value < party.amount) return end_is_unknown(id);
  party.semaphores[party.awaited].value -= party.amount;
  end_wait(id, now_);
  party.unacquired.acquire(
      party.awaited, [](const Flight&) { return false; },
      [&](SharedFlight& flight) { acquire(id, std::move(flight)); });
  if (races_) races_->waits(id, party.awaited, now_);
  go_on(pes_[id], now_, party.raised_by);
}

u32 Fabric::barrier_of(PeId pe, BarrierGroup group) const {
  if (group == BarrierGroup::all) return 0;
  return group == BarrierGroup::row ? 1 + machine_.row_of(pe)
                                    : 1 + machine_.rows + machine_.column_of(pe);
}

void Fabric::complete_if_all_there(u32 number) {
  Barrier& barrier = barriers_[number];
  if (barrier.complete || barrier.arrived.empty() || barrier.arrived.size() < barrier.members)
    return;
  barrier.complete = true;
  Event event{now_ + machine_.barrier.latency + barrier.extent, Phase::barrier};
  event.source = number;
  last_barrier_ = std::max(last_barrier_, event.at);
  events_.push(event);
}

void Fabric::end_pe(PeId pe) {
  for (const BarrierGroup group : {BarrierGroup::all, BarrierGroup::row, BarrierGroup::column}) {
    const u32 number = barrier_of(pe, group);
    --barriers_[number].members;
    complete_if_all_there(number);
  }
}

void Fabric::write(const Asked& asked) {
  std::string& text = asks_[asked.pe].texts[asks_[asked.pe].texts_taken++];
  if (text.size() > options_.console_limit - written_) {
    const Pe& pe = pes_[asked.pe];
    return traps_.raise(
        Phase::pe,
        {TrapKind::output_limit, now_, asked.pe, asked.pc, stepper_.word_at(pe, asked.pc),
         asked.address, fmt::format("the run may write {} bytes", options_.console_limit)});
  }
  written_ += text.size();
  console_.push_back({now_, asked.pe, std::move(text)});
}

std::vector<ConsoleWrite> Fabric::console(Cycle end) {
  while (!console_.empty() && console_.back().cycle >= end) console_.pop_back();
  return std::move(console_);
}

}  // namespace simfarm::fast
