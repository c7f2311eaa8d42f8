// Transfers of the reference, stepped without engines around them, and the same ones placed: when
// each may start, when it completes, there and at every receiver, and what is counted by then.
// Among them those in which a sourceless write waits for the slot of a read that later writes still
// need.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "engine/fast/plan.h"
#include "engine/fast/reservations.h"
#include "engine/reference/arbiter.h"
#include "engine/reference/request.h"
#include "engine/reference/transfer.h"
#include "engine/reference/world.h"
#include "tests/reservation/traffic.h"

namespace simfarm::test {
namespace {

struct Queued {
  Cycle not_before = 0;
  reference::Request stepped;
  fast::Request placed;
};
struct Done {
  Cycle start = 0;
  Cycle completion = never;
  std::vector<fast::Placement::AtReceiver> receivers;
};

class Both {
 public:
  explicit Both(const Machine& machine)
      : world_(machine, {}, std::nullopt), arbiter_(machine), queues_(machine.pes()) {
    for (reference::LocalMemory& local : world_.locals)
      for (u32 k = 0x600; k < 0x1000; ++k)
        local.view()[k] = static_cast<u8>((k / 4 * 7 % 12 - 2) >> 8 * (k % 4));
  }

  void queue(PeId pe, Cycle not_before, const dma::Descriptor& descriptor) {
    const AddressMap& map = world_.machine.map;
    const u32 address = static_cast<u32>(map.local.base + map.local.bytes - 128);
    const std::vector<u8> bytes = dma::encode(descriptor, map);
    std::copy(bytes.begin(), bytes.end(), world_.locals[pe].view(address, 128).begin());
    auto stepped = reference::freeze_chain(address, world_.locals[pe], world_.machine, pe);
    auto placed = fast::freeze_chain(address, dma::LinearBytes(world_.locals[pe].view(), map),
                                     world_.machine, pe);
    ASSERT_TRUE(stepped && placed);
    Queued one{not_before, std::move((*stepped)[0]), std::move((*placed)[0])};
    one.stepped.sequence = one.placed.sequence = queues_[pe].size();
    queues_[pe].push_back(std::move(one));
  }

  /// Steps the reference to the end; its transfers by PE, and in order of age.
  void step() {
    const Machine& machine = world_.machine;
    done_.assign(machine.pes(), {});
    reports_.assign(machine.pes(), {});
    std::vector<u32> free(machine.pes(), machine.dma.in_flight);
    std::vector<std::shared_ptr<reference::Transfer>> active, previous(machine.pes());
    u64 left = 0;
    for (const auto& queue : queues_) left += queue.size();
    for (Cycle now = 0; left > 0; ++now) {
      for (const auto& transfer : active) {
        const PeId pe = transfer->request().pe;
        Done& done = done_[pe][transfer->request().sequence];
        transfer->retire(now, free[pe], reports_[pe]);
        for (const PeId receiver : transfer->receivers_completed(now))
          done.receivers.push_back({now, receiver});
        if (transfer->completion() != now) continue;
        done.completion = now;
        --left;
      }
      std::erase_if(active, [&](const auto& one) { return one->completion() == now; });
      for (PeId pe = 0; pe < machine.pes(); ++pe) {
        const u64 next = done_[pe].size();
        if (next == queues_[pe].size() || queues_[pe][next].not_before > now) continue;
        if (previous[pe] && (!previous[pe]->all_issued() || previous[pe]->start() == now)) continue;
        const reference::Request& request = queues_[pe][next].stepped;
        const SparseMemory* shared =
            request.source_space == AddressMap::Space::ocm    ? &world_.shared.ocm
            : request.source_space == AddressMap::Space::dram ? &world_.shared.dram
                                                              : nullptr;
        active.push_back(std::make_shared<reference::Transfer>(
            request, std::make_shared<const reference::Payload>(request, shared), now, machine));
        previous[pe] = active.back();
        done_[pe].push_back({now});
        order_.push_back({pe, next});
      }
      arbiter_.begin(now);
      for (const auto& transfer : active) transfer->issue(now, free[transfer->request().pe]);
      for (const auto& transfer : active) transfer->ask(now, arbiter_, world_.watch);
    }
  }

  /// Places the same transfers; the first difference.
  std::string place() {
    // Cut while they are placed, and by their plans.
    const std::string difference = place_once();
    if (!difference.empty()) return difference;
    fast::Plans plans(world_.machine.dma.in_flight);
    for (auto& queue : queues_)
      for (Queued& queued : queue) queued.placed.plan = plans.of(queued.placed);
    const std::string planned = place_once();
    return planned.empty() ? "" : "by plan: " + planned;
  }
  u64 transfers() const { return order_.size(); }

 private:
  std::string place_once() const {
    fast::Reservations reservations(world_.machine);
    std::vector<fast::EngineTrack> engines(world_.machine.pes(), fast::EngineTrack(world_.machine));
    for (const auto& [pe, sequence] : order_) {
      const Queued& queued = queues_[pe][sequence];
      const Done& expected = done_[pe][sequence];
      const std::string name = std::to_string(pe) + "." + std::to_string(sequence) + " ";
      const Cycle start = std::max(queued.not_before, engines[pe].next_start());
      if (start != expected.start) return name + "start";
      reservations.trim(start);
      const fast::Placement placement = reservations.place(queued.placed, start, engines[pe]);
      if (placement.completion != expected.completion)
        return name + "completion: " + std::to_string(placement.completion) + ", expected " +
               std::to_string(expected.completion);
      if (placement.receivers != expected.receivers) return name + "receivers";
    }
    for (PeId pe = 0; pe < engines.size(); ++pe) {
      const DmaReport report = engines[pe].report(1 << 24, std::nullopt);
      if (report.bytes_read != reports_[pe].bytes_read ||
          report.bytes_written != reports_[pe].bytes_written ||
          report.ocm_bytes != reports_[pe].ocm_bytes ||
          report.dram_bytes != reports_[pe].dram_bytes)
        return "bytes of engine " + std::to_string(pe);
    }
    return "";
  }

  reference::World world_;
  reference::Arbiter arbiter_;
  std::vector<std::vector<Queued>> queues_;
  std::vector<std::vector<Done>> done_;
  std::vector<DmaReport> reports_;
  std::vector<std::pair<PeId, u64>> order_;
};

void run_many(u64 first_seed, u32 count) {
  u64 transfers = 0;
  for (u64 seed = first_seed; seed < first_seed + count; ++seed) {
    RandomDescriptors choose(machine_of(1, 1), seed * 2 + 1);
    Machine machine = random_machine(choose);
    if (choose.one_in(2)) machine.dma.in_flight = 1 + choose.below(3);
    RandomDescriptors make(machine, seed);
    Both both(machine);
    const u32 many = 1 + make.below(3 * machine.pes());
    Cycle not_before = 1;
    for (u32 k = 0; k < many; ++k) {
      const PeId pe = make.below(machine.pes());
      const Places places{local_base + 0x1000,
                          0x1000,
                          local_base + 0x2000,
                          0x1000,
                          make.one_in(2) ? ocm_base : dram_base,
                          0x1000,
                          ocm_base + 0x1000,
                          0x1000,
                          local_base + 0x800};
      not_before += make.one_in(2) ? 0 : make.below(60);
      both.queue(pe, not_before,
                 make.one_in(3)   ? make.next(pe, places)
                 : make.one_in(4) ? random_tile(machine, pe, make)
                                  : random_padded(machine, pe, make));
    }
    both.step();
    transfers += both.transfers();
    ASSERT_EQ(both.place(), "") << "seed " << seed;
  }
  EXPECT_GT(transfers, count);
}

TEST(Placing, AsSteppedByTheReference) { run_many(1, 600); }

}  // namespace
}  // namespace simfarm::test
