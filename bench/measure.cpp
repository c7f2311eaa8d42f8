#include "bench/measure.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>

#include "bench/native.h"
#include "bench/prepare.h"
#include "regress/golden.h"

namespace simfarm::bench {
namespace {

double seconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double cpu_now() { return seconds(CLOCK_PROCESS_CPUTIME_ID); }

/// Of what is loaded: equal for equal programs, whatever their debug information.
Digest digest_of(const Image& image) {
  Digester digester;
  for (const Segment& segment : image.segments) {
    digester.add(u64{segment.address});
    digester.add(u64{segment.memory_bytes});
    digester.add(segment.bytes);
  }
  return digester.finish();
}

Answer answer_of(const Outcome& outcome, std::span<const u8> output) {
  Digester digester;
  for (const PeReport& pe : outcome.pes) digester.add(u64{pe.exit_code.value_or(0)});
  digester.add(output);
  return {outcome.cycles, outcome.instructions(), digester.finish()};
}

u64 dma_bytes(const Outcome& outcome) {
  u64 bytes = 0;
  for (const DmaReport& dma : outcome.dma) bytes += dma.bytes_read + dma.bytes_written;
  return bytes;
}

NativeTime time_native(const Plan& plan, u32 rounds, Row& row, const Prepared& ready) {
  NativeWork work(*plan.which, seats(plan.machine, rounds));
  const NativeLoops& loops = *native_levels().front();
  std::vector<double> times;
  for (u32 k = 0; k < plan.repeats; ++k) {
    const double start = cpu_now();
    work.run(loops);
    times.push_back(cpu_now() - start);
  }
  if (work.answers() != ready.exit_codes && row.failure.empty())
    row.failure = "the native loop computed something else";
  return {loops.isa, median(times)};
}

template <class Get>
double median_of(const std::vector<Times>& runs, const Get& get) {
  std::vector<double> values;
  for (const Times& run : runs) values.push_back(get(run));
  return median(std::move(values));
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double Row::seconds() const { return plan.threads == 1 ? median.cpu : median.wall; }

double Row::mips() const {
  return seconds() > 0 ? static_cast<double>(answer.instructions) / seconds() * 1e-6 : 0;
}

double Row::mcps() const {
  return seconds() > 0 ? static_cast<double>(answer.cycles) / seconds() * 1e-6 : 0;
}

std::optional<double> Row::of_native() const {
  if (!native || seconds() <= 0) return std::nullopt;
  return native->cpu / seconds();
}

Result<Row> measure(const Plan& plan, std::shared_ptr<const Image> image) {
  Row row;
  row.plan = plan;
  row.rounds = rounds_for(*plan.which, plan.size, plan.machine.pes());
  row.macs = plan.which->macs * row.rounds * plan.machine.pes();
  row.program = digest_of(*image);
  Result<Prepared> ready = prepare(*plan.which, plan.machine, row.rounds, std::move(image));
  if (!ready) return ready.error();

  RunOptions options;
  options.cycle_limit = Cycle{1} << 60;
  options.console = false;
  options.check_races = plan.check_races;
  if (plan.checkpoints) options.checkpoints = regress::checkpoints_for(plan.machine.pes());
  options.host.threads = plan.threads;
  for (u32 k = 0; k < plan.repeats; ++k) {
    Times times;
    const double begin = cpu_now();
    Result<std::unique_ptr<Simulation>> simulation =
        make_simulation(plan.engine, ready->input, options);
    if (!simulation) return simulation.error();
    const double start = cpu_now(), wall = seconds(CLOCK_MONOTONIC);
    const Outcome outcome = (*simulation)->run();
    times.cpu = cpu_now() - start;
    times.wall = seconds(CLOCK_MONOTONIC) - wall;
    times.setup = start - begin;
    row.runs.push_back(times);

    std::vector<u8> output(ready->output.size());
    if (!output.empty()) (*simulation)->read(ready->output_address, output);
    const Answer answer = answer_of(outcome, output);
    if (row.failure.empty()) row.failure = wrong_answer(*ready, outcome, output);
    if (row.failure.empty() && (*simulation)->host().engine != plan.engine)
      row.failure = (*simulation)->host().trouble;
    if (k > 0 && !(answer == row.answer) && row.failure.empty())
      row.failure = fmt::format("run {} took {} cycles, the one before {}", k + 1, answer.cycles,
                                row.answer.cycles);
    row.answer = answer;
    row.dma_bytes = dma_bytes(outcome);
  }
  row.median = {median_of(row.runs, [](const Times& run) { return run.setup; }),
                median_of(row.runs, [](const Times& run) { return run.cpu; }),
                median_of(row.runs, [](const Times& run) { return run.wall; })};
  if (plan.native && plan.which->native != Native::none)
    row.native = time_native(plan, row.rounds, row, *ready);
  return row;
}

}  // namespace simfarm::bench
