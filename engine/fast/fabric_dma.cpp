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
  Party& party = parties_[pe];
  for (Request& request : chain) {
    request.sequence = party.next_sequence++;
    if (request.source_space == Space::local)
      party.unacquired.put_on(request.source.base, request.source.bytes);
  }
  const bool idle = !party.engine_waits();
  party.queue.push_back(std::move(chain));
  if (idle) schedule_start(pe);
}

/// The head of `pe`'s engine may start as soon as nothing but its acquire keeps it.
void Fabric::schedule_start(PeId pe) {
  const Party& party = parties_[pe];
  Event event{std::max({now_, party.track.next_start(), party.head().queued + 1}), Phase::start,
              pe};
  event.sequence = party.head().sequence;
  events_.push(event);
}

void Fabric::try_start(PeId pe) {
  Party& party = parties_[pe];
  // It may have been scheduled twice, by two raises of its semaphore.
  if (!party.engine_waits() || now_ < party.track.next_start() || party.head().queued >= now_)
    return;
  const dma::SemaphoreUse acquire = party.head().descriptor.acquire;
  if (acquire.amount != 0) {
    i64& value = party.semaphores[acquire.semaphore].value;
    if (value < acquire.amount) {
      party.acquiring_since = std::min(party.acquiring_since, now_);
      return;
    }
    value -= acquire.amount;
    end_is_unknown(party);
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
  Payload payload(request, shared);
  Placement placement = reservations_.place(request, now_, party.track);
  auto flight = std::make_shared<Flight>(std::move(request), std::move(payload), now_);
  flight->completion = placement.completion;
  flight->receivers = std::move(placement.receivers);
  if (races_) races_->starts(*flight, now_);
  const auto schedule = [&](Cycle at, bool at_initiator, PeId to) {
    Event event{at, Phase::completion, pe, flight->request.sequence, at_initiator, to};
    event.flight = flight.get();
    if (at != never)
      events_.push(event);
    else
      beyond_end_ = true;
  };
  const dma::SemaphoreUse& use = flight->request.descriptor.release_receivers;
  for (const Placement::AtReceiver& receiver : flight->receivers) {
    schedule(receiver.at, false, receiver.pe);
    if (use.amount == 0 || receiver.at == never) continue;
    add_raise(
        receiver.pe,
        {receiver.at, Phase::completion, pe, flight->request.sequence, use.semaphore, use.amount,
         receiver.pe == pe ? Stall::sem_wait_dma : Stall::sem_wait_push, flight.get()});
  }
  schedule(flight->completion, true, 0);
  flight->request.source.bytes = {};  // the payload has them
  party.flights.push_back(std::move(flight));
  // Its wait may be known by now.
  if (party.waits && party.awaited < first_remote_semaphore) own_waits_.push_back(pe);
  if (party.engine_waits()) schedule_start(pe);
}

void Fabric::complete_at_receiver(Flight& flight, const Event& event) {
  const dma::SemaphoreUse& use = flight.request.descriptor.release_receivers;
  drop_raise(event);
  arrive(flight, event.to, use);
  release(flight, event.to, use);
}

/// The last that happens to it.
void Fabric::complete_at_initiator(Flight& flight) {
  const SharedFlight kept = flight.shared_from_this();
  const Request& request = flight.request;
  const dma::SemaphoreUse& use = request.descriptor.release_own;
  if (request.destination_space == Space::ocm) flight.payload.apply(shared_.ocm);
  if (request.destination_space == Space::dram) flight.payload.apply(shared_.dram);
  if (request.destination_space == Space::local && !request.descriptor.multicast)
    arrive(flight, request.pe, use);
  else if (request.descriptor.include_self && use.amount != 0)
    parties_[request.pe].unacquired.release(flight, use.semaphore);
  std::erase(parties_[request.pe].flights, kept);
  release(flight, request.pe, use);
}

/// Its bytes have come to a local memory: for DMA to see, and to be acquired.
void Fabric::arrive(Flight& flight, PeId pe, const dma::SemaphoreUse& release) {
  if (flight.payload.empty()) return;
  Party& party = parties_[pe];
  const bool home = pe == flight.request.pe;
  flight.arrived_home |= home;
  const auto foreseen = std::find(party.foreseen.begin(), party.foreseen.end(), &flight);
  if (foreseen != party.foreseen.end())
    party.foreseen.erase(foreseen);
  else if (!(home && flight.acquired))
    party.unacquired.arrive(flight.shared_from_this(),
                            release.amount != 0 ? 1u << release.semaphore : 0);
  party.for_each_waiting(
      [&](Request& waiting) { flight.payload.apply(waiting.source.base, waiting.source.bytes); });
}

void Fabric::release(const Flight& flight, PeId pe, const dma::SemaphoreUse& use) {
  if (use.amount == 0) return;
  const Request& request = flight.request;
  const bool own = pe == request.pe;
  if (raise(pe, use.semaphore, use.amount, own ? Stall::sem_wait_dma : Stall::sem_wait_push))
    return;
  traps_.raise(Phase::completion,
               {TrapKind::semaphore_overflow, now_, pe, request.pc, 0, use.semaphore,
                fmt::format("semaphore {} of PE {}, by the descriptor at 0x{:08x} of PE {}",
                            use.semaphore, pe, request.descriptor.address, request.pe)});
}

bool Fabric::drained() const {
  return std::all_of(parties_.begin(), parties_.end(), [](const Party& party) {
    return party.flights.empty() && !party.engine_waits();
  });
}

void Fabric::finish_races() {
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
