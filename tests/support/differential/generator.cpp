#include "tests/support/differential/generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/op.h"
#include "tests/support/differential/plan.h"
#include "tests/support/differential/random_machine.h"

namespace simfarm::test {
namespace {

struct Shape {
  u32 rows, columns;
};
constexpr Shape small_shapes[] = {{1, 1}, {1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 4}, {3, 2}};
constexpr Shape gang_shapes[] = {{4, 4}, {4, 4}, {2, 8}, {1, 16}, {16, 1},
                                 {3, 5}, {4, 8}, {5, 7}, {8, 8}};

/// PE-instructions of a case, about: keeps cases with many PEs as cheap as the others.
constexpr u64 work_of_all = 12'000;

enum class Kind { spmd, bands, individual, noise, overflow };

Kind choose_kind(Random& random) {
  if (random.one_in(300)) return Kind::overflow;
  switch (random.below(16)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return Kind::individual;
    case 4:
    case 5:
      return Kind::bands;
    case 6:
      return Kind::noise;
    default:
      return Kind::spmd;
  }
}

Shape choose_shape(Random& random, Kind kind) {
  const bool small = kind == Kind::noise || kind == Kind::overflow || random.one_in(3);
  return small ? small_shapes[random.below(std::size(small_shapes))]
               : gang_shapes[random.below(std::size(gang_shapes))];
}

Plan choose_plan(Random& random, Kind kind) {
  Plan plan;
  const Shape shape = choose_shape(random, kind);
  plan.machine = random_machine(random, shape.rows, shape.columns);
  Style& style = plan.style;
  style.compressed = static_cast<u32>(random.below(4));
  style.palette = static_cast<u32>(random.one_in(2) ? 0 : random.between(4, 40));
  style.divergence = static_cast<u32>(random.below(3));
  style.skewed = random.one_in(4);
  style.work = static_cast<u32>(
      std::min<u64>(std::max<u64>(work_of_all / plan.machine.pes(), 200), 50 + random.below(2500)));
  if (random.one_in(4)) style.console = 6;
  if (random.one_in(5)) plan.spoil = static_cast<u32>(random.between(4, 40));
  if (random.one_in(5)) plan.traps = static_cast<u32>(random.between(3, 20));
  plan.tidy = random.one_in(3);
  plan.endless = random.one_in(25);
  if (kind == Kind::noise) style.wild = static_cast<u32>(random.between(1, 60));
  if (random.one_in(30)) style.wild = 400;
  return plan;
}

std::vector<u8> random_bytes(Random& random, u64 count) {
  std::vector<u8> bytes(count);
  for (u8& byte : bytes) byte = static_cast<u8>(random.next());
  return bytes;
}

void choose_options(Random& random, Kind kind, const Plan& plan, RunOptions& options) {
  options.cycle_limit = kind == Kind::overflow     ? 400'000
                        : plan.machine.pes() <= 16 ? 30'000
                                                   : 6'000;
  if (plan.endless || random.one_in(14)) options.cycle_limit = random.below(2000);
  options.checkpoints = 4;
  options.check_races = random.one_in(plan.tidy ? 2 : 8);
  options.console = !random.one_in(12);
  if (random.one_in(6)) options.console_limit = random.below(12);
}

}  // namespace

profile::RunCase lockstep_case(u64 seed) {
  Random random(seed);
  Plan plan;
  plan.machine = random_machine(random, 4, random.one_in(4) ? 8 : 4);
  plan.machine.map = AddressMap{};
  plan.machine.map.ocm.bytes = plan.machine.map.dram.bytes = 64u << 10;
  plan.style.compressed = static_cast<u32>(random.below(4));
  plan.style.divergence = random.one_in(3) ? 1 : 0;
  plan.style.work = 1500;
  profile::RunCase run_case;
  run_case.note = fmt::format("lockstep_case({})", seed);
  run_case.input.machine = plan.machine;
  run_case.input.program = make_spmd(plan, random);
  run_case.options.cycle_limit = 20'000;
  run_case.options.checkpoints = 8;
  return run_case;
}

profile::RunCase random_case(u64 seed) {
  Random random(seed);
  const Kind kind = choose_kind(random);
  Plan plan = choose_plan(random, kind);
  profile::RunCase run_case;
  run_case.note = fmt::format("random_case({})", seed);
  RunInput& input = run_case.input;
  input.machine = plan.machine;
  switch (kind) {
    case Kind::spmd:
    case Kind::noise:
      input.program = make_spmd(plan, random);
      break;
    case Kind::bands:
      input.program = make_bands(plan, random);
      break;
    case Kind::individual:
      input.program = make_individual(plan, random);
      break;
    case Kind::overflow:
      input.program = make_overflow(plan, random);
      break;
  }
  for (const Region& region : {plan.machine.map.ocm, plan.machine.map.dram})
    input.memory.push_back({region.base, random_bytes(random, 1 + random.below(2000))});
  if (random.one_in(3)) input.arguments = random_bytes(random, 1 + random.below(200));
  if (random.one_in(3)) input.poison = random.next();
  choose_options(random, kind, plan, run_case.options);
  return run_case;
}

}  // namespace simfarm::test
