// Waits whose end is known before the machine gets there. This lets PEs that wait for transfers of
// different lengths, or for the same multicast at different distances, go on together.
#include <algorithm>
#include <cstddef>

#include "engine/fast/fabric.h"
#include "engine/fast/planted.h"

namespace simfarm::fast {

bool Fabric::look_ahead() {
  bool any = false;
  for (const PeId pe : own_waits_) {
    const Party& party = parties_[pe];
    if (party.waits && party.awaited < first_remote_semaphore) any |= look_ahead(pes_[pe]);
  }
  own_waits_.clear();
  candidates_.clear();
  Cycle latest = 0;
  // Everything that is not known could have reached everyone by then.
  const Cycle soon = horizon_ == never ? never : reach_.everywhere(horizon_);
  const Cycle before = std::min(soon, stepper_.end());
  for (Waiting& wait : waits_) {
    if (wait.over_at == not_known) wait.over_at = find_end_of_wait(wait.pe);
    if (wait.over_at >= stepper_.end()) continue;
    if (wait.said == not_known) wait.said = wait.over_at;
    wait.trusted = trusts(wait);
    if (!wait.trusted) {
      if (wait.over_at >= before || could_be_reached(wait.pe, wait.over_at)) continue;
      latest = std::max(latest, wait.over_at);
    }
    candidates_.push_back(wait);
  }
  if (latest != 0) find_reach(latest);
  for (const Waiting& wait : candidates_) {
    const Party& party = parties_[wait.pe];
    if (!leave_alone(party, party.awaited)) continue;
    if (!wait.trusted && wait.over_at >= reach_.known_until(wait.pe)) continue;
    trusting_ |= wait.trusted;
    let_go_ahead(wait.pe, wait.over_at);
    any = true;
  }
  for (Waiting& wait : waits_) wake(wait);
  return any;
}

/// Nothing has ever come to a wait there that would have ended it otherwise than was said first.
bool Fabric::trusts(const Waiting& wait) const {
  const Node* const place = pes_[wait.pe].stepped_from;
  return trust_ && place != nullptr && !place->told_wrong && place->told_right >= *trust_;
}

/// The PE waits from now on.
void Fabric::list_wait(PeId pe) {
  Party& party = parties_[pe];
  if (party.awaited < first_remote_semaphore) return own_waits_.push_back(pe);
  party.listed = static_cast<u32>(waits_.size());
  waits_.push_back({pe});
  see_to_wait(pe);
}

/// It may be over before a PE goes on. One that is trusted will be let go on ahead.
void Fabric::see_to_wait(PeId pe) {
  const Party& party = parties_[pe];
  Waiting& wait = waits_[party.listed];
  if (wait.over_at == not_known) wait.over_at = find_end_of_wait(pe);
  if (wait.over_at >= horizon_ || wait.over_at >= stepper_.end()) return;
  if (trusts(wait) && leave_alone(party, party.awaited))
    horizon_ = wait.over_at + 1;
  else
    wake(wait);
}

/// It is looked at when it will be over.
void Fabric::wake(Waiting& wait) {
  if (wait.over_at >= stepper_.end() || wait.wakes_at == wait.over_at) return;
  wait.wakes_at = wait.over_at;
  Event event{wait.over_at, Phase::post};
  event.to = wait.pe;
  events_.push(event);
}

/// In that cycle.
void Fabric::end_wait(PeId pe, Cycle at) {
  Party& party = parties_[pe];
  party.waits = false;
  const u32 place = std::exchange(party.listed, ~u32{0});
  if (place >= waits_.size()) return;
  const Cycle said = waits_[place].said;
  if (Node* const node = pes_[pe].stepped_from; node != nullptr && said != not_known) {
    node->told_right += said == at ? 1 : 0;
    node->told_wrong |= said != at;
  }
  waits_[place] = waits_.back();
  parties_[waits_[place].pe].listed = place;
  waits_.pop_back();
  party.listed = ~u32{0};
}

/// By a PE that goes on. A few are enough: it saves to look at all, and at what is under way.
bool Fabric::could_be_reached(PeId pe, Cycle at) const {
  constexpr std::size_t enough = 4;
  for (std::size_t k = loose_.size(); k > loose_.size() - std::min(loose_.size(), enough); --k) {
    const PeId other = loose_[k - 1];
    if (clocks_[other] != never && reach_.reaches(other, clocks_[other], pe) <= at) return true;
  }
  return false;
}

/// No descriptor of the PE that has not started raises or lowers the semaphore.
bool Fabric::none_uses(const Party& party, u32 number) {
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
    if (use.amount != 0 && use.semaphore == number && flight->completion != never &&
        !flight->complete)
      releasing.push_back(flight);
  }
  std::stable_sort(releasing.begin(), releasing.end(),
                   [](const auto& a, const auto& b) { return a->completion < b->completion; });
  i64 value = party.semaphores[number].value;
  u64 needed = 0;
  while (needed < releasing.size() && value < party.amount)
    value += releasing[needed++]->request.descriptor.release_own.amount;
  // Enough may be there already, raised in the cycle of the end: too late for the wait.
  if (needed == 0 || value < party.amount) return false;
  const Cycle at = releasing[needed - 1]->completion;
  if (at >= stepper_.end()) return false;
  // Others that are complete in the same cycle are seen by the wait as well.
  while (needed < releasing.size() && releasing[needed]->completion == at)
    value += releasing[needed++]->request.descriptor.release_own.amount;
  if (value > semaphore_limit) return false;

  party.waits = false;
  // Nothing else looks at the semaphore before.
  party.semaphores[number].value -= party.amount;
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
  go_on(pe, at, Stall::sem_wait_dma);
  return true;
}

/// When something that is not known yet could happen, and where: a PE that runs goes on at its
/// clock; what has been asked or is under way has its cycle. The others wait for one of these.
/// What comes after cycle `until` may be left out.
void Fabric::find_reach(Cycle until) {
  reach_.begin();
  for (const PeId pe : loose_) {
    reach_.add(pe, clocks_[pe]);
  }
  for (const Turn& turn : turns_.all())
    if (turn.first <= until) reach_.add(turn.second, turn.first);
  events_.for_each_until(until, [&](const Event& event) {
    if (event.phase == Phase::barrier) return reach_.add_everywhere(event.at);
    const bool starts = event.phase == Phase::start;
    const PeId pe = starts || event.at_initiator ? event.source : event.to;
    // A completion by itself does nothing: somebody has to wait for it.
    if (starts || parties_[pe].waits || parties_[pe].engine_waits()) reach_.add(pe, event.at);
  });
  for (const Waiting& wait : waits_)
    if (wait.over_at <= until) reach_.add(wait.pe, wait.over_at);
  reach_.spread();
}

/// When the PE's wait will be over if nothing comes but what is under way.
Cycle Fabric::find_end_of_wait(PeId pe) {
  Party& party = parties_[pe];
  party.raises.sort();
  i64 value = party.semaphores[party.awaited].value;
  Cycle at = never;
  const std::vector<Raise>& raises = party.raises.all();
  for (auto raise = raises.rbegin(); raise != raises.rend(); ++raise) {
    if (raise->number != party.awaited || raise->amount == 0) continue;
    if (raise->at() > at) break;
    value += raise->amount;
    if (at != never || value < party.amount) continue;
    at = raise->at();
    party.over_by = raise->by;
  }
  // Too much of it is a trap.
  return value > semaphore_limit ? never : at;
}

/// The other semaphores are raised by others too, whom it takes some cycles to get here: what is
/// under way already is all that there is until then. Or it is trusted to be: then what comes
/// nevertheless finds that out (add_raise).
void Fabric::let_go_ahead(PeId id, Cycle at) {
  Pe& pe = pes_[id];
  Party& party = parties_[id];
  const u32 number = party.awaited;
  Semaphore& semaphore = party.semaphores[number];
  // What the engine will read sees everything come in its cycle.
  const bool engine_waits = party.engine_waits();
  if (engine_waits && over_ != 0) settle(id, Moment::last_in(over_ - 1));

  end_wait(id, at);
  semaphore.settled = at;
  // Nothing else looks at the semaphore before.
  semaphore.value -= party.amount;
  Stall by = party.over_by;
  party.unacquired.acquire(
      number, [](const Flight&) { return false; },
      [&](SharedFlight& flight) { acquire(pe.id, std::move(flight)); });
  // Others that come in the same cycle are seen by the wait as well.
  party.raises.sort();
  std::vector<Raise>& raises = party.raises.all();
  std::size_t first = raises.size();
  while (first != 0 && raises[first - 1].at() <= at) --first;
  const auto is_seen = [&](const Raise& raise) {
    return raise.number == number && raise.amount != 0;
  };
  for (std::size_t k = raises.size(); k-- > first;)
    if (is_seen(raises[k])) see(pe, raises[k], engine_waits);
  const auto tail = raises.begin() + static_cast<std::ptrdiff_t>(first);
  raises.erase(std::remove_if(tail, raises.end(), is_seen), raises.end());
  party.raises.taken_out();
  if (planted(Planted::push_charged_to_engine) && by == Stall::sem_wait_push)
    by = Stall::sem_wait_dma;
  go_on(pe, at, by);
}

/// A wait that was answered ahead takes it.
void Fabric::see(Pe& pe, const Raise& raise, bool engine_waits) {
  Semaphore& semaphore = parties_[pe.id].semaphores[raise.number];
  --raises_;
  semaphore.value += raise.amount;
  last_event_ = std::max(last_event_, raise.at());
  if (raise.flight == nullptr) {
    semaphore.last_poster = raise.moment.source;
    return;
  }
  Flight& flight = *raise.flight;
  if (!flight.payload.empty()) {
    if (flight.request.pe == pe.id) flight.acquired = flight.arrived_home = true;
    acquire(pe.id, flight.shared_from_this());
    if (engine_waits) {  // in its cycle
      Event event{raise.at(), Phase::completion, flight.request.pe, flight.request.sequence};
      event.to = pe.id;
      event.flight = &flight;
      return events_.push(event);
    }
  }
  --flight.on_the_way;
  forget_if_over(flight);
}

}  // namespace simfarm::fast
