// The DMA of the fast engine without PEs: what tests/dma_engine/engines.h is for the reference,
// with the same events in the same order inside a cycle, from event to event.
#pragma once
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "dma/descriptor.h"
#include "dma/local_bytes.h"
#include "engine/fast/engine_track.h"
#include "engine/fast/payload.h"
#include "engine/fast/plan.h"
#include "engine/fast/request.h"
#include "engine/fast/reservations.h"
#include "memory/sparse_memory.h"

namespace simfarm::test {

class FastEngines {
 public:
  struct Times {
    Cycle start = never;
    Cycle complete = never;
  };

  explicit FastEngines(const Machine& machine, Cycle limit = never)
      : ocm(machine.map.ocm),
        dram(machine.map.dram),
        machine_(machine),
        reservations_(machine, limit),
        engines_(machine.pes(), Engine(machine)) {
    for (Engine& engine : engines_) engine.view.resize(machine.map.local.bytes);
  }

  void queue(Cycle at, PeId pe, std::vector<dma::Descriptor> chain) {
    todo_[at].push_back({pe, std::move(chain)});
    due_.insert(at);
  }
  void post(Cycle at, PeId pe, u32 semaphore) {
    posts_[at].push_back({pe, semaphore});
    due_.insert(at);
  }

  /// Everything before cycle `end`, and what completes or arrives in it.
  void run(Cycle end) {
    due_.insert(end);
    while (!due_.empty() && *due_.begin() <= end) {
      const Cycle now = *due_.begin();
      due_.erase(due_.begin());
      reservations_.trim(now);
      complete(now);
      for (const auto& [pe, semaphore] : posts_[now]) ++engines_[pe].semaphores[semaphore];
      if (now == end) return;
      for (PeId pe = 0; pe < engines_.size(); ++pe) start(now, pe);
      for (const auto& [pe, chain] : todo_[now]) put(now, pe, chain);
    }
  }

  std::vector<u8>& view(PeId pe) { return engines_[pe].view; }
  /// All of local memory as DMA sees it.
  std::vector<u8> dma_view(PeId pe) const {
    std::vector<u8> bytes = engines_[pe].view;
    for (const auto& payload : engines_[pe].completed)
      payload->apply(machine_.map.local.base, bytes);
    return bytes;
  }
  DmaReport report(PeId pe, Cycle end) const {
    const Engine& engine = engines_[pe];
    std::optional<Cycle> since;
    if (const fast::Request* head = engine.head()) since = head->queued;
    return engine.track.report(end, since);
  }
  Times times(PeId pe, u64 sequence) const {
    const auto found = times_.find({pe, sequence});
    return found == times_.end() ? Times{} : found->second;
  }
  Cycle release(PeId initiator, u64 sequence, PeId at) const {
    const auto found = releases_.find({initiator, sequence, at});
    return found == releases_.end() ? never : found->second;
  }
  u64 started() const { return times_.size(); }
  u64 placed_as_before() const { return reservations_.placed_as_before(); }

  SparseMemory ocm;
  SparseMemory dram;

 private:
  fast::Buffers buffers_;  ///< outlives the payloads
  struct Engine {
    explicit Engine(const Machine& machine) : track(machine) {}
    const fast::Request* head() const {
      if (!chain.empty()) return &chain.front();
      return queue.empty() ? nullptr : &queue.front().front();
    }
    std::vector<u8> view;
    std::vector<std::shared_ptr<const fast::Payload>> completed;
    std::deque<std::deque<fast::Request>> queue;
    std::deque<fast::Request> chain;
    u64 next_sequence = 0;
    std::array<u32, 16> semaphores{};
    fast::EngineTrack track;
  };
  /// (cycle, initiator, sequence, at the initiator, receiver)
  using Key = std::tuple<Cycle, PeId, u64, bool, PeId>;
  struct Completion {
    std::shared_ptr<const fast::Request> request;
    std::shared_ptr<const fast::Payload> payload;
  };

  void arrive(const Completion& one, PeId pe) {
    if (one.payload->empty()) return;
    Engine& engine = engines_[pe];
    engine.completed.push_back(one.payload);
    const auto update = [&](fast::Request& request) {
      one.payload->apply(request.source.base, request.source.bytes);
    };
    for (fast::Request& request : engine.chain) update(request);
    for (auto& chain : engine.queue)
      for (fast::Request& request : chain) update(request);
  }

  void release(const Completion& one, PeId pe, const dma::SemaphoreUse& use, Cycle now) {
    if (use.amount == 0) return;
    engines_[pe].semaphores[use.semaphore] += use.amount;
    releases_[{one.request->pe, one.request->sequence, pe}] = now;
  }

  void complete(Cycle now) {
    while (!completions_.empty() && std::get<0>(completions_.begin()->first) == now) {
      const auto [key, one] = *completions_.begin();
      completions_.erase(completions_.begin());
      const fast::Request& request = *one.request;
      if (!std::get<3>(key)) {
        arrive(one, std::get<4>(key));
        release(one, std::get<4>(key), request.descriptor.release_receivers, now);
        continue;
      }
      times_[{request.pe, request.sequence}].complete = now;
      if (request.destination_space == AddressMap::Space::ocm)
        one.payload->apply(ocm);
      else if (request.destination_space == AddressMap::Space::dram)
        one.payload->apply(dram);
      else if (!request.descriptor.multicast)
        arrive(one, request.pe);
      release(one, request.pe, request.descriptor.release_own, now);
    }
  }

  void start(Cycle now, PeId pe) {
    Engine& engine = engines_[pe];
    const fast::Request* head = engine.head();
    if (head == nullptr || now < engine.track.next_start()) return;
    const dma::SemaphoreUse acquire = head->descriptor.acquire;
    if (acquire.amount != 0) {
      if (engine.semaphores[acquire.semaphore] < acquire.amount) return;
      engine.semaphores[acquire.semaphore] -= acquire.amount;
    }
    if (engine.chain.empty()) {
      engine.chain = std::move(engine.queue.front());
      engine.queue.pop_front();
    }
    auto request = std::make_shared<fast::Request>(std::move(engine.chain.front()));
    // Every other one by its plan.
    if (pe % 2 == request->sequence % 2) request->plan = plans_.of(*request);
    engine.chain.pop_front();
    times_[{pe, request->sequence}].start = now;
    const SparseMemory* shared = request->source_space == AddressMap::Space::ocm    ? &ocm
                                 : request->source_space == AddressMap::Space::dram ? &dram
                                                                                    : nullptr;
    const Completion one{request,
                         std::make_shared<const fast::Payload>(*request, shared, buffers_)};
    const fast::Placement placement = reservations_.place(*request, now, engine.track);
    for (const auto& [at, receiver] : placement.receivers) {
      completions_[{at, pe, request->sequence, false, receiver}] = one;
      due_.insert(at);
    }
    if (placement.completion == never) return;
    completions_[{placement.completion, pe, request->sequence, true, 0}] = one;
    due_.insert(placement.completion);
    due_.insert(engine.track.next_start());
  }

  /// Descriptors go to the end of local memory for the moment in which they are frozen.
  void put(Cycle now, PeId pe, std::vector<dma::Descriptor> chain) {
    const AddressMap& map = machine_.map;
    Engine& engine = engines_[pe];
    const u32 bytes = static_cast<u32>(128 * chain.size());
    const u32 offset = static_cast<u32>(map.local.bytes - bytes);
    const u32 address = map.local.base + offset;
    const std::vector<u8> before(engine.view.begin() + offset, engine.view.end());
    for (u32 k = 0; k < chain.size(); ++k) {
      if (k + 1 < chain.size()) chain[k].next = address + 128 * (k + 1);
      const std::vector<u8> encoded = dma::encode(chain[k], map);
      std::copy(encoded.begin(), encoded.end(), engine.view.begin() + offset + 128 * k);
    }
    auto frozen = fast::freeze_chain(address, dma::LinearBytes(engine.view, map), machine_, pe);
    std::copy(before.begin(), before.end(), engine.view.begin() + offset);
    ASSERT_TRUE(frozen) << frozen.error().message;
    for (fast::Request& request : *frozen) {
      request.sequence = engine.next_sequence++;
      request.queued = now;
      for (const auto& payload : engine.completed)
        payload->apply(request.source.base, request.source.bytes);
    }
    engine.queue.emplace_back(std::make_move_iterator(frozen->begin()),
                              std::make_move_iterator(frozen->end()));
    due_.insert(now + 1);
  }

  const Machine& machine_;
  fast::Reservations reservations_;
  fast::Plans plans_{machine_.dma.in_flight};
  std::vector<Engine> engines_;
  std::set<Cycle> due_;
  std::map<Cycle, std::vector<std::pair<PeId, std::vector<dma::Descriptor>>>> todo_;
  std::map<Cycle, std::vector<std::pair<PeId, u32>>> posts_;
  std::map<Key, Completion> completions_;
  std::map<std::pair<PeId, u64>, Times> times_;
  std::map<std::tuple<PeId, u64, PeId>, Cycle> releases_;
};

}  // namespace simfarm::test
