// Reserving a transfer's whole timing at its start gives what the reference finds cycle by cycle:
// random traffic on random machines, every start, completion, release, bin, count and byte.
#include <gtest/gtest.h>

#include <string>

#include "tests/dma_engine/engines.h"
#include "tests/reservation/fast_engines.h"
#include "tests/reservation/traffic.h"

namespace simfarm::test {
namespace {

/// What the bytes are at the start, never mind what it is.
u8 local_byte(PeId pe, u32 offset) {
  // The index lists of RandomDescriptors: words of -2..9.
  if (offset >= 0x600 && offset < 0x1000) {
    const u32 index = (offset / 4 * 7 + pe) % 12 - 2;
    return static_cast<u8>(index >> 8 * (offset % 4));
  }
  return static_cast<u8>(offset * 31 + pe * 7 + offset / 256);
}
constexpr u32 shared_bytes = 0x8000;

template <class EnginesType>
void fill(EnginesType& engines, const Traffic& traffic) {
  for (const Job& job : traffic.jobs) engines.queue(job.at, job.pe, job.chain);
  for (const Post& post : traffic.posts) engines.post(post.at, post.pe, 8);
}
void fill_shared(SparseMemory& memory) {
  std::vector<u8> bytes(shared_bytes);
  for (u32 k = 0; k < shared_bytes; ++k) bytes[k] = static_cast<u8>(k * 13 + k / 512);
  memory.write(memory.region().base, bytes);
}
std::vector<u8> shared(const SparseMemory& memory) {
  std::vector<u8> bytes(shared_bytes);
  memory.read(memory.region().base, bytes);
  return bytes;
}

std::string text(const DmaReport& report) {
  std::string text;
  for (u32 k = 0; k < dma_bin_count; ++k)
    text +=
        std::string(name(static_cast<DmaBin>(k))) + " " + std::to_string(report.cycles[k]) + " ";
  return text + "descriptors " + std::to_string(report.descriptors) + " read " +
         std::to_string(report.bytes_read) + " written " + std::to_string(report.bytes_written) +
         " ocm " + std::to_string(report.ocm_bytes) + " dram " + std::to_string(report.dram_bytes);
}

struct Compared {
  u64 transfers = 0;
  u64 as_before = 0;  ///< of them, in the fast engine
  Cycle cycles = 0;
  std::string difference;  ///< the first one; empty: none
};

/// Runs both engines until `stop`, or until all has drained. `limit`: what the fast one is told of
/// it.
Compared compare(const Traffic& traffic, Cycle stop, Cycle limit) {
  const Machine& machine = traffic.machine;
  Engines reference(machine);
  FastEngines fast(machine, limit);
  for (PeId pe = 0; pe < machine.pes(); ++pe)
    for (u32 k = 0; k < machine.map.local.bytes; ++k)
      fast.view(pe)[k] = reference.world().locals[pe].view()[k] = local_byte(pe, k);
  for (SparseMemory* memory :
       {&reference.world().shared.ocm, &reference.world().shared.dram, &fast.ocm, &fast.dram})
    fill_shared(*memory);
  fill(reference, traffic);
  fill(fast, traffic);
  Compared compared;
  const Cycle end = compared.cycles = reference.run(never, stop);
  fast.run(end);
  compared.as_before = fast.placed_as_before();

  const auto differ = [&](const std::string& what, const auto& expected, const auto& actual) {
    if (compared.difference.empty() && expected != actual)
      compared.difference =
          what + ": reference " + std::to_string(expected) + ", fast " + std::to_string(actual);
  };
  for (const auto& [id, times] : reference.all_times()) {
    ++compared.transfers;
    const std::string name =
        "transfer " + std::to_string(id.first) + "." + std::to_string(id.second);
    const FastEngines::Times actual = fast.times(id.first, id.second);
    differ(name + " start", times.start, actual.start);
    differ(name + " completion", times.complete, actual.complete);
    for (PeId pe = 0; pe < machine.pes(); ++pe)
      differ(name + " release at " + std::to_string(pe), reference.release(id.first, id.second, pe),
             fast.release(id.first, id.second, pe));
  }
  differ("transfers", reference.all_times().size(), fast.started());
  for (PeId pe = 0; pe < machine.pes() && compared.difference.empty(); ++pe) {
    const std::string expected = text(reference.world().dma->report(pe, end));
    const std::string actual = text(fast.report(pe, end));
    if (expected != actual)
      compared.difference = "engine " + std::to_string(pe) + " at " + std::to_string(end) +
                            ":\n  " + expected + "\n  " + actual;
    if (reference.world().locals[pe].dma_view(local_base, machine.map.local.bytes) !=
        fast.dma_view(pe))
      compared.difference += " bytes of local memory " + std::to_string(pe);
  }
  if (shared(reference.world().shared.ocm) != shared(fast.ocm))
    compared.difference += " bytes of OCM";
  if (shared(reference.world().shared.dram) != shared(fast.dram))
    compared.difference += " bytes of DRAM";
  return compared;
}

/// Leaves out what is not needed for a difference.
std::string smallest(Traffic traffic, Cycle stop, Cycle limit) {
  const auto fails = [&](const Traffic& one) {
    return !compare(one, stop, limit).difference.empty();
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    const auto attempt = [&](Traffic one) {
      if (!fails(one)) return false;
      traffic = std::move(one);
      return smaller = true;
    };
    for (std::size_t k = traffic.jobs.size(); k-- > 0;) {
      Traffic one = traffic;
      one.jobs.erase(one.jobs.begin() + static_cast<std::ptrdiff_t>(k));
      if (attempt(one)) continue;
      for (std::size_t link = traffic.jobs[k].chain.size(); link-- > 0;) {
        one = traffic;
        auto& chain = one.jobs[k].chain;
        if (chain.size() == 1) break;
        chain.erase(chain.begin() + static_cast<std::ptrdiff_t>(link));
        attempt(one);
      }
    }
    for (Job& job : traffic.jobs)
      for (dma::Descriptor& d : job.chain)
        for (u16& size : d.sizes) {
          const u16 before = size;
          if (before < 2) continue;
          size = before / 2;
          if (d.index_count != 0) d.index_count = d.sizes[0];
          if (fails(traffic)) {
            smaller = true;
            continue;
          }
          size = before;
          if (d.index_count != 0) d.index_count = d.sizes[0];
        }
  }
  std::string told =
      compare(traffic, stop, limit).difference + "\n" + print_machine(traffic.machine);
  for (const Job& job : traffic.jobs) {
    told += "at " + std::to_string(job.at) + " PE " + std::to_string(job.pe) + "\n";
    for (const dma::Descriptor& d : job.chain) told += dma::print(d) + "\n";
  }
  return told;
}

void run_many(u64 first_seed, u32 count, bool acquires) {
  u64 transfers = 0;
  RandomDescriptors choose(machine_of(1, 1), first_seed);
  for (u64 seed = first_seed; seed < first_seed + count; ++seed) {
    const Traffic traffic = random_traffic(seed, acquires);
    // To the end first, where there is one; then a run that ends earlier, in the middle of things.
    const Cycle last = acquires ? 20'000 : 1'000'000;
    const Compared whole = compare(traffic, last, never);
    ASSERT_EQ(whole.difference, "") << "seed " << seed << "\n" << smallest(traffic, last, never);
    transfers += whole.transfers;
    const Cycle stop = 1 + choose.below(static_cast<u32>(std::min<Cycle>(whole.cycles, 2'000)) + 1);
    const Cycle limit = choose.one_in(3)   ? never
                        : choose.one_in(2) ? stop
                                           : stop + choose.below(50);
    const Compared cut = compare(traffic, stop, limit);
    ASSERT_EQ(cut.difference, "") << "seed " << seed << " to " << stop << "\n"
                                  << smallest(traffic, stop, limit);
  }
  EXPECT_GT(transfers, count);
}

TEST(Reservation, IsWhatTheReferenceGrants) { run_many(1, 300, false); }
/// Few transfers, with many ends.
TEST(Reservation, EndsAnywhere) {
  for (u64 seed = 0; seed < 25; ++seed) {
    Traffic traffic = random_traffic(seed, false);
    traffic.machine.dma.in_flight = 1 + seed % 3;
    traffic.jobs.resize(std::min<std::size_t>(traffic.jobs.size(), 3));
    for (Job& job : traffic.jobs) job.at %= 8;
    const Cycle last = std::min<Cycle>(compare(traffic, 100'000, never).cycles, 400);
    for (Cycle stop = seed % 5; stop <= last; stop += 5)
      for (const Cycle limit : {stop, never})
        ASSERT_EQ(compare(traffic, stop, limit).difference, "")
            << "seed " << seed << " to " << stop << "\n"
            << smallest(traffic, stop, limit);
  }
}

/// A release without writes overtakes the index reads.
TEST(Reservation, ReleaseBeforeALimitAmongIndexReads) {
  Traffic traffic{machine_of(2, 1), {}, {}};
  dma::Descriptor d;
  d.operation = dma::Operation::gather;
  d.out_of_bounds = dma::OutOfBounds::skip;
  d.extended = true;
  d.element_bytes = 8;
  d.source = ocm_base;
  d.sizes[0] = d.index_count = 40;
  d.index_base = local_base + 0x850;
  d.index_stride = -4;
  d.destination_strides[0] = 8;
  d.destination = 0x2000;
  d.multicast = true;
  d.release_own = {0, 1};
  d.release_receivers = {8, 1};
  traffic.jobs.push_back({0, 1, {d}});
  for (Cycle stop = 1; stop < 60; ++stop)
    ASSERT_EQ(compare(traffic, stop, stop).difference, "") << stop;
}

/// Few transfers that come again and again, in the same cycles of a period or nearly so: most are
/// placed as one before them was.
TEST(Reservation, OfTransfersThatComeAgain) {
  u64 as_before = 0;
  for (u64 seed = 0; seed < 80; ++seed) {
    const Traffic traffic = repeated_traffic(seed);
    const Compared whole = compare(traffic, 1'000'000, never);
    ASSERT_EQ(whole.difference, "") << "seed " << seed << "\n"
                                    << smallest(traffic, 1'000'000, never);
    as_before += whole.as_before;
    const Cycle stop = whole.cycles * (seed % 7 + 1) / 8 + seed % 11;
    for (const Cycle limit : {stop, never})
      ASSERT_EQ(compare(traffic, stop, limit).difference, "")
          << "seed " << seed << " to " << stop << "\n"
          << smallest(traffic, stop, limit);
  }
  EXPECT_GT(as_before, 1000);
}

TEST(Reservation, WithAcquires) { run_many(1'000'000, 300, true); }

}  // namespace
}  // namespace simfarm::test
