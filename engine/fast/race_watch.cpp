#include "engine/fast/race_watch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "engine/fast/planted.h"
#include "engine/fast/storage.h"

namespace simfarm::fast {
namespace {

using Space = AddressMap::Space;
using MarkQuad = i32 __attribute__((vector_size(16)));

constexpr u32 quad_lanes = 4;  // lanes that are looked at together
constexpr u32 tile_quads = tile_lanes / quad_lanes;

/// No mark is that of a later epoch.
constexpr i32 after_all = static_cast<i32>(last_epoch) + 1;

/// Calls visit(granule) for each that `bytes`, in a local memory at `base`, are in.
template <class Visit>
void for_each_granule(const PlacedRanges& bytes, u32 base, u32 size, Visit visit) {
  i64 next = 0;
  for (const ByteRanges::Range& range : bytes.ranges->ranges()) {
    const i64 first = (range.begin + bytes.shift - base) / size;
    const i64 last = (range.end + bytes.shift - base - 1) / size;
    for (next = std::max(next, first); next <= last; ++next) visit(static_cast<u64>(next));
  }
}

/// The local memories that `request` writes in.
template <class Visit>
void for_each_receiver(const Request& request, Visit visit) {
  if (request.destination_space != Space::local) return;
  if (!request.descriptor.multicast) return visit(request.pe);
  for (const PeId receiver : request.receivers) visit(receiver);
}

}  // namespace

RaceWatch::RaceWatch(const Machine& machine, std::vector<Pe>& pes, u32 granule)
    : pes_(pes),
      granule_(granule),
      under_way_(machine),
      epochs_(machine.pes()),
      sources_(machine.pes()) {}

void RaceWatch::meets(Pe& pe, Cycle at) {
  Epochs& epochs = epochs_[pe.id];
  const u32 epoch = pe.x(epoch_row);
  if (epoch == last_epoch) {
    epochs.all_used = true;
    return;
  }
  pe.set_x(epoch_row, epoch + 1);
  epochs.ends.push_back(at);
  if (epochs.ends.size() < epochs.prune_at) return;
  for (; !epochs.ends.empty() && epochs.ends.front() < now_; ++epochs.first)
    epochs.ends.pop_front();
  epochs.prune_at = std::max<u64>(1024, 2 * epochs.ends.size());
}

void RaceWatch::queues(Pe& pe, std::vector<Request>& chain, Cycle at) {
  for (const Request& request : chain) {
    const dma::Descriptor& d = request.descriptor;
    pe.mark_load(d.address, d.extended ? dma::extended_descriptor_bytes : dma::descriptor_bytes);
    for (u32 k = 0; k < request.indices.size(); ++k)
      pe.mark_load(d.index_base + k * static_cast<u32>(d.index_stride), 4);
  }
  meets(pe, at);
  for (Request& request : chain) request.epoch = pe.x(epoch_row);
}

/// The first epoch of `pe` with anything that it may have done in cycle `now` or later.
u32 RaceWatch::epoch_in(PeId pe, Cycle now) {
  Epochs& epochs = epochs_[pe];
  if (planted(Planted::push_only_ahead)) return pes_[pe].x(epoch_row);
  const auto found = std::lower_bound(epochs.ends.begin(), epochs.ends.end(), now);
  return epochs.first + static_cast<u32>(found - epochs.ends.begin());
}

void RaceWatch::starts(Flight& flight, Cycle now) {
  const Request& request = flight.request;
  Footprint footprint = footprint_of(request);
  UnderWay::Side write{request.destination_space, request.pe, footprint.written,
                       request.adds() ? request.descriptor.operation : dma::Operation::copy};
  UnderWay::Side read{request.source_space, request.pe, footprint.read, dma::Operation::copy,
                      flight.completion};
  const bool multicast = request.descriptor.multicast;
  // One that the run's end cuts off has none in its placement, and is under way to the end.
  std::vector<Placement::AtReceiver> receivers = flight.receivers;
  if (multicast && receivers.empty())
    for (const PeId pe : request.receivers) receivers.push_back({never, pe});
  const auto for_each_write = [&](auto visit) {
    if (footprint.written.empty()) return;
    write.completion = flight.completion;
    if (!multicast) return visit();
    for (const Placement::AtReceiver& receiver : receivers) {
      write.pe = receiver.pe;
      write.completion = receiver.at;
      visit();
    }
  };
  for_each_write([&] { suspects_ |= under_way_.in_the_way_of_write(write, now); });
  if (!read.bytes.empty()) {
    suspects_ |= under_way_.in_the_way_of_read(read, now);
    under_way_.reads(read, now);
  }
  for_each_write([&] { under_way_.writes(write, now); });

  if (!footprint.written.empty())
    for_each_receiver(request, [&](PeId pe) {
      flight.guards.push_back({pe, pe == request.pe ? request.epoch : epoch_in(pe, now)});
    });
  if (!read.bytes.empty() && request.source_space == Space::local)
    guard_source(request, footprint.read, flight.completion);
  flight.written = std::move(footprint.written);
}

void RaceWatch::guard_source(const Request& request, const PlacedRanges& bytes, Cycle completion) {
  const dma::SemaphoreUse& release = request.descriptor.release_own;
  if (release.amount != 0) {
    sources_[request.pe][release.semaphore].push_back({bytes, request.epoch, completion});
  } else if (endless_known_.insert({bytes.ranges.get(), {bytes.shift, request.pe}}).second) {
    endless_.push_back({request.pe, false, request.epoch, bytes});
  }
}

void RaceWatch::acquires(PeId pe, Flight& flight) {
  const auto guard =
      std::lower_bound(flight.guards.begin(), flight.guards.end(), pe,
                       [](const Flight::Guard& one, PeId id) { return one.pe < id; });
  if (guard == flight.guards.end() || guard->pe != pe || guard->from == 0) return;
  later(pe, true, guard->from, flight.written);
  guard->from = 0;
}

void RaceWatch::waits(PeId pe, u32 semaphore, Cycle at) {
  if (semaphore >= first_remote_semaphore) return;
  std::erase_if(sources_[pe][semaphore], [&](const Source& source) {
    if (source.completion > at) return false;
    if (!planted(Planted::source_unguarded)) later(pe, false, source.from, source.bytes);
    return true;
  });
}

void RaceWatch::later(PeId pe, bool loads, u32 from, const PlacedRanges& bytes) {
  if (!bytes.empty()) looks_.push_back({pe, loads, from, bytes});
}

void RaceWatch::look(Cycle now) {
  if (now != never) now_ = std::max(now_, now);
  if (looks_.empty()) return;
  const u32 width = pes_[0].width;
  const auto key = [&](const Look& look) {
    return std::tuple(look.pe / width, look.bytes.ranges.get(), look.bytes.shift, look.loads);
  };
  std::sort(looks_.begin(), looks_.end(),
            [&](const Look& a, const Look& b) { return key(a) < key(b); });
  for (std::size_t first = 0, last = 0; first < looks_.size(); first = last) {
    while (last < looks_.size() && key(looks_[last]) == key(looks_[first])) ++last;
    look_together(first, last);
  }
  looks_.clear();
}

/// Of PEs of one tile, whose marks lie side by side.
void RaceWatch::look_together(std::size_t first, std::size_t last) {
  const Look& look = looks_[first];
  const Pe& pe = pes_[look.pe];
  const u64 local_bytes = pe.local.region().bytes;
  const u32 base = pe.local.region().base;
  const u64 loads = load_marks_at(local_bytes), stores = store_marks_at(local_bytes, granule_);
  if (pe.width == 1) {
    u32 from = look.from;
    for (std::size_t k = first; k < last; ++k) from = std::min(from, looks_[k].from);
    for_each_granule(look.bytes, base, granule_, [&](u64 granule) {
      suspects_ |= pe.frame.memory[stores + granule] >= from;
      if (look.loads) suspects_ |= pe.frame.memory[loads + granule] >= from;
    });
    return;
  }
  std::array<i32, tile_lanes> before;
  before.fill(after_all);
  u32 quads = 0;  // bits
  for (std::size_t k = first; k < last; ++k) {
    const u32 lane = looks_[k].pe % tile_lanes;
    before[lane] = std::min(before[lane], static_cast<i32>(looks_[k].from) - 1);
    quads |= 1u << lane / quad_lanes;
  }
  const u32* const tile = pe.frame.memory - pe.id % tile_lanes;
  const auto look_at = [&]<u32 count>(std::integral_constant<u32, count>, u32 from) {
    std::array<MarkQuad, count> limits, found{};
    std::memcpy(&limits, before.data() + from * quad_lanes, sizeof limits);
    const auto compare = [&](u64 place) {
      const u32* const row = tile + place * tile_lanes + from * quad_lanes;
      for (u32 k = 0; k < count; ++k) {
        MarkQuad marks;
        std::memcpy(&marks, row + k * quad_lanes, sizeof marks);
        found[k] |= marks > limits[k];
      }
    };
    for_each_granule(look.bytes, base, granule_, [&](u64 granule) {
      compare(stores + granule);
      if (look.loads) compare(loads + granule);
    });
    for (const MarkQuad& one : found) suspects_ |= (one[0] | one[1] | one[2] | one[3]) != 0;
  };
  if (std::has_single_bit(quads))
    look_at(std::integral_constant<u32, 1>{}, static_cast<u32>(std::countr_zero(quads)));
  else
    look_at(std::integral_constant<u32, tile_quads>{}, 0);
}

void RaceWatch::is_left(PeId pe, const Request& request) {
  if (request.epoch == 0) return;
  const Footprint footprint = footprint_of(request);
  for_each_receiver(request, [&](PeId receiver) {
    if (receiver == pe) later(pe, true, request.epoch, footprint.written);
  });
  if (request.source_space == Space::local) later(pe, false, request.epoch, footprint.read);
}

void RaceWatch::is_left(Flight& flight) {
  for (Flight::Guard& guard : flight.guards) {
    if (guard.from != 0) later(guard.pe, true, guard.from, flight.written);
    guard.from = 0;
  }
}

void RaceWatch::finish() {
  for (const Epochs& epochs : epochs_) suspects_ |= epochs.all_used;
  for (PeId pe = 0; pe < sources_.size(); ++pe)
    for (const std::vector<Source>& sources : sources_[pe])
      for (const Source& source : sources) later(pe, false, source.from, source.bytes);
  looks_.insert(looks_.end(), endless_.begin(), endless_.end());
  look(now_);
}

}  // namespace simfarm::fast
