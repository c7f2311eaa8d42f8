// What holds for every program: one result however often it runs, bins that sum, cycle limits that
// cut a run off without changing it, observers that are told exactly what is counted.
#include <map>

#include "tests/engine/random_programs.h"
#include "tests/support/run.h"

namespace simfarm::test {
namespace {

struct Shape {
  u32 rows = 1, columns = 1;
};
constexpr Shape shapes[] = {{1, 1}, {1, 4}, {4, 4}, {3, 5}, {2, 2}};

/// Adds up what it is told.
class Sums final : public Observer {
 public:
  explicit Sums(u32 pes) : pes_(pes), next_(pes) {}
  void issued(Cycle cycle, PeId pe, u32, const Operation& op, std::span<const u32, 32>) override {
    ++pes_[pe].issued[static_cast<u32>(row(op.op).issue)];
    EXPECT_GE(cycle, last_) << "issues come in order of cycle";
    last_ = cycle;
    EXPECT_GE(cycle, next_[pe]);
  }
  void stalled(Cycle cycle, PeId pe, u32, Stall bin, u64 cycles, u32) override {
    pes_[pe].stalls[static_cast<u32>(bin)] += cycles;
    EXPECT_GE(cycle, next_[pe]) << "no cycle is charged twice";
    next_[pe] = cycle + cycles;
  }
  const Counters& of(PeId pe) const { return pes_[pe]; }

 private:
  std::vector<Counters> pes_;
  std::vector<Cycle> next_;
  Cycle last_ = 0;
};

void expect_same(const Outcome& a, const Outcome& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.cycles, b.cycles);
  ASSERT_EQ(a.pes.size(), b.pes.size());
  for (u64 k = 0; k < a.pes.size(); ++k) {
    EXPECT_EQ(a.pes[k].total, b.pes[k].total);
    EXPECT_EQ(a.pes[k].regions, b.pes[k].regions);
    EXPECT_EQ(a.pes[k].exit_code, b.pes[k].exit_code);
    EXPECT_EQ(a.dma[k].cycles, b.dma[k].cycles);
    EXPECT_EQ(a.dma[k].bytes_read, b.dma[k].bytes_read);
    EXPECT_EQ(a.dma[k].bytes_written, b.dma[k].bytes_written);
    EXPECT_EQ(a.dma[k].ocm_bytes, b.dma[k].ocm_bytes);
    EXPECT_EQ(a.dma[k].dram_bytes, b.dma[k].dram_bytes);
  }
  ASSERT_EQ(a.trap.has_value(), b.trap.has_value());
  if (a.trap) {
    EXPECT_EQ(a.trap->detail, b.trap->detail);
  }
  ASSERT_EQ(a.deadlock.has_value(), b.deadlock.has_value());
  if (a.deadlock) {
    EXPECT_EQ(a.deadlock->blame, b.deadlock->blame);
  }
}

void expect_sums(const Outcome& outcome) {
  for (u64 k = 0; k < outcome.pes.size(); ++k) {
    EXPECT_EQ(outcome.pes[k].total.cycles(), outcome.cycles);
    Counters regions;
    for (const auto& [region, counters] : outcome.pes[k].regions) regions += counters;
    EXPECT_EQ(regions, outcome.pes[k].total);
    u64 engine = 0;
    for (const u64 cycles : outcome.dma[k].cycles) engine += cycles;
    EXPECT_EQ(engine, outcome.cycles);
  }
}

class Programs : public testing::TestWithParam<u32> {};  // the parameter: one in so many spoilt

TEST_P(Programs, HaveOneResultAndSumsThatAddUp) {
  std::map<Outcome::Kind, u32> kinds;
  for (u64 seed = 0; seed < 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Shape shape = shapes[seed % std::size(shapes)];
    const Machine machine = machine_of(shape.rows, shape.columns);
    const std::vector<Kernel> kernels =
        RandomPrograms(machine, seed).make(20 * machine.pes(), GetParam());
    RunOptions options;
    options.check_races = seed % 2 == 1;
    const Finished first = run_kernels(machine, kernels, options);
    ++kinds[first.outcome.kind];
    expect_sums(first.outcome);
    if (GetParam() == 0) {
      EXPECT_EQ(first.outcome.kind, Outcome::Kind::finished)
          << (first.outcome.trap ? first.outcome.trap->detail : "");
    }

    Sums sums(machine.pes());
    options.observer = &sums;
    const Finished second = run_kernels(machine, kernels, options);
    expect_same(first.outcome, second.outcome);
    for (PeId pe = 0; pe < machine.pes(); ++pe) {
      EXPECT_EQ(sums.of(pe), first.outcome.pes[pe].total);
      EXPECT_EQ(first.local(pe, local_base, 0x8000), second.local(pe, local_base, 0x8000));
    }
  }
  if (GetParam() != 0) {
    EXPECT_GT(kinds[Outcome::Kind::finished], 0u);
    EXPECT_GT(kinds[Outcome::Kind::deadlock], 0u);
    EXPECT_GT(kinds[Outcome::Kind::trap], 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Spoilt, Programs, testing::Values(0, 100));

/// A limit of L + 1 charges exactly one cycle more than one of L, on every PE and engine; a wait is
/// charged to sem_wait_none until it is known what ends it.
TEST(CycleLimits, CutARunOffWithoutChangingIt) {
  const auto simple = [](Counters counters) {
    u64& none = counters.stalls[static_cast<u32>(Stall::sem_wait_none)];
    for (Stall bin : {Stall::sem_wait_dma, Stall::sem_wait_post, Stall::sem_wait_push})
      none += std::exchange(counters.stalls[static_cast<u32>(bin)], 0);
    return counters;
  };
  const auto bins_that_grew = [](const auto& before, const auto& after) {
    u64 bins = 0;
    for (u64 k = 0; k < before.size(); ++k) {
      EXPECT_TRUE(after[k] == before[k] || after[k] == before[k] + 1);
      bins += after[k] != before[k];
    }
    return bins;
  };
  const Machine machine = machine_of(2, 2);
  for (u64 seed = 0; seed < 3; ++seed) {
    const std::vector<Kernel> kernels = RandomPrograms(machine, seed).make(40, 0);
    const Outcome whole = run_kernels(machine, kernels).outcome;
    Outcome before;
    for (Cycle limit = 0; limit <= whole.cycles && !testing::Test::HasFailure(); ++limit) {
      SCOPED_TRACE(limit);
      RunOptions options;
      options.cycle_limit = limit;
      Outcome after = run_kernels(machine, kernels, options).outcome;
      EXPECT_EQ(after.cycles, limit);
      for (PeId pe = 0; limit > 0 && pe < machine.pes(); ++pe) {
        const Counters a = simple(before.pes[pe].total), b = simple(after.pes[pe].total);
        EXPECT_EQ(bins_that_grew(a.issued, b.issued) + bins_that_grew(a.stalls, b.stalls), 1u);
        EXPECT_EQ(bins_that_grew(before.dma[pe].cycles, after.dma[pe].cycles), 1u);
      }
      before = std::move(after);
    }
    expect_same(before, whole);
  }
}

}  // namespace
}  // namespace simfarm::test
