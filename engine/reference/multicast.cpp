#include "engine/reference/multicast.h"

#include <algorithm>

namespace simfarm::reference {

Multicast::Multicast(const Request& request, Cycle setup_end, const Machine& machine)
    : initiator_(request.pe),
      setup_end_(setup_end),
      machine_(machine),
      rows_(multicast_rows(request, machine)),
      buses_(rows_.size()) {
  const bool releases = request.descriptor.release_receivers.amount != 0;
  for (const PeId pe : request.receivers)
    receivers_.push_back({pe, releases && pe != request.pe, {}, never, false});
  unknown_ = static_cast<u32>(receivers_.size());
  if (!releases) return;
  for (const Receiver& receiver : receivers_) releases_unknown_ += receiver.released_by_bus;
  for (const MulticastRow& row : rows_)
    release_.push_back({{ResourceKind::row_bus, row.row}, 1, 0, at_issue, row.delay});
}

void Multicast::all_cut() {
  all_cut_ = true;
  for (Receiver& receiver : receivers_) look_at(receiver);
}

void Multicast::bus_passes(u32 row, Cycle passed) {
  ++buses_[row].passed;
  buses_[row].latest = std::max(buses_[row].latest, passed);
}

void Multicast::port_passes(PeId pe, Cycle passed) {
  const auto found =
      std::lower_bound(receivers_.begin(), receivers_.end(), pe,
                       [](const Receiver& receiver, PeId id) { return receiver.pe < id; });
  ++found->port.passed;
  found->port.latest = std::max(found->port.latest, passed);
  look_at(*found);
}

void Multicast::ready(Cycle now) {
  if (release_.empty() || !all_cut_ || now < setup_end_) return;
  for (u32 row = 0; row < release_.size(); ++row) {
    Stage& stage = release_[row];
    if (stage.ready != never || buses_[row].passed < writes_) continue;
    Cycle ready = std::max(setup_end_, buses_[row].latest);
    if (row > 0) {
      if (!release_[0].done()) continue;
      ready = std::max(ready, release_[0].passed + stage.delay);
    }
    stage.ready = ready;
  }
}

void Multicast::release_passes(u32 row, Cycle passed) {
  release_[row].passed = passed;
  for (Receiver& receiver : receivers_) {
    if (!receiver.released_by_bus || machine_.row_of(receiver.pe) != rows_[row].row) continue;
    receiver.release = passed + column_delay(initiator_, receiver.pe, machine_);
    --releases_unknown_;
    latest_release_ = std::max(latest_release_, receiver.release);
    look_at(receiver);
  }
}

void Multicast::look_at(Receiver& receiver) {
  if (receiver.known || !all_cut_ || receiver.port.passed < writes_) return;
  if (receiver.released_by_bus && receiver.release == never) return;
  const Cycle release = receiver.released_by_bus ? receiver.release : setup_end_;
  const Cycle at = std::max(receiver.port.latest, release);
  receiver.known = true;
  --unknown_;
  latest_ = std::max(latest_, at);
  due_[at].push_back(receiver.pe);
}

std::vector<PeId> Multicast::completed(Cycle now) {
  const auto due = due_.find(now);
  if (due == due_.end()) return {};
  std::vector<PeId> pes = std::move(due->second);
  due_.erase(due);
  std::sort(pes.begin(), pes.end());
  return pes;
}

}  // namespace simfarm::reference
