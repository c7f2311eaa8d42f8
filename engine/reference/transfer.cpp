#include "engine/reference/transfer.h"

#include <algorithm>

#include "base/check.h"

namespace simfarm::reference {

Transfer::Transfer(Request request, std::shared_ptr<const Payload> payload, Cycle start,
                   const Machine& machine)
    : request_(std::move(request)),
      payload_(std::move(payload)),
      start_(start),
      setup_end_(start + machine.dma.setup),
      machine_(machine),
      multicast_(request_, setup_end_, machine),
      cutter_(request_, machine.dma.in_flight) {
  for (const Burst& burst : index_reads(request_)) add(burst);
  index_reads_missing_ = static_cast<u32>(flying_.size());
  if (payload_->empty()) {  // a multicast's release need not wait for indices that name nothing
    exhausted_ = true;
    multicast_.all_cut();
  }
  cut();
}

void Transfer::add(const Burst& burst) {
  Flying one;
  one.burst = burst;
  one.number = next_number_++;
  ++unissued_;
  ++ends_unknown_;
  if (one.takes_slot()) ++unissued_slots_;
  if (burst.kind == BurstKind::read) read_numbers_.push_back(one.number);
  if (burst.kind == BurstKind::write) {
    for (u32 k = burst.first_read; k < burst.end_read; ++k) ++read(k).writes_missing;
    reads_done_ = burst.reads_done;
    multicast_.write_cut();
  }
  flying_.push_back(std::move(one));
}

/// Bursts are cut as they are needed: until one is there that waits for a slot, and all writes that
/// depend on reads under way.
bool Transfer::can_cut_on() const {
  return !exhausted_ && (unissued_slots_ == 0 || reads_done_ < reads_open_);
}

void Transfer::cut() {
  std::vector<Burst> bursts;
  while (can_cut_on()) {
    bursts.clear();
    if (!cutter_.next(bursts)) {
      exhausted_ = true;
      multicast_.all_cut();
    }
    for (const Burst& burst : bursts) add(burst);
  }
}

void Transfer::give_back_if_done(Flying& read, u32& free_slots) {
  if (!read.holds_slot || read.writes_missing != 0 || read.burst.first_read >= reads_done_) return;
  read.holds_slot = false;
  ++free_slots;
}

void Transfer::retire(Cycle now, u32& free_slots, DmaReport& report) {
  if (next_end_ > now) return;
  news_ = true;
  next_end_ = never;
  for (Flying& one : flying_) {
    if (one.retired) continue;
    if (one.end > now) {
      next_end_ = std::min(next_end_, one.end);
      continue;
    }
    one.retired = true;
    switch (one.burst.kind) {
      case BurstKind::index_read:
        --index_reads_missing_;
        one.holds_slot = false;
        ++free_slots;
        report.bytes_read += one.burst.bytes;
        break;
      case BurstKind::read:
        report.bytes_read += one.burst.bytes;
        break;
      case BurstKind::write:
        report.bytes_written += one.burst.bytes * std::max<u64>(1, request_.receivers.size());
        if (one.burst.sourceless()) {
          one.holds_slot = false;
          ++free_slots;
        }
        for (u32 k = one.burst.first_read; k < one.burst.end_read; ++k) {
          --read(k).writes_missing;
          give_back_if_done(read(k), free_slots);
        }
        break;
      case BurstKind::release:
        break;
    }
  }
  drop_finished();
}

void Transfer::drop_finished() {
  while (!flying_.empty() && flying_.front().retired && !flying_.front().holds_slot) {
    if (flying_.front().burst.kind == BurstKind::read) {
      read_numbers_.pop_front();
      ++first_read_;
    }
    flying_.pop_front();
    ++first_number_;
  }
}

bool Transfer::sources_arrived(const Flying& write, Cycle now) {
  for (u32 k = write.burst.first_read; k < write.burst.end_read; ++k)
    if (read(k).end > now) return false;
  return true;
}

void Transfer::issue(Flying& one, Cycle now) {
  one.issued = true;
  --unissued_;
  one.stages = stages_of(one.burst, request_, machine_, multicast_.rows());
  for (Stage& stage : one.stages)
    if (stage.parent == at_issue) stage.ready = now + stage.delay;
}

void Transfer::issue(Cycle now, u32& free_slots) {
  // Without an end or a slot, nothing can be issued that could not before.
  if (now < setup_end_ || unissued_ == 0 || (!news_ && free_slots == slots_seen_)) return;
  bool slots_left = true;  // and nothing else keeps the bursts that take one from being issued
  for (u64 k = 0; k < flying_.size(); ++k) {
    if (unissued_ == 0) break;
    if (flying_[k].issued) continue;
    if (!flying_[k].takes_slot()) {
      if (sources_arrived(flying_[k], now)) issue(flying_[k], now);
      continue;
    }
    const bool data = flying_[k].burst.kind != BurstKind::index_read;
    if (free_slots == 0 || (data && index_reads_missing_ > 0)) slots_left = false;
    if (!slots_left) continue;
    --free_slots;
    --unissued_slots_;
    flying_[k].holds_slot = true;
    issue(flying_[k], now);
    if (flying_[k].burst.kind == BurstKind::read) reads_open_ = flying_[k].burst.end_read;
    cut();  // may move flying_[k], and appends to the list that this loop walks
  }
  news_ = false;
  slots_seen_ = free_slots;
}

void Transfer::ask(Flying& one, Cycle now, Arbiter& arbiter, Watch& watch) {
  one.granted = false;
  bool all_done = true;
  for (u32 k = 0; k < one.stages.size(); ++k) {
    Stage& stage = one.stages[k];
    if (stage.done()) continue;
    all_done = false;
    if (stage.ready > now || !arbiter.grant(stage.resource)) continue;
    one.granted = true;
    if (watch.on())
      watch.beat(now, request_.pe, request_.sequence, one.number, name(stage.resource));
    if (--stage.beats > 0) continue;
    stage.passed = now + 1 + stage.latency;
    if (stage.resource.kind != ResourceKind::write_port)  // nothing comes after that one
      for (Stage& next : one.stages)
        if (next.parent == k) next.ready = stage.passed + next.delay;
    if (!request_.descriptor.multicast || one.burst.kind != BurstKind::write) continue;
    if (k < multicast_.rows().size())
      multicast_.bus_passes(k, stage.passed);
    else if (stage.resource.kind == ResourceKind::write_port)
      multicast_.port_passes(stage.resource.number, stage.passed);
  }
  if (all_done) return;
  Cycle end = 0;
  for (const Stage& stage : one.stages) {
    if (!stage.done()) return;
    end = std::max(end, stage.passed);
  }
  one.end = end;
  latest_end_ = std::max(latest_end_, end);
  next_end_ = std::min(next_end_, end);
  --ends_unknown_;
}

void Transfer::ask(Cycle now, Arbiter& arbiter, Watch& watch) {
  for (Flying& one : flying_)
    if (one.issued && one.end == never)
      ask(one, now, arbiter, watch);
    else
      one.granted = false;
  multicast_.ready(now);
  release_granted_ = false;
  for (u32 row = 0; row < multicast_.release().size(); ++row) {
    Stage& stage = multicast_.release()[row];
    if (stage.done() || stage.ready > now || !arbiter.grant(stage.resource)) continue;
    stage.beats = 0;
    release_granted_ = true;
    if (watch.on())
      watch.beat(now, request_.pe, request_.sequence, next_number_, name(stage.resource));
    multicast_.release_passes(row, now + 1);
  }
}

std::optional<Cycle> Transfer::completion() const {
  if (!exhausted_ || ends_unknown_ > 0 || !multicast_.known()) return std::nullopt;
  return std::max({setup_end_, latest_end_, multicast_.latest()});
}

std::optional<DmaBin> Transfer::bin(Cycle now) const {
  if (now < setup_end_) return std::nullopt;
  const auto unfinished = std::find_if(flying_.begin(), flying_.end(),
                                       [&](const Flying& one) { return one.end > now; });
  if (unfinished == flying_.end()) return release_bin(now);
  if (!unfinished->issued) return DmaBin::in_flight_limit;
  if (unfinished->granted) return DmaBin::transfer;
  for (const Stage& stage : unfinished->stages) {
    if (stage.done() || stage.ready > now) continue;
    if (stage.resource.kind == ResourceKind::row_bus) return DmaBin::bus_wait;
    return unfinished->burst.kind == BurstKind::write ? DmaBin::destination_wait
                                                      : DmaBin::source_wait;
  }
  return DmaBin::transfer;  // a latency
}

std::optional<DmaBin> Transfer::release_bin(Cycle now) const {
  if (multicast_.release_end() <= now) return std::nullopt;
  if (release_granted_) return DmaBin::transfer;
  for (const Stage& stage : multicast_.release())
    if (!stage.done() && stage.ready <= now) return DmaBin::bus_wait;
  return DmaBin::transfer;
}

}  // namespace simfarm::reference
