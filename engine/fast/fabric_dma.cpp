// The DMA engines in the machine's time: when a descriptor starts everything about it is known, and
// what is left is to let it happen in its turn.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "engine/fast/fabric.h"

namespace simfarm::fast {

using Space = AddressMap::Space;

/// A gp.dma has issued in this cycle.
void Fabric::queue(PeId pe, Chain chain) {
  settle(pe);
  Party& party = parties_[pe];
  for (Request& request : chain) {
    request.sequence = party.next_sequence++;
    if (request.source_space == Space::local)
      party.unacquired.put_on(request.source.base, request.source.bytes);
  }
  const bool idle = !party.engine_waits();
  party.queue.push_back(std::move(chain));
  if (idle) schedule_start(pe, now_);
}

/// The head of `pe`'s engine may start as soon as nothing but its acquire keeps it.
void Fabric::schedule_start(PeId pe, Cycle at) {
  const Party& party = parties_[pe];
  Event event{std::max({at, party.track.next_start(), party.head().queued + 1}), Phase::start, pe};
  event.sequence = party.head().sequence;
  events_.push(event);
}

/// When enough of what it waits for is on its way.
void Fabric::start_when_raised(PeId pe) {
  Party& party = parties_[pe];
  const dma::SemaphoreUse& acquire = party.head().descriptor.acquire;
  i64 value = party.semaphores[acquire.semaphore].value;
  party.raises.sort();
  const std::vector<Raise>& raises = party.raises.all();
  for (auto raise = raises.rbegin(); raise != raises.rend(); ++raise) {
    if (raise->number != acquire.semaphore || raise->amount == 0) continue;
    value += raise->amount;
    if (value < acquire.amount) continue;
    return schedule_start(pe, raise->at());
  }
}

void Fabric::try_start(PeId pe) {
  Party& party = parties_[pe];
  // It may have been scheduled twice, by two raises of its semaphore.
  if (!party.engine_waits() || now_ < party.track.next_start() || party.head().queued >= now_)
    return;
  settle(pe);
  const dma::SemaphoreUse acquire = party.head().descriptor.acquire;
  if (acquire.amount != 0) {
    i64& value = party.semaphores[acquire.semaphore].value;
    if (value < acquire.amount) {
      party.acquiring_since = std::min(party.acquiring_since, now_);
      if (acquire.semaphore >= first_remote_semaphore) start_when_raised(pe);
      return;
    }
    value -= acquire.amount;
    if (acquire.semaphore == party.awaited) end_is_unknown(pe);
  }
  start(pe);
}

void Fabric::start(PeId pe) {
  Party& party = parties_[pe];
  if (!party.chain_left()) {
    party.chain = std::move(party.queue.front());
    party.started = 0;
    party.queue.pop_front();
    --pes_[pe].chains_queued;
    has_room_.push_back(pe);
  }
  Request request = std::move(party.chain[party.started++]);
  party.acquiring_since = never;

  const SparseMemory* shared = request.source_space == Space::ocm    ? &shared_.ocm
                               : request.source_space == Space::dram ? &shared_.dram
                                                                     : nullptr;
  request.plan = plans_.of(request);
  Payload payload(request, shared, buffers_);
  Placement placement = reservations_.place(request, now_, party.track);
  auto flight = std::make_shared<Flight>(std::move(request), std::move(payload), now_);
  flight->completion = placement.completion;
  flight->receivers = std::move(placement.receivers);
  if (races_) races_->starts(*flight, now_);
  const dma::SemaphoreUse& use = flight->request.descriptor.release_receivers;
  for (const Placement::AtReceiver& receiver : flight->receivers) {
    if (receiver.at == never) {
      beyond_end_ = true;
      continue;
    }
    ++flight->on_the_way;
    add_raise(receiver.pe, {{receiver.at, Phase::completion, pe, flight->request.sequence},
                            use.semaphore,
                            use.amount,
                            receiver.pe == pe ? Stall::sem_wait_dma : Stall::sem_wait_push,
                            0,
                            flight.get()});
  }
  if (flight->completion != never) {
    Event event{flight->completion, Phase::completion, pe, flight->request.sequence, true};
    event.flight = flight.get();
    events_.push(event);
  } else {
    beyond_end_ = true;
  }
  flight->request.source.bytes = {};  // the payload has them
  party.flights.push_back(std::move(flight));
  // Its wait may be known by now.
  if (party.waits && party.awaited < first_remote_semaphore) own_waits_.push_back(pe);
  if (party.engine_waits()) schedule_start(pe, now_);
}

void Fabric::complete_at_initiator(Flight& flight) {
  const SharedFlight kept = flight.shared_from_this();
  const Request& request = flight.request;
  const PeId pe = request.pe;
  const dma::SemaphoreUse& use = request.descriptor.release_own;
  settle(pe, {now_, Phase::completion, pe, request.sequence});
  if (request.destination_space == Space::ocm) flight.payload.apply(shared_.ocm);
  if (request.destination_space == Space::dram) flight.payload.apply(shared_.dram);
  if (request.destination_space == Space::local && !request.descriptor.multicast)
    arrive(flight, pe, use.amount != 0 ? 1u << use.semaphore : 0);
  else if (request.descriptor.include_self && use.amount != 0)
    parties_[pe].unacquired.release(flight, use.semaphore);
  flight.complete = true;
  forget_if_over(flight);
  if (use.amount != 0 && !raise(pe, use.semaphore, use.amount, Stall::sem_wait_dma))
    traps_.raise(Phase::completion, {TrapKind::semaphore_overflow, now_, pe, request.pc, 0,
                                     use.semaphore, overflow_by(flight, pe, use.semaphore)});
}

/// Nothing more will happen to it.
void Fabric::forget_if_over(Flight& flight) {
  if (!flight.complete || flight.on_the_way != 0) return;
  std::vector<SharedFlight>& flights = parties_[flight.request.pe].flights;
  flights.erase(std::find_if(flights.begin(), flights.end(),
                             [&](const SharedFlight& one) { return one.get() == &flight; }));
}

/// Its bytes have come to a local memory: for DMA to see, and to be acquired by a gp.wait on one of
/// the semaphores `releases`.
void Fabric::arrive(Flight& flight, PeId pe, u32 releases) {
  if (flight.payload.empty()) return;
  const bool home = pe == flight.request.pe;
  flight.arrived_home |= home;
  if (!(home && flight.acquired))
    parties_[pe].unacquired.arrive(flight.shared_from_this(), releases);
  put_on_waiting(flight, pe);
}

void Fabric::put_on_waiting(const Flight& flight, PeId pe) {
  parties_[pe].for_each_waiting(
      [&](Request& waiting) { flight.payload.apply(waiting.source.base, waiting.source.bytes); });
}

std::string Fabric::overflow_by(const Flight& flight, PeId pe, u32 number) {
  return fmt::format("semaphore {} of PE {}, by the descriptor at 0x{:08x} of PE {}", number, pe,
                     flight.request.descriptor.address, flight.request.pe);
}

bool Fabric::drained() const {
  return std::all_of(parties_.begin(), parties_.end(), [](const Party& party) {
    return !party.engine_waits() &&
           std::all_of(party.flights.begin(), party.flights.end(),
                       [](const SharedFlight& flight) { return flight->complete; });
  });
}

void Fabric::finish() {
  settle_all(stepper_.end());
  if (!races_) return;
  for (PeId pe = 0; pe < parties_.size(); ++pe) {
    Party& party = parties_[pe];
    for (const SharedFlight& flight : party.flights) races_->is_left(*flight);
    party.unacquired.for_each([&](Flight& flight) { races_->is_left(flight); });
    party.for_each_waiting([&](const Request& request) { races_->is_left(pe, request); });
    const Asks& asks = asks_[pe];
    for (std::size_t k = asks.chains_taken; k < asks.chains.size(); ++k)
      for (const Request& request : asks.chains[k]) races_->is_left(pe, request);
  }
  races_->finish();
}

DmaReport Fabric::report(PeId pe, Cycle end) const {
  const Party& party = parties_[pe];
  std::optional<Cycle> waiting_since;
  if (party.engine_waits()) waiting_since = party.head().queued;
  return party.track.report(end, waiting_since);
}

std::vector<WaitingTransfer> Fabric::waiting_transfers(PeId pe) const {
  std::vector<WaitingTransfer> transfers;
  const auto add = [&](const Request& request) {
    transfers.push_back({&request.descriptor, &request.receivers, request.pc});
  };
  const Party& party = parties_[pe];
  for (std::size_t k = party.started; k < party.chain.size(); ++k) add(party.chain[k]);
  for (const Chain& chain : party.queue)
    for (const Request& request : chain) add(request);
  return transfers;
}

}  // namespace simfarm::fast
