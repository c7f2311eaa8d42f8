// Waits whose end is known before the machine gets there. This lets PEs that wait for transfers of
// different lengths, or for the same multicast at different distances, go on together.
#include <algorithm>

#include "engine/fast/fabric.h"
#include "engine/fast/planted.h"

namespace simfarm::fast {

bool Fabric::look_ahead() {
  bool any = false, raised = false;
  for (PeId pe = 0; pe < pes_.size(); ++pe) {
    Party& party = parties_[pe];
    if (!party.waits) continue;
    if (party.awaited >= first_remote_semaphore)
      raised |= !party.raises.empty();
    else
      any |= look_ahead(pes_[pe]);
  }
  if (!raised) return any;
  find_reach();
  for (PeId pe = 0; pe < pes_.size(); ++pe) {
    const Party& party = parties_[pe];
    if (party.waits && party.awaited >= first_remote_semaphore && !party.raises.empty())
      any |= look_ahead_of_others(pes_[pe]);
  }
  return any;
}

/// No descriptor of the PE that has not started raises or lowers the semaphore.
bool Fabric::leave_alone(const Party& party, u32 number) {
  const auto uses = [&](const dma::SemaphoreUse& use) {
    return use.amount != 0 && use.semaphore == number;
  };
  return party.none_waiting([&](const Request& request) {
    const dma::Descriptor& d = request.descriptor;
    return uses(d.release_own) || uses(d.release_receivers) || uses(d.acquire);
  });
}

/// Semaphores 0-7 are raised by the PE's own transfers alone, and those that have started end when
/// they do, whatever anybody asks from now on (docs/machine.md, D2). So a wait for them is over in
/// a cycle that is known now. This lets PEs that wait for transfers of different lengths go on
/// together.
bool Fabric::look_ahead(Pe& pe) {
  Party& party = parties_[pe.id];
  const u32 number = party.awaited;
  if (!leave_alone(party, number)) return false;

  std::vector<SharedFlight> releasing;
  for (const SharedFlight& flight : party.flights) {
    const dma::SemaphoreUse& use = flight->request.descriptor.release_own;
    if (use.amount != 0 && use.semaphore == number && flight->completion != never)
      releasing.push_back(flight);
  }
  std::stable_sort(releasing.begin(), releasing.end(),
                   [](const auto& a, const auto& b) { return a->completion < b->completion; });
  u64 value = party.semaphores[number].value;
  u64 needed = 0;
  while (needed < releasing.size() && value < party.amount)
    value += releasing[needed++]->request.descriptor.release_own.amount;
  // Enough may be there already, raised in the cycle of the end: too late for the wait.
  if (needed == 0 || value < party.amount || value > semaphore_limit) return false;
  const Cycle at = releasing[needed - 1]->completion;
  if (at >= stepper_.end()) return false;
  // Others that are complete in the same cycle are seen by the wait as well.
  while (needed < releasing.size() && releasing[needed]->completion == at) ++needed;

  party.waits = false;
  releasing.resize(needed);
  for (const SharedFlight& flight : releasing) flight->acquired = true;
  party.unacquired.acquire(
      number, [&](const Flight& flight) { return flight.acquired && flight.request.pe == pe.id; },
      [&](SharedFlight& flight) { acquire(pe.id, std::move(flight)); });
  // What is still to arrive, in the order in which it will.
  std::erase_if(releasing, [](const SharedFlight& one) { return one->arrives_home() == never; });
  std::stable_sort(releasing.begin(), releasing.end(), [](const auto& a, const auto& b) {
    return std::pair(a->arrives_home(), a->request.sequence) <
           std::pair(b->arrives_home(), b->request.sequence);
  });
  for (SharedFlight& flight : releasing)
    if (!flight->arrived_home && !flight->payload.empty()) acquire(pe.id, std::move(flight));
  if (races_) races_->waits(pe.id, number, at);
  ask({at, pe.id, Ask::take, number, party.amount});
  go_on(pe, at, Stall::sem_wait_dma);
  return true;
}

/// When something that is not known yet could happen, and where: a PE that runs goes on at its
/// clock; what has been asked or is under way has its cycle. The others wait for one of these.
void Fabric::find_reach() {
  reach_.begin();
  for (PeId pe = 0; pe < pes_.size(); ++pe) reach_.add(pe, clocks_[pe]);
  for (const Turn& turn : turns_.all()) reach_.add(turn.second, turn.first);
  for (PeId pe = 0; pe < pes_.size(); ++pe)
    if (asks_[pe].collected < asks_[pe].asked.size())
      reach_.add(pe, asks_[pe].asked[asks_[pe].collected].at);
  for (const Event& event : events_.all()) {
    if (event.phase == Phase::barrier) {
      reach_.add_everywhere(event.at);
      continue;
    }
    const bool starts = event.phase == Phase::start;
    const PeId pe = starts || event.at_initiator ? event.source : event.to;
    // A raise by itself does nothing: somebody has to wait for it.
    if (starts || parties_[pe].waits || parties_[pe].engine_waits()) reach_.add(pe, event.at);
  }
  reach_.spread();
}

/// The other semaphores are raised by others too, whom it takes some cycles to get here: what is
/// under way already is all that there is until then.
bool Fabric::look_ahead_of_others(Pe& pe) {
  Party& party = parties_[pe.id];
  const u32 number = party.awaited;
  std::vector<Raise>& raises = party.raises;
  std::sort(raises.begin(), raises.end());
  u64 value = party.semaphores[number].value;
  Cycle at = never;
  Stall by = Stall::sem_wait_none;
  for (const Raise& raise : raises) {
    if (raise.number != number) continue;
    value += raise.amount;
    if (value < party.amount) continue;
    at = raise.at;
    by = raise.by;
    break;
  }
  if (at == never || at >= reach_.known_until(pe.id) || at >= stepper_.end()) return false;
  if (value > semaphore_limit || !leave_alone(party, number)) return false;

  party.waits = false;
  party.unacquired.acquire(
      number, [](const Flight&) { return false; },
      [&](SharedFlight& flight) { acquire(pe.id, std::move(flight)); });
  // Others that come in the same cycle are seen by the wait as well.
  for (const Raise& raise : raises) {
    if (raise.number != number || raise.at > at || raise.flight == nullptr) continue;
    if (raise.flight->payload.empty()) continue;
    acquire(pe.id, raise.flight->shared_from_this());
    if (raise.flight->request.pe == pe.id)
      raise.flight->acquired = raise.flight->arrived_home = true;
    else
      party.foreseen.push_back(raise.flight);
  }
  ask({at, pe.id, Ask::take, number, party.amount});
  if (planted(Planted::push_charged_to_engine) && by == Stall::sem_wait_push)
    by = Stall::sem_wait_dma;
  go_on(pe, at, by);
  return true;
}

}  // namespace simfarm::fast
