#include "engine/reference/transfer.h"

#include <algorithm>

#include "base/check.h"

namespace simfarm::reference {
namespace {

/// What a burst moves counts once more where it is in a shared memory.
void count_shared(DmaReport& report, AddressMap::Space space, u64 bytes) {
  if (space == AddressMap::Space::ocm) report.ocm_bytes += bytes;
  if (space == AddressMap::Space::dram) report.dram_bytes += bytes;
}

}  // namespace

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
  const u32 number = next_number_++;
  ++unissued_;
  ++ends_unknown_;
  if (one.takes_slot()) ++unissued_slots_;
  if (burst.kind == BurstKind::read) read_numbers_.push_back(number);
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
  for (; !ends_.empty() && ends_.top().first <= now; ends_.pop()) {
    Flying& one = burst(ends_.top().second);
    one.retired = true;
    one.stages = {};
    switch (one.burst.kind) {
      case BurstKind::index_read:
        --index_reads_missing_;
        one.holds_slot = false;
        ++free_slots;
        report.bytes_read += one.burst.bytes;
        news_ = true;
        break;
      case BurstKind::read:
        report.bytes_read += one.burst.bytes;
        count_shared(report, request_.source_space, one.burst.bytes);
        news_ = true;
        break;
      case BurstKind::write:
        report.bytes_written += one.burst.bytes * std::max<u64>(1, request_.receivers.size());
        count_shared(report, request_.destination_space, one.burst.bytes);
        if (one.burst.sourceless()) {
          one.holds_slot = false;
          ++free_slots;
        }
        for (u32 k = one.burst.first_read; k < one.burst.end_read; ++k) {
          --read(k).writes_missing;
          give_back_if_done(read(k), free_slots);
        }
        break;
    }
  }
  drop_finished();
}

void Transfer::drop_finished() {
  while (first_unfinished_ < next_number_ && burst(first_unfinished_).retired) ++first_unfinished_;
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

void Transfer::issue(Cycle now, u32& free_slots) {
  // Unless something arrived or a slot is free that was not, nothing can be issued.
  if (now < setup_end_ || unissued_ == 0 || (!news_ && free_slots == slots_seen_)) return;
  bool slots_left = true;  // and nothing else keeps the bursts that take one from being issued
  for (u32 number = first_unfinished_; number < next_number_ && unissued_ > 0; ++number) {
    if (burst(number).issued) continue;
    if (burst(number).takes_slot()) {
      const bool data = burst(number).burst.kind != BurstKind::index_read;
      if (free_slots == 0 || (data && index_reads_missing_ > 0)) slots_left = false;
      if (!slots_left) continue;
      --free_slots;
      --unissued_slots_;
      burst(number).holds_slot = true;
      slot_numbers_.push_back(number);
    } else if (!sources_arrived(burst(number), now)) {
      continue;
    }
    burst(number).issued = true;
    --unissued_;
    if (burst(number).burst.kind == BurstKind::read) reads_open_ = burst(number).burst.end_read;
    cut();
  }
  news_ = false;
  slots_seen_ = free_slots;
}

/// A stage of a multicast's write has had its last beat.
void Transfer::pass(const Flying& one, u32 k) {
  const Stage& stage = one.stages[k];
  if (k < multicast_.rows().size())
    multicast_.bus_passes(k, stage.passed);
  else if (stage.resource.kind == ResourceKind::write_port)
    multicast_.port_passes(stage.resource.number, stage.passed);
}

void Transfer::ask(u32 number, Cycle now, Arbiter& arbiter, Watch& watch) {
  Flying& one = burst(number);
  if (one.stages.empty()) {
    one.stages = stages_of(one.burst, request_, machine_, multicast_.rows());
    for (Stage& stage : one.stages)
      if (stage.parent == at_issue) stage.ready = now;
  }
  Cycle end = 0;
  for (u32 k = 0; k < one.stages.size(); ++k) {
    Stage& stage = one.stages[k];
    if (!stage.done() && stage.ready <= now && arbiter.grant(stage.resource)) {
      one.granted = now;
      if (watch.on()) watch.beat(now, request_.pe, request_.sequence, number, name(stage.resource));
      if (--stage.beats == 0) {
        stage.passed = now + 1 + stage.latency;
        if (stage.resource.kind != ResourceKind::write_port)  // nothing comes after that one
          for (Stage& next : one.stages)
            if (next.parent == k) next.ready = stage.passed + next.delay;
        if (request_.descriptor.multicast && one.burst.kind == BurstKind::write) pass(one, k);
      }
    }
    end = std::max(end, stage.passed);
  }
  if (end == never) return;
  one.end = end;
  latest_end_ = std::max(latest_end_, end);
  ends_.push({end, number});
  --ends_unknown_;
  if (one.takes_slot()) std::erase(slot_numbers_, number);
}

/// A write can only have a beat when those before it are past their first stages: all writes of a
/// transfer begin with the same resources. So behind one that has not begun, no other is looked at;
/// a transfer may have thousands of them.
void Transfer::ask(Cycle now, Arbiter& arbiter, Watch& watch) {
  const auto has_begun = [](const Flying& write) {
    return std::any_of(write.stages.begin(), write.stages.end(),
                       [](const Stage& stage) { return stage.parent == at_issue && stage.done(); });
  };
  bool held_up = false;
  u32 number = first_unfinished_;
  for (; number < next_number_ && (!held_up || number < begun_); ++number) {
    Flying& one = burst(number);
    if (!one.issued || one.end != never) continue;
    const bool write = one.burst.kind == BurstKind::write;
    if (write && held_up && one.stages.empty()) continue;
    ask(number, now, arbiter, watch);
    if (!write) continue;
    begun_ = std::max(begun_, number + 1);
    held_up = held_up || !has_begun(one);
  }
  // Reads further on. One whose end is known now leaves the list.
  for (u64 k = 0; k < slot_numbers_.size();) {
    const u32 slot = slot_numbers_[k];
    if (slot >= number) ask(slot, now, arbiter, watch);
    if (k < slot_numbers_.size() && slot_numbers_[k] == slot) ++k;
  }
  ask_release(now, arbiter, watch);
}

void Transfer::ask_release(Cycle now, Arbiter& arbiter, Watch& watch) {
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
  if (first_unfinished_ == next_number_) return release_bin(now);
  const Flying& unfinished = flying_[first_unfinished_ - first_number_];
  if (!unfinished.issued) return DmaBin::in_flight_limit;
  if (unfinished.granted == now) return DmaBin::transfer;
  for (const Stage& stage : unfinished.stages) {
    if (stage.done() || stage.ready > now) continue;
    if (stage.resource.kind == ResourceKind::row_bus) return DmaBin::bus_wait;
    return unfinished.burst.kind == BurstKind::write ? DmaBin::destination_wait
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
