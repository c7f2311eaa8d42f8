// Random machines and random traffic for their DMA engines.
#pragma once
#include <algorithm>
#include <vector>

#include "tests/dma_engine/random_descriptor.h"
#include "tests/support/run.h"
#include "tests/support/transfers.h"

namespace simfarm::test {

struct Job {
  Cycle at = 0;
  PeId pe = 0;
  std::vector<dma::Descriptor> chain;
};
struct Post {
  Cycle at = 0;
  PeId pe = 0;
};
/// What a run of engines without PEs begins with.
struct Traffic {
  Machine machine;
  std::vector<Job> jobs;    ///< by (at, pe); one at most of a PE in a cycle
  std::vector<Post> posts;  ///< to semaphore 8
};

inline Machine random_machine(RandomDescriptors& choose) {
  Machine machine = machine_of(1 + choose.below(3), 1 + choose.below(4));
  machine.dma.in_flight = choose.one_in(12) ? 64 : 1 + choose.below(8);
  machine.dma.setup = 1 + choose.below(5);
  machine.ocm.banks = 1u << choose.below(4);
  machine.ocm.bytes_per_beat = 1u << choose.below(7);
  machine.ocm.latency = choose.below(14);
  machine.dram.bytes_per_beat = 1u << choose.below(7);
  machine.dram.latency = choose.below(40);
  machine.bus.hop_latency = choose.below(4);
  return machine;
}

/// A copy of some rows, as kernels load and store tiles; longer than what RandomDescriptors makes.
inline dma::Descriptor random_tile(const Machine& machine, PeId pe, RandomDescriptors& choose) {
  dma::Descriptor d;
  d.dims = 2;
  d.element_bytes = static_cast<u8>(1u << choose.below(4));
  const u32 e = d.element_bytes;
  const u32 rows = 1 + choose.below(12), columns = 1 + choose.below(300 / e);
  d.sizes = {static_cast<u16>(rows), static_cast<u16>(columns)};
  const auto pitch = [&] { return columns + (choose.one_in(2) ? 0 : choose.below(40)); };
  d.source_strides = {static_cast<i32>(e * pitch()), static_cast<i32>(e)};
  d.destination_strides = {static_cast<i32>(e * pitch()), static_cast<i32>(e)};
  const u32 near = choose.one_in(2) ? 0 : e * choose.below(64 / e);
  const u32 shared = (choose.one_in(2) ? ocm_base : dram_base) + near;
  const u32 local = local_base + 0x1000 + e * choose.below(64 / e);
  const u32 other = local_base + 0x3000 + (choose.one_in(2) ? 0 : e * choose.below(64 / e));
  switch (choose.below(5)) {
    case 0:
      d.source = shared, d.destination = local;
      break;
    case 1:
      d.source = local, d.destination = shared;
      break;
    case 2:
      d.source = local, d.destination = other;
      break;
    case 3:
      d.source = shared, d.destination = ocm_base + 0x2000;
      break;
    default: {
      d.source = choose.one_in(2) ? shared : local;
      d.destination = other - local_base;
      d.multicast = true;
      const u32 row = machine.row_of(pe);
      const bool all = choose.one_in(2);
      d.rectangle = {0, static_cast<u8>(all ? 0 : row), static_cast<u8>(machine.columns - 1),
                     static_cast<u8>(all ? machine.rows - 1 : row)};
      d.include_self = choose.one_in(2);
      if (choose.one_in(2)) d.release_receivers = {8, 1};
    }
  }
  if (choose.one_in(6)) {
    d.operation = e == 1   ? dma::Operation::add_i8
                  : e == 4 ? dma::Operation::add_i32
                           : dma::Operation::copy;
  }
  if (d.operation == dma::Operation::copy && choose.one_in(4)) {
    d.extended = true;
    for (u32 k = 0; k < 2; ++k) {
      d.pad_before[k] = static_cast<u16>(choose.below(3));
      d.pad_after[k] = static_cast<u16>(choose.below(3));
    }
  }
  d.release_own = {static_cast<u8>(choose.below(2)), 1};
  return d;
}

/// Rows of few elements between padding, of which the source makes one run: a read feeds writes of
/// several rows.
inline dma::Descriptor random_padded(const Machine& machine, PeId pe, RandomDescriptors& choose) {
  dma::Descriptor d = random_tile(machine, pe, choose);
  const u32 e = d.element_bytes;
  d.operation = dma::Operation::copy;
  d.extended = true;
  d.dims = static_cast<u8>(2 + choose.below(2));
  d.sizes = {};
  i32 dense = static_cast<i32>(e), destination = static_cast<i32>(e);
  for (u32 k = d.dims; k-- > 0;) {
    d.sizes[k] = static_cast<u16>(1 + choose.below(k == 0 ? 12 : 4));
    d.pad_before[k] = static_cast<u16>(choose.below(3));
    d.pad_after[k] = static_cast<u16>(choose.below(k + 1u == d.dims ? 130 / e : 3));
    d.source_strides[k] = choose.one_in(6) ? 0 : dense;
    d.destination_strides[k] = destination;
    dense *= d.sizes[k];
    destination *= static_cast<i32>(d.destination_size(k));
    if (choose.one_in(4)) destination += static_cast<i32>(e * choose.below(9));
  }
  // Short enough for the place that the tile was given.
  if (destination > 0x1000) return random_padded(machine, pe, choose);
  return d;
}

/// A few jobs, in every period once more; in some periods, one more or one less.
inline Traffic repeated_traffic(u64 seed) {
  RandomDescriptors choose(machine_of(1, 1), seed * 2 + 1);
  Traffic traffic{random_machine(choose), {}, {}};
  const Machine& machine = traffic.machine;
  RandomDescriptors make(machine, seed);
  std::vector<Job> jobs;
  const u32 count = 1 + make.below(4);
  for (u32 k = 0; k < count; ++k) {
    Job job{k + make.below(40), make.below(machine.pes()), {}};
    do
      job.chain.push_back(make.one_in(3) ? random_padded(machine, job.pe, make)
                                         : random_tile(machine, job.pe, make));
    while (make.one_in(4));
    jobs.push_back(std::move(job));
  }
  const Cycle period = 300 + make.below(3000);
  for (u32 round = 0; round < 24; ++round) {
    const bool disturbed = make.one_in(6);
    for (std::size_t k = 0; k < jobs.size(); ++k) {
      if (disturbed && make.one_in(2)) continue;
      traffic.jobs.push_back(jobs[k]);
      traffic.jobs.back().at += round * period + (disturbed ? make.below(20) : 0);
    }
  }
  std::stable_sort(traffic.jobs.begin(), traffic.jobs.end(), [](const Job& a, const Job& b) {
    return std::pair(a.at, a.pe) < std::pair(b.at, b.pe);
  });
  const auto same = [](const Job& a, const Job& b) { return a.at == b.at && a.pe == b.pe; };
  traffic.jobs.erase(std::unique(traffic.jobs.begin(), traffic.jobs.end(), same),
                     traffic.jobs.end());
  return traffic;
}

/// `acquires`: some descriptors wait for releases, of which there may not be enough.
inline Traffic random_traffic(u64 seed, bool acquires) {
  RandomDescriptors choose(machine_of(1, 1), seed * 2 + 1);
  Traffic traffic{random_machine(choose), {}, {}};
  const Machine& machine = traffic.machine;
  RandomDescriptors make(machine, seed);
  const u32 count = 1 + make.below(4 * machine.pes());
  const u32 spread = make.one_in(3) ? 8 : 400;
  for (u32 k = 0; k < count; ++k) {
    Job job{make.below(spread), make.below(machine.pes()), {}};
    const Places places{local_base + 0x1000,
                        0x1000,
                        local_base + 0x2000,
                        0x1000,
                        make.one_in(2) ? ocm_base : dram_base,
                        0x1000,
                        make.one_in(3) ? dram_base + 0x1000 : ocm_base + 0x1000,
                        0x1000,
                        local_base + 0x800};
    do {
      dma::Descriptor d = make.one_in(4)   ? random_tile(machine, job.pe, make)
                          : make.one_in(4) ? random_padded(machine, job.pe, make)
                                           : make.next(job.pe, places);
      if (acquires && make.one_in(4))
        d.acquire = {static_cast<u8>(make.one_in(2) ? 8 : make.below(2)), 1};
      job.chain.push_back(d);
    } while (make.one_in(3));
    traffic.jobs.push_back(std::move(job));
  }
  std::stable_sort(traffic.jobs.begin(), traffic.jobs.end(), [](const Job& a, const Job& b) {
    return std::pair(a.at, a.pe) < std::pair(b.at, b.pe);
  });
  const auto same = [](const Job& a, const Job& b) { return a.at == b.at && a.pe == b.pe; };
  traffic.jobs.erase(std::unique(traffic.jobs.begin(), traffic.jobs.end(), same),
                     traffic.jobs.end());
  for (u32 k = acquires ? make.below(2 * count) : 0; k > 0; --k)
    traffic.posts.push_back({make.below(1500), make.below(machine.pes())});
  return traffic;
}

}  // namespace simfarm::test
