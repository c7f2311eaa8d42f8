// The generator reaches everything: every row, every outcome, every kind of trap, every bin.
#include <gtest/gtest.h>

#include <cstdlib>

#include "isa/row.h"
#include "tests/support/differential/coverage.h"
#include "tests/support/differential/generator.h"

namespace simfarm::test {
namespace {

/// Rows that no program executes: they only ever trap.
bool never_issues(Op op) { return op == Op::EBREAK || op == Op::C_EBREAK; }

constexpr u64 cases = 1500;

TEST(Coverage, EveryRowOutcomeTrapAndBinOccurs) {
  Coverage coverage;
  for (u64 seed = 0; seed < cases; ++seed) coverage.add(random_case(seed));
  EXPECT_EQ(coverage.refused, 0u);
  for (const Row& row : rows())
    if (!never_issues(row.op)) {
      EXPECT_GT(coverage.rows[static_cast<u32>(row.op)], 0u) << row.name;
    }
  for (u32 k = 0; k <= static_cast<u32>(Outcome::Kind::cycle_limit); ++k) {
    const auto kind = static_cast<Outcome::Kind>(k);
    EXPECT_GE(coverage.outcomes[kind], cases / 100) << name(kind);
  }
  EXPECT_GE(coverage.outcomes[Outcome::Kind::finished], cases / 2);
  for (u32 k = 0; k <= static_cast<u32>(TrapKind::output_limit); ++k) {
    const auto kind = static_cast<TrapKind>(k);
    EXPECT_GT(coverage.traps[kind], 0u) << name(kind);
  }
  for (u32 k = 0; k < stall_count; ++k)
    EXPECT_GT(coverage.stalls[k], 0u) << name(static_cast<Stall>(k));
  for (u32 k = 0; k < dma_bin_count; ++k)
    EXPECT_GT(coverage.engine_cycles[k], 0u) << name(static_cast<DmaBin>(k));
  for (u32 k = 0; k < issue_class_count; ++k)
    EXPECT_GT(coverage.issued[k], 0u) << name(static_cast<IssueClass>(k));
  if (testing::Test::HasFailure() || std::getenv("SIMFARM_COVERAGE") != nullptr)
    std::puts(coverage.print().c_str());
}

}  // namespace
}  // namespace simfarm::test
