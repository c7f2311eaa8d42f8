// Random programs: compiled regions against the reference engine's instructions, lane by lane.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/fast/jit/backend.h"
#include "tests/jit/random_code.h"

namespace simfarm::test {
namespace {

using fast::jit::Config;
using fast::jit::Leaf;
using fast::jit::Plan;
using fast::jit::Region;

struct Shape {
  u32 stride, first, lanes;
};

fast::jit::Backend& backend() {
  static const fast::jit::Loaded loaded = fast::jit::load_backend();
  check(loaded.backend != nullptr, loaded.reason.c_str());
  return *loaded.backend;
}

struct Seen {
  u32 exit = 0, stopped = 0, budget = 0;
  u64 instructions = 0;
  std::set<Op> rows;
  std::set<fast::Ending> endings;  ///< of nodes that generated code has passed
};

class Case {
 public:
  Case(u64 seed, RandomCode code, const Shape& shape, bodies::HostIsa isa)
      : random_(seed ^ 0x5eed),
        code_(std::move(code)),
        images_(decoded_images(code_.program())),
        graph_(images_, false),
        start_(shape.stride, shape.first, shape.lanes) {
    code_.fill(start_, uniform_);
    config_ = {.width = shape.lanes,
               .stride = shape.stride,
               .local_base = Tile::base,
               .local_bytes = Tile::bytes,
               .code_base = Tile::base,
               .code_bytes = random_.one_in(3) ? 5000u : 0u,
               .isa = isa,
               .least_heat = 1};
    start_.code_bytes = config_.code_bytes;
    start_.clock = random_.below(1000);
    start_.stop = random_.one_in(4) ? start_.clock + random_.below(400) : 3000;
  }

  /// Compiles once and runs `times`, with other registers and memory each time.
  void run(Seen& seen, u32 times) {
    fast::Node& entry = graph_.find(code_.entry());
    warm_up(entry);
    const Plan plan = fast::jit::make_plan(entry, uniform_, config_, [&](const fast::Exit& exit) {
      return heat_[exit.counter] + (random_.one_in(8) ? 1 : 0);
    });
    if (plan.nodes.empty()) return;
    const std::unique_ptr<Region> region = backend().compile(plan, config_);
    ASSERT_NE(region, nullptr) << backend().error();
    const fast::jit::Rows uniform = uniform_;
    for (u32 time = 0; time < times; ++time) {
      if (time > 0) code_.fill(start_, uniform_);
      start_.unite(uniform);
      Tile tile = start_;
      fast::Frame frame = tile.frame();
      const Leaf leaf = region->leaves()[region->run(frame)];
      tile.take(frame);
      compare(seen, entry, plan, tile, leaf);
      if (testing::Test::HasFailure()) return;
      seen.instructions += tile.retired;
      (leaf.why == Leaf::Why::exit      ? seen.exit
       : leaf.why == Leaf::Why::stopped ? seen.stopped
                                        : seen.budget)++;
    }
  }

 private:
  void warm_up(fast::Node& entry) {
    Tile tile = start_;
    Lockstep lockstep(graph_, entry, tile);
    for (u64 steps = random_.below(100); steps > 0 && lockstep.step() != nullptr; --steps) {
    }
    heat_ = tile.counts;
  }

  void compare(Seen& seen, fast::Node& entry, const Plan& plan, const Tile& tile,
               const Leaf& leaf) {
    Tile expected = start_;
    Lockstep lockstep(graph_, entry, expected);
    while (expected.retired < tile.retired) {
      for (const Operation& operation : lockstep.node().body) seen.rows.insert(operation.op);
      seen.endings.insert(lockstep.node().ending);
      ASSERT_NE(lockstep.step(), nullptr) << "generated code went on where it must not";
    }
    if (leaf.why == Leaf::Why::exit) {
      ASSERT_EQ(lockstep.last_exit(), leaf.exit);
      for (const auto& planned : plan.nodes) {
        for (u32 k = 0; k < planned.next.size(); ++k) {
          if (&planned.node->exits[k] != leaf.exit) continue;
          EXPECT_EQ(planned.next[k], fast::jit::none);
        }
      }
    } else {
      ASSERT_EQ(&lockstep.node(), leaf.node);
    }
    if (leaf.why == Leaf::Why::budget) {
      EXPECT_GT(expected.clock + leaf.node->max_cycles, expected.stop);
    }
    if (leaf.why == Leaf::Why::stopped) {
      ASSERT_TRUE(lockstep.run(0, leaf.instruction));
    }
    same(tile, expected);
    if (leaf.why == Leaf::Why::stopped) justify(lockstep, plan, leaf, expected);
  }

  /// Something in the rest of the node is not for generated code.
  void justify(Lockstep& lockstep, const Plan& plan, const Leaf& leaf, const Tile& tile) {
    ASSERT_LT(leaf.instruction, leaf.node->body.size());
    for (const auto& planned : plan.nodes) {
      if (planned.node != leaf.node || !planned.accesses[leaf.instruction].expected) continue;
      // A register that was expected to be loaded with the same in all lanes.
      if (!lockstep.run(leaf.instruction, leaf.instruction + 1)) return;
      const u32* loaded = &tile.x[leaf.node->body[leaf.instruction].rd * tile.stride];
      EXPECT_FALSE(
          std::all_of(loaded, loaded + tile.stride, [&](u32 lane) { return lane == loaded[0]; }));
      return;
    }
    if (!lockstep.run(leaf.instruction, static_cast<u32>(leaf.node->body.size()))) return;
    const fast::Exit* exit = lockstep.exit();
    if (exit == nullptr) return;
    // An exit that was not there when the region was planned.
    for (const auto& planned : plan.nodes)
      for (u32 k = 0; k < planned.next.size(); ++k) EXPECT_NE(&planned.node->exits[k], exit);
  }

  void same(const Tile& tile, const Tile& expected) {
    for (u32 row = 1; row < fast::register_rows; ++row)
      for (u32 lane = 0; lane < tile.stride; ++lane)
        ASSERT_EQ(tile.x[row * tile.stride + lane], expected.x[row * tile.stride + lane])
            << "row " << row << " lane " << lane;
    ASSERT_EQ(tile.memory, expected.memory);
    ASSERT_EQ(tile.counts, expected.counts);
    ASSERT_EQ(tile.clock, expected.clock);
    ASSERT_EQ(tile.retired, expected.retired);
  }

  Random random_;
  RandomCode code_;
  std::vector<DecodedImage> images_;
  fast::Graph graph_;
  Tile start_;
  fast::jit::Rows uniform_ = 0;
  Config config_;
  std::vector<u64> heat_;
};

void run_cases(const Shape& shape, bodies::HostIsa isa, u64 first, u64 count) {
  if (!bodies::runs_here(isa)) GTEST_SKIP() << "the host lacks these instructions";
  Seen seen;
  for (u64 seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Case(seed, RandomCode(seed), shape, isa).run(seen, 3);
    if (testing::Test::HasFailure()) return;
  }
  // The programs reach all that there is to reach.
  EXPECT_GT(seen.exit, 0u);
  EXPECT_GT(seen.stopped, 0u);
  EXPECT_GT(seen.budget, 0u);
  EXPECT_GT(seen.instructions, count * 10);
  for (const auto ending : {fast::Ending::next, fast::Ending::branch, fast::Ending::indirect,
                            fast::Ending::loop, fast::Ending::set_loop, fast::Ending::division})
    EXPECT_TRUE(seen.endings.contains(ending)) << static_cast<u32>(ending);
}

/// Every row, whatever the others do.
void run_rows(const Shape& shape, bodies::HostIsa isa) {
  if (!bodies::runs_here(isa)) GTEST_SKIP() << "the host lacks these instructions";
  constexpr u64 together = 12;
  Seen seen;
  const std::vector<Op> ops = RandomCode::all_rows();
  for (u64 first = 0; first < ops.size(); first += together) {
    SCOPED_TRACE("from " + std::string(row(ops[first]).name));
    const u64 count = std::min(together, ops.size() - first);
    for (u64 seed = 1; seed <= 2; ++seed) {
      Case(seed, RandomCode(seed, std::span(ops).subspan(first, count)), shape, isa).run(seen, 20);
      if (testing::Test::HasFailure()) return;
    }
  }
  for (const Op op : ops) {
    // Those that stood behind something that was not done together.
    for (u64 seed = 1; seed <= 20 && !seen.rows.contains(op); ++seed)
      Case(seed, RandomCode(seed, std::span(&op, 1)), shape, isa).run(seen, 5);
    EXPECT_TRUE(seen.rows.contains(op)) << row(op).name;
  }
}

TEST(GeneratedRows, OnePe) { run_rows({1, 0, 1}, bodies::HostIsa::baseline); }
TEST(GeneratedRows, OnePeOfATile) { run_rows({16, 3, 1}, bodies::best_host_isa()); }
TEST(GeneratedRows, GangBaseline) { run_rows({16, 0, 16}, bodies::HostIsa::baseline); }
TEST(GeneratedRows, GangAvx2) { run_rows({16, 0, 16}, bodies::HostIsa::avx2); }
TEST(GeneratedRows, GangAvx512) { run_rows({16, 0, 16}, bodies::HostIsa::avx512); }

TEST(GeneratedCode, OnePe) { run_cases({1, 0, 1}, bodies::HostIsa::baseline, 1000, 60); }
TEST(GeneratedCode, OnePeBest) { run_cases({1, 0, 1}, bodies::best_host_isa(), 2000, 60); }
TEST(GeneratedCode, OnePeOfATile) { run_cases({16, 5, 1}, bodies::best_host_isa(), 3000, 60); }
TEST(GeneratedCode, GangBaseline) { run_cases({16, 0, 16}, bodies::HostIsa::baseline, 4000, 60); }
TEST(GeneratedCode, GangAvx2) { run_cases({16, 0, 16}, bodies::HostIsa::avx2, 5000, 60); }
TEST(GeneratedCode, GangAvx512) { run_cases({16, 0, 16}, bodies::HostIsa::avx512, 6000, 60); }

}  // namespace
}  // namespace simfarm::test
