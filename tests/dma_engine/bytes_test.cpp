// Bytes: thousands of random descriptors, of all operations, between all kinds of memory, on arrays
// of several shapes, every PE at once, against a naive loop on the host.
#include <gmock/gmock.h>

#include "tests/dma_engine/naive.h"
#include "tests/dma_engine/random_descriptor.h"
#include "tests/support/run.h"
#include "tests/support/transfers.h"

namespace simfarm::test {
namespace {

struct Shape {
  u32 rows = 1, columns = 1;
};

class RandomBytes : public testing::TestWithParam<Shape> {};

constexpr u32 per_pe = 24;               // transfers
constexpr u32 descriptors = local_base;  // 128 bytes each
constexpr u32 indices = local_base + 0xe00;
constexpr u32 sources = local_base + 0x1000;
constexpr u32 destinations = local_base + 0x2000;
constexpr u32 slice = 0x600;         // of the destinations, for each initiator
constexpr u32 shared_slice = 0x800;  // of OCM or DRAM, for each initiator, read and written

/// PE k writes to slice k of whatever it writes to, so that no two transfers conflict.
Places places_of(PeId pe, bool dram) {
  const u32 base = (dram ? dram_base + 0x10'0000 : ocm_base) + pe * 2 * shared_slice;
  return {sources, 0x1000,       destinations + pe * slice, slice,
          base,    shared_slice, base + shared_slice,       shared_slice,
          indices};
}

std::vector<u8> random_bytes(std::mt19937_64& random, u32 count) {
  std::vector<u8> bytes(count);
  for (u8& byte : bytes) byte = static_cast<u8>(random());
  return bytes;
}

void round(const Machine& machine, u64 seed, bool check_races) {
  std::mt19937_64 random(seed);
  RandomDescriptors make(machine, seed ^ 0x5eed);
  NaiveMemories naive{machine, {}, {}};
  std::vector<std::vector<dma::Descriptor>> todo(machine.pes());
  std::vector<NaiveCount> counts(machine.pes());
  RunInput input;
  input.machine = machine;
  std::vector<Kernel> kernels(machine.pes());

  for (PeId pe = 0; pe < machine.pes(); ++pe) {
    Kernel& kernel = kernels[pe];
    std::vector<u8> list;
    for (u32 k = 0; k < 64; ++k) {
      const u32 index = make.below(12) - 2;
      for (u32 byte = 0; byte < 4; ++byte) list.push_back(static_cast<u8>(index >> (8 * byte)));
    }
    const bool dram = pe % 2 == 1;
    const Places places = places_of(pe, dram);
    const u32 local_bytes = static_cast<u32>(machine.map.local.bytes);
    std::vector<u8> data = random_bytes(random, local_bytes - (sources - local_base));
    for (u32 k = 0; k < per_pe; ++k) todo[pe].push_back(make.next(pe, places));
    put_descriptors(kernel, descriptors, todo[pe]).data(indices, list).data(sources, data);
    kernel.li(t0, descriptors).li(t1, 1);
    for (u32 k = 0; k < per_pe; ++k) kernel.dma(t0).wait(0, t1).addi(t0, t0, 128);
    kernel.exit();

    std::vector<u8>& local = naive.locals.emplace_back(local_bytes);
    for (u32 k = 0; k < per_pe; ++k) {
      const std::vector<u8> bytes = dma::encode(todo[pe][k], machine.map);
      std::copy(bytes.begin(), bytes.end(), local.begin() + 128 * k);
    }
    std::copy(list.begin(), list.end(), local.begin() + (indices - local_base));
    std::copy(data.begin(), data.end(), local.begin() + (sources - local_base));
    const std::vector<u8> shared = random_bytes(random, 2 * shared_slice);
    input.memory.push_back({places.shared_source, shared});
    for (u32 k = 0; k < shared.size(); ++k) naive.shared[places.shared_source + k] = shared[k];
  }
  input.program = program_of(kernels, machine.columns);

  RunOptions options;
  options.check_races = check_races;
  const Finished run = run_input(std::move(input), options);
  ASSERT_EQ(run.outcome.kind, Outcome::Kind::finished)
      << (run.outcome.trap ? run.outcome.trap->detail : "");

  std::vector<u64> written(machine.pes());
  for (u32 k = 0; k < per_pe; ++k)
    for (PeId pe = 0; pe < machine.pes(); ++pe) {
      const NaiveCount count = naive_transfer(todo[pe][k], pe, naive);
      written[pe] += count.written * count.receivers * todo[pe][k].element_bytes;
    }
  for (PeId pe = 0; pe < machine.pes(); ++pe) {
    EXPECT_EQ(run.local(pe, local_base, naive.locals[pe].size()), naive.locals[pe]) << "PE " << pe;
    const u32 shared = places_of(pe, pe % 2 == 1).shared_source;
    std::vector<u8> expected;
    for (u32 k = 0; k < 2 * shared_slice; ++k) expected.push_back(naive.shared[shared + k]);
    EXPECT_EQ(run.shared(shared, 2 * shared_slice), expected) << "shared slice of PE " << pe;
    EXPECT_EQ(run.outcome.dma[pe].descriptors, per_pe);
    EXPECT_EQ(run.outcome.dma[pe].bytes_written, written[pe]);
  }
}

TEST_P(RandomBytes, AsANaiveLoopSays) {
  Machine machine = machine_of(GetParam().rows, GetParam().columns);
  const u32 rounds = std::max(2u, 60 / machine.pes());
  for (u32 k = 0; k < rounds && !HasFailure(); ++k) {
    SCOPED_TRACE(k);
    machine.dma.in_flight = 1 + k % 5;
    machine.dma.queue = 1 + k % 3;
    round(machine, 1000 * machine.pes() + k, k % 2 == 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RandomBytes,
                         testing::Values(Shape{1, 1}, Shape{1, 4}, Shape{4, 1}, Shape{4, 4},
                                         Shape{3, 5}),
                         [](const auto& shape) {
                           return std::to_string(shape.param.rows) + "x" +
                                  std::to_string(shape.param.columns);
                         });

}  // namespace
}  // namespace simfarm::test
