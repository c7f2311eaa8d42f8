// What makes reservation in order of age possible: a younger transfer never delays an older one. On
// random systems, the transfers that started before some cycle keep every beat and every time when
// all younger ones are taken away.
#include "tests/dma_engine/engines.h"
#include "tests/dma_engine/random_descriptor.h"
#include "tests/support/run.h"
#include "tests/support/transfers.h"

namespace simfarm::test {
namespace {

struct Job {
  Cycle at = 0;
  PeId pe = 0;
  std::vector<dma::Descriptor> chain;
};

std::vector<Job> random_system(const Machine& machine, RandomDescriptors& make) {
  std::vector<Job> jobs;
  const u32 count = 2 + make.below(4 * machine.pes());
  for (u32 k = 0; k < count; ++k) {
    Job job{make.below(200), make.below(machine.pes()), {}};
    const Places places{local_base + 0x1000,
                        0x1000,
                        local_base + 0x2000,
                        0x1000,
                        make.one_in(2) ? ocm_base : dram_base,
                        0x1000,
                        ocm_base + 0x1000,
                        0x1000,
                        local_base + 0x800};
    do job.chain.push_back(make.next(job.pe, places));
    while (make.one_in(3));
    jobs.push_back(std::move(job));
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const Job& a, const Job& b) { return a.at < b.at; });
  return jobs;
}

/// Runs the jobs, of each PE no more than `limit` transfers.
void run(Engines& engines, const std::vector<Job>& jobs, const std::vector<u64>& limit) {
  for (reference::LocalMemory& local : engines.world().locals)
    for (u32 k = 0; k < 1024; ++k)
      local.view(local_base + 0x600 + 4 * k, 1)[0] = static_cast<u8>(k * 7 % 11);
  std::vector<u64> count(limit.size());
  for (const Job& job : jobs) {
    std::vector<dma::Descriptor> chain;
    for (const dma::Descriptor& d : job.chain)
      if (count[job.pe]++ < limit[job.pe]) chain.push_back(d);
    if (!chain.empty()) engines.queue(job.at, job.pe, std::move(chain));
  }
  engines.run(1'000'000);
}

TEST(Arbitration, YoungerTransfersNeverDelayOlderOnes) {
  u64 compared = 0;
  for (u64 seed = 0; seed < 400 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    RandomDescriptors choose(machine_of(1, 1), seed);
    Machine machine = machine_of(1 + choose.below(3), 1 + choose.below(4));
    machine.dma.in_flight = 1 + choose.below(4);
    machine.dma.setup = 1 + choose.below(5);
    machine.ocm.banks = 1 + choose.below(4);
    machine.ocm.latency = choose.below(12);
    machine.dram.latency = choose.below(30);
    machine.bus.hop_latency = choose.below(3);
    RandomDescriptors make(machine, seed);
    const std::vector<Job> jobs = random_system(machine, make);

    Engines all(machine);
    run(all, jobs, std::vector<u64>(machine.pes(), ~u64{0}));
    const Cycle border = make.below(400);
    std::vector<u64> older(machine.pes());
    for (const auto& [id, times] : all.all_times())
      if (times.start < border) ++older[id.first];
    Engines some(machine);
    run(some, jobs, older);
    for (const auto& [id, times] : some.all_times()) {
      EXPECT_EQ(times, all.times(id.first, id.second)) << id.first << " " << id.second;
      EXPECT_EQ(some.beats(id.first, id.second), all.beats(id.first, id.second));
      ++compared;
    }
  }
  EXPECT_GT(compared, 2000u);
}

TEST(Arbitration, EveryResourceGrantsOneBeatACycle) {
  const Machine machine = machine_of(2, 3);
  RandomDescriptors make(machine, 99);
  Engines engines(machine);
  const std::vector<Job> jobs = random_system(machine, make);
  run(engines, jobs, std::vector<u64>(machine.pes(), ~u64{0}));
  std::map<std::string, u32> beats;  // by cycle and resource
  for (const auto& [id, times] : engines.all_times())
    for (const std::string& beat : engines.beats(id.first, id.second)) {
      const u64 number = beat.find('#'), after = beat.find(' ', number);
      EXPECT_EQ(++beats[beat.substr(0, number) + beat.substr(after + 1)], 1u) << beat;
    }
  EXPECT_GT(beats.size(), 100u);
}

}  // namespace
}  // namespace simfarm::test
