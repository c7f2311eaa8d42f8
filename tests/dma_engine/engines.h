// DMA engines without PEs: descriptors are queued by hand, cycle by cycle, and what becomes of each
// transfer is written down.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "dma/descriptor.h"
#include "engine/reference/dma.h"
#include "engine/reference/world.h"

namespace simfarm::test {

class Engines final : public Observer {
 public:
  struct Times {
    Cycle start = never;
    Cycle complete = never;
    friend bool operator==(const Times&, const Times&) = default;
  };

  explicit Engines(const Machine& machine) {
    RunOptions options;
    options.observer = this;
    world_ = std::make_unique<reference::World>(machine, options, std::nullopt);
  }

  /// As if a gp.dma of `pe` issued in cycle `at`, for a chain.
  Engines& queue(Cycle at, PeId pe, std::vector<dma::Descriptor> chain) {
    todo_[at].push_back({pe, std::move(chain)});
    return *this;
  }
  Engines& queue(Cycle at, PeId pe, const dma::Descriptor& descriptor) {
    return queue(at, pe, std::vector{descriptor});
  }
  /// As if a post arrived in cycle `at`.
  Engines& post(Cycle at, PeId pe, u32 semaphore) {
    posts_[at].push_back({pe, semaphore});
    return *this;
  }

  /// Until everything has drained, or cycle `stop`, which no longer counts; the cycles that took.
  Cycle run(Cycle limit = 100'000, Cycle stop = never) {
    reference::Dma& dma = *world_->dma;
    for (;; ++world_->now) {
      const Cycle now = world_->now;
      dma.complete();
      for (const auto& [pe, semaphore] : posts_[now])
        world_->semaphores.raise(pe, semaphore, 1, {Stall::sem_wait_post, 0});
      if (dma.drained() && todo_.lower_bound(now) == todo_.end()) break;
      if (now == stop) break;
      if (now == limit) {
        ADD_FAILURE() << "the engines did not drain";
        break;
      }
      dma.start();
      dma.move();
      for (auto& [pe, chain] : todo_[now]) put(pe, std::move(chain));
      dma.charge();
      world_->watch.flush();
    }
    world_->watch.flush();
    return world_->now;
  }

  Times times(PeId pe, u64 sequence) const {
    const auto found = times_.find({pe, sequence});
    return found == times_.end() ? Times{} : found->second;
  }
  const std::map<std::pair<PeId, u64>, Times>& all_times() const { return times_; }
  u64 bin(PeId pe, DmaBin bin) const {
    return world_->dma->report(pe, world_->now).cycles[static_cast<u32>(bin)];
  }
  /// "idle 1, setup 4, transfer 8": the bins that are not zero.
  std::string bins(PeId pe) const {
    std::string text;
    for (u32 k = 0; k < dma_bin_count; ++k) {
      const DmaBin one = static_cast<DmaBin>(k);
      if (bin(pe, one) == 0) continue;
      text +=
          (text.empty() ? "" : ", ") + std::string(name(one)) + " " + std::to_string(bin(pe, one));
    }
    return text;
  }
  /// The cycle in which a transfer raised a semaphore of `at`.
  Cycle release(PeId initiator, u64 sequence, PeId at) const {
    const auto found = releases_.find({initiator, sequence, at});
    return found == releases_.end() ? never : found->second;
  }
  /// The beats of one transfer: "5 ocm bank 0" and so on, in order of time.
  const std::vector<std::string>& beats(PeId pe, u64 sequence) { return beats_[{pe, sequence}]; }
  reference::World& world() { return *world_; }

  void transfer(Cycle now, PeId pe, u32, u64 sequence, std::string_view event) override {
    Times& times = times_[{pe, sequence}];
    (event == "start" ? times.start : times.complete) = now;
  }
  void released(Cycle now, PeId initiator, u64 sequence, PeId at, u32, u32) override {
    releases_[{initiator, sequence, at}] = now;
  }
  void beat(Cycle now, PeId pe, u64 sequence, u32 burst, std::string_view resource) override {
    beats_[{pe, sequence}].push_back(std::to_string(now) + " #" + std::to_string(burst) + " " +
                                     std::string(resource));
  }

 private:
  /// Descriptors go to the end of local memory for the moment in which they are frozen.
  void put(PeId pe, std::vector<dma::Descriptor> chain) {
    const AddressMap& map = world_->machine.map;
    reference::LocalMemory& memory = world_->locals[pe];
    const u32 bytes = static_cast<u32>(128 * chain.size());
    const u32 address = static_cast<u32>(map.local.base + map.local.bytes - bytes);
    const std::span<u8> place = memory.view(address, bytes);
    const std::vector<u8> before(place.begin(), place.end());
    for (u32 k = 0; k < chain.size(); ++k) {
      if (k + 1 < chain.size()) chain[k].next = address + 128 * (k + 1);
      const std::vector<u8> encoded = dma::encode(chain[k], map);
      std::copy(encoded.begin(), encoded.end(), place.begin() + 128 * k);
    }
    auto frozen = reference::freeze_chain(address, memory, world_->machine, pe);
    std::copy(before.begin(), before.end(), place.begin());
    ASSERT_TRUE(frozen) << frozen.error().message;
    world_->dma->queue(pe, std::move(*frozen));
  }

  std::unique_ptr<reference::World> world_;
  std::map<Cycle, std::vector<std::pair<PeId, std::vector<dma::Descriptor>>>> todo_;
  std::map<Cycle, std::vector<std::pair<PeId, u32>>> posts_;
  std::map<std::pair<PeId, u64>, Times> times_;
  std::map<std::tuple<PeId, u64, PeId>, Cycle> releases_;
  std::map<std::pair<PeId, u64>, std::vector<std::string>> beats_;
};

}  // namespace simfarm::test
