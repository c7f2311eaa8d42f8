#include "engine/fast/placing.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/check.h"

namespace simfarm::fast {
namespace {

constexpr u32 log2_port_bytes = 3;  // of a local port, in a cycle

u32 log2(u32 power) { return static_cast<u32>(std::countr_zero(power)); }

u32 hops(const Machine& machine, PeId pe) {
  const u32 column = machine.column_of(pe);
  return planted(Planted::bus_hop_missing) && column > 0 ? column - 1 : column;
}

}  // namespace

Placing::Placing(Reservations& reservations, const Request& request, Cycle start,
                 EngineTrack& engine)
    : all_(reservations),
      request_(request),
      engine_(engine),
      reads_(reservations.scratch_->reads.data()),
      last_open_(static_cast<u32>(reservations.scratch_->reads.size()) - 1),
      grants_(reservations.scratch_->grants),
      multicast_(reservations.scratch_->multicast),
      ahead_(reservations.scratch_->ahead),
      journal_(reservations.scratch_->journal),
      bursts_(request, reservations.machine_.dma.in_flight),
      bus_(reservations.buses_[reservations.machine_.row_of(request.pe)]),
      bus_latency_(hops(reservations.machine_, request.pe) * reservations.machine_.bus.hop_latency),
      index_memory_(side(AddressMap::Space::local, reservations.read_ports_, false)),
      source_(side(request.source_space, reservations.read_ports_, false)),
      destination_(side(request.destination_space, reservations.write_ports_, request.adds())),
      written_times_(std::max<u32>(1, static_cast<u32>(request.receivers.size()))),
      setup_end_(start + reservations.machine_.dma.setup),
      slots_from_(setup_end_),
      last_issue_(start),
      latest_end_(setup_end_),
      as_read_(counted(request.source_space, Counted::read)),
      as_written_(counted(request.destination_space, Counted::written)) {}

Placing::Counted Placing::counted(AddressMap::Space space, Counted local) {
  const u32 further = space == AddressMap::Space::ocm    ? 1
                      : space == AddressMap::Space::dram ? 2
                                                         : 0;
  return static_cast<Counted>(static_cast<u32>(local) + further);
}

void Placing::add_totals() {
  DmaReport& total = engine_.total_;
  total.bytes_read += index_bytes_ + bytes_read_;
  total.bytes_written += bytes_written_;
  if (as_read_ == Counted::read_ocm) total.ocm_bytes += bytes_read_;
  if (as_read_ == Counted::read_dram) total.dram_bytes += bytes_read_;
  if (as_written_ == Counted::written_ocm) total.ocm_bytes += bytes_written_;
  if (as_written_ == Counted::written_dram) total.dram_bytes += bytes_written_;
}

Placement Placing::run() {
  multicast_.begin(request_, setup_end_, all_.machine_,
                   {all_.buses_, all_.read_ports_, all_.write_ports_});
  place_bursts();
  add_totals();
  Placement placement;
  if (truncated_) {
    // Whatever ends the run comes before anything that is not placed.
    engine_.charge(DmaBin::in_flight_limit, all_.limit_);
    engine_.next_start_ = never;
    // A release without writes does not wait for the index reads, of which some are not placed.
    if (!request_.moves()) place_release(placement);
    return placement;
  }
  place_release(placement);
  placement.completion = latest_end_;
  engine_.count(Counted::descriptors, latest_end_, 1);
  ++engine_.total_.descriptors;
  engine_.next_start_ = last_issue_ + 1;
  return placement;
}

void Placing::place_bursts() {
  place_index_reads();
  ahead_.read = ~u32{0};
  WriteBurst write;
  while (!truncated_ && bursts_.next(write, [&](const Burst& read) { place_read(read); }))
    if (!truncated_) place_write(write);
}

void Placing::place_release(Placement& placement) {
  const Cycle released = multicast_.release();
  if (released > engine_.charged())
    multicast_.charges().settle(engine_.charged(), released,
                                [&](DmaBin bin, Cycle until) { engine_.charge(bin, until); });
  ended(released);
  for (const Multicast::Receiver& receiver : multicast_.receivers()) {
    placement.receivers.push_back({receiver.completion, receiver.pe});
    ended(receiver.completion);
  }
  std::sort(
      placement.receivers.begin(), placement.receivers.end(),
      [](const auto& a, const auto& b) { return std::tie(a.at, a.pe) < std::tie(b.at, b.pe); });
}

u32 Placing::first_free_slot() const {
  const std::vector<Cycle>& free = engine_.slot_free_;
  u32 first = 0;
  for (u32 slot = 1; slot < free.size(); ++slot)
    if (free[slot] < free[first]) first = slot;
  return first;
}

Cycle Placing::issue_in(u32 slot) {
  // In order: not before the burst that had a slot before it.
  slots_from_ = std::max(slots_from_, engine_.slot_free_[slot]);
  truncated_ = slots_from_ >= all_.limit_;
  issued(slots_from_);
  return slots_from_;
}

void Placing::place_index_reads() {
  Cycle arrived = 0;
  for (const Burst& burst : index_reads(request_)) {
    const u32 slot = first_free_slot();
    const Cycle issue = issue_in(slot);
    if (truncated_) return;
    const Cycle end = pass(index_memory_, burst, issue, DmaBin::source_wait);
    engine_.slot_free_[slot] = end;
    engine_.count(Counted::read, end, burst.bytes);
    index_bytes_ += burst.bytes;
    arrived = std::max(arrived, end);
    ended(end);
  }
  slots_from_ = std::max(slots_from_, arrived);
}

void Placing::place_read(const Burst& burst) {
  if (truncated_) return;
  const u32 slot = first_free_slot();
  const Cycle issue = issue_in(slot);
  if (truncated_) return;
  const Cycle end = request_.source_space == AddressMap::Space::local
                        ? pass(source_, burst, issue, DmaBin::source_wait)
                        : pass_out(source_, burst, issue);
  engine_.slot_free_[slot] = never;  // until its last write is placed
  open(reads_placed_++) = {end, end, slot};
  engine_.count(as_read_, end, burst.bytes);
  bytes_read_ += burst.bytes;
  ended(end);
}

void Placing::place_write(const WriteBurst& write) {
  if (write.sourceless())
    place_sourceless(write);
  else if (write.first_read < reads_done_)
    return;  // placed while a sourceless write before it waited
  else
    place_sourced(write);
  for (; reads_done_ < write.reads_done; ++reads_done_)
    engine_.slot_free_[open(reads_done_).slot] = open(reads_done_).written;
}

void Placing::place_sourced(const WriteBurst& write) {
  Cycle issue = 0;
  for (u32 k = write.first_read; k < write.end_read; ++k) issue = std::max(issue, open(k).arrival);
  issued(issue);
  const Cycle end = write_once(write, issue);
  for (u32 k = write.first_read; k < write.end_read; ++k)
    open(k).written = std::max(open(k).written, end);
  if (write.first_read == ahead_.read) ++ahead_.placed;
  end_write(write, end);
}

void Placing::place_sourceless(const WriteBurst& write) {
  u32 slot = first_free_slot();
  const Cycle free = engine_.slot_free_[slot];
  if (free > slots_from_ && reads_done_ < reads_placed_) {
    look_ahead(reads_done_);
    if (finish_ahead(free)) slot = first_free_slot();
  }
  const Cycle issue = issue_in(slot);
  if (truncated_) {
    if (reads_done_ < reads_placed_) {
      look_ahead(reads_done_);
      place_ahead();
    }
    return;
  }
  const Cycle end = write_once(write, issue);
  engine_.slot_free_[slot] = end;
  end_write(write, end);
}

void Placing::end_write(const WriteBurst& write, Cycle end) {
  const u32 bytes = write.bytes * written_times_;
  engine_.count(as_written_, end, bytes);
  bytes_written_ += bytes;
  ended(end);
}

/// Finds the writes to come that depend on `read` alone, the last one that was placed.
void Placing::look_ahead(u32 read) {
  check(read + 1 == reads_placed_, "more than one read is waited for behind a sourceless write");
  if (ahead_.read == read) return;
  ahead_.read = read;
  ahead_.writes.clear();
  ahead_.placed = 0;
  ahead_.last = false;
  BurstStream bursts = bursts_;
  WriteBurst write;
  bool more_reads = false;
  while (!ahead_.last && bursts.next(write, [&](const Burst&) { more_reads = true; }) &&
         !more_reads) {
    if (!write.sourceless()) ahead_.writes.push_back(write);
    ahead_.last = write.reads_done > read;
  }
}

/// Places the writes ahead if with them the read's slot is free by then.
bool Placing::finish_ahead(Cycle by) {
  OpenRead& read = open(ahead_.read);
  if (!ahead_.last || std::max(read.arrival, read.written) > by) return false;
  on_trial_ = out_of_turn_ = true;
  multicast_.remember();
  bool all = true;
  for (std::size_t k = ahead_.placed; all && k < ahead_.writes.size(); ++k)
    all = write_once(ahead_.writes[k], read.arrival) <= by;
  on_trial_ = out_of_turn_ = false;
  // Also when they are to stay: then they are placed again, in earnest.
  journal_.undo();
  multicast_.go_back();
  if (!all) return false;
  place_ahead();
  engine_.slot_free_[read.slot] = read.written;
  ++reads_done_;
  return true;
}

/// The sourceless write that waits is charged: it is the first that is unfinished until they end.
void Placing::place_ahead() {
  out_of_turn_ = true;
  while (ahead_.placed < ahead_.writes.size()) place_sourced(ahead_.writes[ahead_.placed]);
  out_of_turn_ = false;
}

Cycle Placing::write_once(const Burst& burst, Cycle issue) {
  if (request_.descriptor.multicast) {
    const Cycle end =
        multicast_.write(issue, destination_.beats(burst), on_trial_ ? &journal_ : nullptr);
    if (end > engine_.charged() && !out_of_turn_) {
      engine_.charge(DmaBin::in_flight_limit, issue);
      multicast_.charges().settle(engine_.charged(), end,
                                  [&](DmaBin bin, Cycle until) { engine_.charge(bin, until); });
    }
    return end;
  }
  if (request_.destination_space != AddressMap::Space::local)
    return pass_in(destination_, burst, issue);
  if (request_.adds()) return pass_both_ports(burst, issue);
  return pass(destination_, burst, issue, DmaBin::destination_wait);
}

Placing::Memory Placing::side(AddressMap::Space space, std::vector<BusyCycles>& ports,
                              bool doubled) const {
  const Machine& machine = all_.machine_;
  const u32 twice = doubled ? 1 : 0;
  switch (space) {
    case AddressMap::Space::ocm:
      return {all_.banks_.data(), machine.ocm.banks - 1, log2(machine.ocm.bytes_per_beat), twice,
              machine.ocm.latency};
    case AddressMap::Space::dram:
      return {&all_.channel_, 0, log2(machine.dram.bytes_per_beat), twice, machine.dram.latency};
    default:  // there, two ports are what is doubled
      return {&ports[request_.pe], 0, log2_port_bytes, 0, 0};
  }
}

Cycle Placing::pass(const Memory& memory, const Burst& burst, Cycle issue, DmaBin wait) {
  BusyCycles& resource = memory.resource(burst);
  const Cycle end = resource.take(issue, memory.beats(burst), grants_[0]) + 1 + memory.latency;
  if (on_trial_) journal_.add(resource, grants_[0]);
  if (end <= engine_.charged() || out_of_turn_) return end;
  engine_.charge(DmaBin::in_flight_limit, issue);
  charge(wait, grants_[0], end);
  return end;
}

/// Out of a shared memory, then over the bus: a read, which is never placed on trial.
Cycle Placing::pass_out(const Memory& memory, const Burst& burst, Cycle issue) {
  const Cycle ready =
      memory.resource(burst).take(issue, memory.beats(burst), grants_[0]) + 1 + memory.latency;
  const Cycle granted = bus_.take_one(ready);
  const Cycle end = granted + 1 + bus_latency_;
  if (end <= engine_.charged()) return end;
  engine_.charge(DmaBin::in_flight_limit, issue);
  charge(DmaBin::source_wait, grants_[0], ready);
  engine_.charge(planted(Planted::engine_bin) ? DmaBin::destination_wait : DmaBin::bus_wait,
                 granted);
  engine_.charge(DmaBin::transfer, end);
  return end;
}

/// Over the bus, then into a shared memory.
Cycle Placing::pass_in(const Memory& memory, const Burst& burst, Cycle issue) {
  const Cycle granted = bus_.take_one(issue);
  const Cycle ready = granted + 1 + bus_latency_;
  BusyCycles& resource = memory.resource(burst);
  const Cycle end = resource.take(ready, memory.beats(burst), grants_[0]) + 1 + memory.latency;
  if (on_trial_) {
    journal_.add_one(bus_, granted);
    journal_.add(resource, grants_[0]);
  }
  if (end <= engine_.charged() || out_of_turn_) return end;
  engine_.charge(DmaBin::in_flight_limit, issue);
  engine_.charge(DmaBin::bus_wait, granted);
  engine_.charge(DmaBin::transfer, ready);
  charge(DmaBin::destination_wait, grants_[0], end);
  return end;
}

/// Out of the local memory that is added to, and back into it.
Cycle Placing::pass_both_ports(const Burst& burst, Cycle issue) {
  BusyCycles& read_port = all_.read_ports_[request_.pe];
  BusyCycles& write_port = destination_.resource(burst);
  const u32 beats = destination_.beats(burst);
  const Cycle between = read_port.take(issue, beats, grants_[0]) + 1;
  const Cycle end = write_port.take(between, beats, grants_[1]) + 1;
  if (on_trial_) {
    journal_.add(read_port, grants_[0]);
    journal_.add(write_port, grants_[1]);
  }
  if (end <= engine_.charged() || out_of_turn_) return end;
  engine_.charge(DmaBin::in_flight_limit, issue);
  charge(DmaBin::destination_wait, grants_[0], between);
  charge(DmaBin::destination_wait, grants_[1], end);
  return end;
}

/// From the cycle in which a stage was ready to that in which it passed.
void Placing::charge(DmaBin wait, const Grants& grants, Cycle passed) {
  engine_.charge(wait, grants.runs[0].first);
  for (u32 k = 1; k < grants.count; ++k) {
    const Grants::Run& before = grants.runs[k - 1];
    engine_.charge(DmaBin::transfer, before.first + before.beats);
    engine_.charge(wait, grants.runs[k].first);
  }
  engine_.charge(DmaBin::transfer, passed);
}

}  // namespace simfarm::fast
