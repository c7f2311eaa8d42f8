#include "engine/fast/multicast.h"

#include "engine/fast/planted.h"

#include <algorithm>

namespace simfarm::fast {
namespace {

u32 distance(u32 a, u32 b) { return a < b ? b - a : a - b; }

}  // namespace

void Multicast::begin(const Request& request, Cycle setup_end, const Machine& machine,
                      Resources resources) {
  rows_.clear();
  receivers_.clear();
  read_ports_ = &resources.read_ports;
  write_ports_ = &resources.write_ports;
  adds_ = request.adds();
  releases_ = request.descriptor.release_receivers.amount != 0;
  setup_end_ = setup_end;
  find_rows(request, machine, resources);
}

void Multicast::find_rows(const Request& request, const Machine& machine, Resources resources) {
  const u32 own = machine.row_of(request.pe), own_column = machine.column_of(request.pe);
  u32 last = own;  // the row of rows_.back()
  for (const PeId pe : request.receivers) {
    Receiver receiver{pe};
    receiver.self = pe == request.pe;
    if (!receiver.self) {
      if (rows_.empty()) rows_.push_back({&resources.buses[own], 0});
      const u32 row = machine.row_of(pe);
      if (row != own && row != last) {
        rows_.push_back({&resources.buses[row], distance(row, own) * machine.bus.hop_latency});
        last = row;
      }
      receiver.row = row == own ? 0 : static_cast<u32>(rows_.size()) - 1;
      receiver.delay = distance(machine.column_of(pe), own_column) * machine.bus.hop_latency;
    }
    receivers_.push_back(receiver);
  }
}

void Multicast::remember() {
  rows_before_ = rows_;
  receivers_before_ = receivers_;
}

void Multicast::go_back() {
  rows_ = rows_before_;
  receivers_ = receivers_before_;
}

Cycle Multicast::write(Cycle issue, u32 beats, Journal* journal) {
  charges_.clear();
  for (u32 k = 0; k < rows_.size(); ++k) {
    Row& row = rows_[k];
    const Cycle ready = k == 0 ? issue : rows_[0].now + row.delay;
    const Cycle granted = row.bus->take_one(ready);
    if (journal != nullptr) journal->add_one(*row.bus, granted);
    charges_.add_one(ready, granted, DmaBin::bus_wait);
    row.now = granted + 1;
    row.passed = std::max(row.passed, row.now);
  }
  const bool at_once = !adds_ && journal == nullptr;
  Cycle end = 0;
  for (Receiver& receiver : receivers_) {
    Cycle ready = receiver.self ? issue : rows_[receiver.row].now + receiver.delay;
    BusyCycles& write_port = (*write_ports_)[receiver.pe];
    if (at_once && write_port.take_at_once(ready, beats)) {
      charges_.add_at_once(ready, ready + beats);
      receiver.port = std::max(receiver.port, ready + beats);
      end = std::max(end, ready + beats);
      continue;
    }
    if (adds_) {
      BusyCycles& read_port = (*read_ports_)[receiver.pe];
      const Cycle last = read_port.take(ready, beats, grants_);
      if (journal != nullptr) journal->add(read_port, grants_);
      charges_.add(ready, grants_, DmaBin::destination_wait);
      ready = last + 1;
    }
    const Cycle passed = write_port.take(ready, beats, grants_) + 1;
    if (journal != nullptr) journal->add(write_port, grants_);
    charges_.add(ready, grants_, DmaBin::destination_wait);
    receiver.port = std::max(receiver.port, passed);
    end = std::max(end, passed);
  }
  return end;
}

Cycle Multicast::release() {
  charges_.clear();
  const bool travels = releases_ && !rows_.empty();
  for (u32 k = 0; travels && k < rows_.size(); ++k) {
    Row& row = rows_[k];
    Cycle ready = std::max(setup_end_, row.passed);
    if (k > 0) ready = std::max(ready, rows_[0].now + row.delay);
    const Cycle granted = row.bus->take_one(ready);
    charges_.add_one(ready, granted, DmaBin::bus_wait);
    row.now = granted + 1;
  }
  Cycle end = 0;
  for (Receiver& receiver : receivers_) {
    receiver.completion = std::max(setup_end_, receiver.port);
    if (!travels || receiver.self) continue;
    const Cycle reached = rows_[receiver.row].now + receiver.delay +
                          (planted(Planted::late_receiver_release) ? 1 : 0);
    receiver.completion = std::max(receiver.completion, reached);
    end = std::max(end, reached);
  }
  return end;
}

}  // namespace simfarm::fast
