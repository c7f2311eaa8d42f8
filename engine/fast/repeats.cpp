#include "engine/fast/repeats.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/fast/planted.h"

namespace simfarm::fast {
namespace {

using Space = AddressMap::Space;

u64 hash_of(const std::vector<u64>& words) {
  u64 hash = words.size();
  for (const u64 word : words) {
    hash = (hash ^ word) * 0x9e37'79b9'7f4a'7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

u64 bank_of(const Machine& machine, Space space, u32 address) {
  return space == Space::ocm ? address / dma::burst_bytes % machine.ocm.banks : 0;
}

bool is_shared(Space space) { return space == Space::ocm || space == Space::dram; }

}  // namespace

u64 Repeats::Known::size() const {
  return key.size() + 2 * taken.size() + all_taken.size() + charges.size() +
         2 * counts->all.size() + slots.size() + 2 * receivers.size();
}

Repeats::Luck& Repeats::luck_of(const Request& request) {
  const u64 plan = reinterpret_cast<std::uintptr_t>(request.plan.get());
  return luck_[plan / 64 * 0x9e37'79b9'7f4a'7c15 >> 58];
}

/// Where little is found, little is looked for.
bool Repeats::worth_it(const Request& request) {
  if (request.plan == nullptr) return false;
  const Plan& plan = *request.plan;
  if (plan.reads.size() + plan.writes.size() * (1 + request.receivers.size() / 2) < fewest_stages)
    return false;
  Luck& luck = luck_of(request);
  if (luck.tried >= 32) {
    if (luck.found < luck.tried / 8 && ++luck.left_out % 256 != 0) return false;
    if (luck.tried >= 1024) luck = {luck.tried / 2, luck.found / 2, 0};
  }
  return true;
}

/// All that it may take cycles of.
void Repeats::find_resources(const Request& request) {
  resources_.clear();
  const auto add_all = [&](std::vector<BusyCycles>& all) {
    for (BusyCycles& one : all) resources_.push_back(&one);
  };
  const Machine& machine = all_.machine_;
  const bool multicast = request.descriptor.multicast;
  const bool reads_local = request.source_space == Space::local;
  const auto add_ports = [&](PeId pe) {
    resources_.push_back(&all_.write_ports_[pe]);
    if (request.adds() && !(reads_local && pe == request.pe))
      resources_.push_back(&all_.read_ports_[pe]);
  };
  bool bus = is_shared(request.source_space);
  if (reads_local) resources_.push_back(&all_.read_ports_[request.pe]);
  if (!multicast && request.destination_space == Space::local) add_ports(request.pe);
  if (!multicast) bus |= is_shared(request.destination_space);
  const bool ocm = request.source_space == Space::ocm || request.destination_space == Space::ocm;
  const bool dram = request.source_space == Space::dram || request.destination_space == Space::dram;
  if (ocm) add_all(all_.banks_);
  if (dram) resources_.push_back(&all_.channel_);
  if (bus || multicast) resources_.push_back(&all_.buses_[machine.row_of(request.pe)]);
  const u32 own = machine.row_of(request.pe);
  u32 last = own;
  for (const PeId pe : request.receivers) {
    const u32 row = machine.row_of(pe);
    if (row != own && row != last) resources_.push_back(&all_.buses_[row]);
    last = row;
    add_ports(pe);
  }
}

void Repeats::make_key(const Request& request, Cycle setup_end, const EngineTrack& engine) {
  const Machine& machine = all_.machine_;
  const dma::Descriptor& d = request.descriptor;
  key_.clear();
  key_.push_back(reinterpret_cast<std::uintptr_t>(request.plan.get()));
  key_.push_back(static_cast<u64>(request.source_space) |
                 static_cast<u64>(request.destination_space) << 8 | u64{d.multicast} << 16 |
                 u64{d.include_self} << 17 | u64{d.release_receivers.amount != 0} << 18);
  key_.push_back(bank_of(machine, request.source_space, request.descriptor.source) |
                 bank_of(machine, request.destination_space, request.destination) << 32);
  if (d.multicast || is_shared(request.source_space) || is_shared(request.destination_space))
    key_.push_back(machine.column_of(request.pe));
  if (d.multicast) {
    const auto [x0, y0, x1, y1] = d.rectangle;
    const u32 row = machine.row_of(request.pe);
    key_.push_back(x0 | u64{x1} << 32);
    key_.push_back((u32{y0} - row) | u64{u32{y1} - row} << 32);
  }
  key_.push_back(engine.charged() - setup_end);
  // It does not matter which of the slots are the free ones.
  slots_.clear();
  for (const Cycle free : engine.slot_free_) slots_.push_back(std::max(free, setup_end));
  std::sort(slots_.begin(), slots_.end());
  for (const Cycle free : slots_) key_.push_back(free - setup_end);
  resources_at_ = key_.size();
  for (const BusyCycles* resource : resources_) {
    const std::size_t before = key_.size();
    key_.push_back(0);
    resource->copy_from(setup_end, key_);
    key_[before] = key_.size() - before - 1;
  }
  hash_ = hash_of(key_);
}

bool Repeats::place(const Request& request, Cycle setup_end, EngineTrack& engine,
                    Placement& placement) {
  to_be_learned_ = false;
  if (!worth_it(request)) return false;
  Luck& luck = luck_of(request);
  ++luck.tried;
  find_resources(request);
  make_key(request, setup_end, engine);
  const auto found = known_.find(hash_);
  if (found == known_.end() || found->second->key != key_) {
    to_be_learned_ = true;
    charges_before_ = engine.charges_.size();
    counts_before_ = engine.counts_.size();
    charged_before_ = engine.charged();
    total_before_ = engine.total_;
    return false;
  }
  ++luck.found;
  const Known& known = *found->second;
  // Near the limit of the run some of it is not placed.
  if (setup_end + known.last_issue >= all_.limit_) return false;
  ++found_;
  for (const Known::Taken& taken : known.taken)
    resources_[taken.resource]->take_all(
        setup_end + taken.first,
        std::span(known.all_taken).subspan(taken.begin, taken.end - taken.begin));
  for (const EngineTrack::Charge& charge : known.charges)
    engine.charge(charge.bin(), setup_end + charge.until());
  engine.count(setup_end, known.counts);
  engine.total_.bytes_read += known.total.bytes_read;
  engine.total_.bytes_written += known.total.bytes_written;
  engine.total_.ocm_bytes += known.total.ocm_bytes;
  engine.total_.dram_bytes += known.total.dram_bytes;
  ++engine.total_.descriptors;
  for (std::size_t k = 0; k < known.slots.size() && !planted(Planted::repeat_leaves_slots); ++k)
    engine.slot_free_[k] = setup_end + known.slots[k];
  engine.next_start_ = setup_end + known.last_issue + 1;
  placement.completion = setup_end + known.completion;
  placement.receivers.reserve(known.receivers.size());
  for (const Placement::AtReceiver& receiver : known.receivers)
    placement.receivers.push_back({setup_end + receiver.at, receiver.pe + request.pe});
  return true;
}

void Repeats::learn(const Request& request, Cycle setup_end, const EngineTrack& engine,
                    const Placement& placement) {
  // At the limit of the run it has not been placed to its end.
  if (!to_be_learned_ || placement.completion == never) return;
  auto known = std::make_unique<Known>();
  known->plan = request.plan;
  std::size_t before = resources_at_;
  for (u32 k = 0; k < resources_.size(); ++k) {
    const u64 count = key_[before++];
    after_.clear();
    resources_[k]->copy_from(setup_end, after_);
    for (u32 word = 0; word < after_.size(); ++word)
      if (word < count) after_[word] &= ~key_[before + word];
    before += count;
    while (!after_.empty() && after_.back() == 0) after_.pop_back();
    if (after_.empty()) continue;
    u32 zeros = 0;
    while (after_[zeros] == 0) ++zeros;
    const u32 begin = static_cast<u32>(known->all_taken.size());
    known->all_taken.insert(known->all_taken.end(), after_.begin() + zeros, after_.end());
    known->taken.push_back({k, 64 * zeros, begin, static_cast<u32>(known->all_taken.size())});
  }
  // The first new charge may have made the last one before it longer.
  for (std::size_t k = std::max<std::size_t>(charges_before_, 1) - 1; k < engine.charges_.size();
       ++k) {
    const EngineTrack::Charge& charge = engine.charges_[k];
    if (charge.until() > charged_before_)
      known->charges.push_back({charge.bin(), charge.until() - setup_end});
  }
  auto counts = std::make_shared<EngineTrack::Counts>();
  for (std::size_t k = counts_before_; k < engine.counts_.size(); ++k) {
    EngineTrack::Count count = engine.counts_[k];
    count.at -= setup_end;
    counts->last = std::max(counts->last, count.at);
    counts->all.push_back(count);
  }
  known->counts = std::move(counts);
  known->total.bytes_read = engine.total_.bytes_read - total_before_.bytes_read;
  known->total.bytes_written = engine.total_.bytes_written - total_before_.bytes_written;
  known->total.ocm_bytes = engine.total_.ocm_bytes - total_before_.ocm_bytes;
  known->total.dram_bytes = engine.total_.dram_bytes - total_before_.dram_bytes;
  for (const Cycle free : engine.slot_free_)
    known->slots.push_back(std::max(free, setup_end) - setup_end);
  known->last_issue = engine.next_start() - 1 - setup_end;
  known->completion = placement.completion - setup_end;
  for (const Placement::AtReceiver& receiver : placement.receivers)
    known->receivers.push_back({receiver.at - setup_end, receiver.pe - request.pe});
  known->key = std::exchange(key_, {});
  kept_ += known->size();
  if (kept_ > most_kept) {
    known_.clear();
    kept_ = known->size();
  }
  known_[hash_] = std::move(known);
}

}  // namespace simfarm::fast
