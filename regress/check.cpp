#include "regress/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/parallel.h"

namespace simfarm::regress {
namespace {

/// PE-cycles that the reference engine does in about a tenth of a second.
constexpr u64 small = 1'000'000;
constexpr u64 code_one_in = 8;
/// PEs from which on two host threads have work.
constexpr u64 two_tiles = 32;

std::vector<size_t> longest_first(const std::vector<Job>& jobs) {
  std::vector<size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return cost(jobs[a]) > cost(jobs[b]); });
  return order;
}

Checked check_job(const Job& job) {
  const Golden& golden = job.entry->golden;
  Checked checked;
  checked.group = job.group->name;
  checked.name = job.entry->one.name;
  checked.variant = job.variant.name;
  checked.golden_cycles = golden.cycles;
  const Result<Golden> now = run_case(job.entry->one, job.variant);
  if (!now) {
    checked.verdict = Checked::Verdict::refused;
    checked.why = now.error().message;
    return checked;
  }
  checked.cycles = now->cycles;
  if (*now == golden) return checked;
  checked.verdict = Checked::Verdict::differs;
  checked.differences = differences(golden, *now);
  const Result<Golden> again = run_case(job.entry->one, job.variant);
  if (again && *again == *now) return checked;
  checked.verdict = Checked::Verdict::nondeterministic;
  if (again) checked.differences = differences(*now, *again);
  return checked;
}

std::string_view isa_name(bodies::HostIsa isa) {
  constexpr std::array<std::string_view, bodies::host_isa_count> names{"baseline", "avx2",
                                                                       "avx512"};
  return names[static_cast<u32>(isa)];
}

}  // namespace

u64 cost(const Job& job) {
  constexpr u64 start = 100'000;
  const Golden& golden = job.entry->golden;
  const u64 work = golden.cycles * golden.exit_codes.size();
  return start + (job.variant.engine == EngineKind::reference ? 30 * work : work);
}

std::string_view name(Checked::Verdict verdict) {
  constexpr std::array<std::string_view, 4> names{"equal", "differs", "nondeterministic",
                                                  "refused"};
  return names[static_cast<u32>(verdict)];
}

std::vector<Variant> product(const Dimensions& dimensions) {
  std::vector<Variant> variants;
  for (const EngineKind engine : dimensions.engines) {
    if (engine == EngineKind::reference) {  // it has one way
      variants.push_back({std::string(simfarm::name(engine)), engine, {}});
      continue;
    }
    std::vector<std::optional<bodies::HostIsa>> isas(dimensions.isas.begin(),
                                                     dimensions.isas.end());
    if (isas.empty()) isas.push_back(std::nullopt);
    for (const u32 threads : dimensions.threads)
      for (const std::optional<bodies::HostIsa>& isa : isas)
        for (const bool early : {false, true}) {
          if (early && !dimensions.early_code) continue;
          Variant variant{std::string(simfarm::name(engine)), engine, {}};
          variant.host.threads = threads;
          variant.host.isa = isa;
          if (threads != 1) variant.name += fmt::format(", {} threads", threads);
          if (isa) variant.name += fmt::format(", {}", isa_name(*isa));
          if (early) {
            variant.host.warm_up = 0;
            variant.name += ", code at once";
          }
          variants.push_back(std::move(variant));
        }
  }
  return variants;
}

std::vector<Variant> usual_variants(const Entry& entry) {
  const Golden& golden = entry.golden;
  const u64 pes = golden.exit_codes.size();
  Dimensions fast;
  if (pes >= two_tiles) fast.threads = {1, 2};
  if (pes * golden.cycles <= small) fast.engines.push_back(EngineKind::reference);
  std::vector<Variant> variants = product(fast);
  // Code takes longer to generate than most cases run.
  if (digest(entry.one).low % code_one_in == 0) {
    Dimensions early;
    early.early_code = true;
    variants.push_back(product(early).back());
  }
  return variants;
}

Result<Golden> run_case(const GoldenCase& one, const Variant& variant, std::optional<Cycle> limit) {
  Result<profile::RunCase> run_case = profile::parse_case(one.text, one.name);
  if (!run_case) return run_case.error();
  run_case->options.host = variant.host;
  if (limit) run_case->options.cycle_limit = std::min(run_case->options.cycle_limit, *limit);
  const profile::Ran ran = profile::run(profile::side_of(variant.engine), *run_case);
  if (ran.refused) return *ran.refused;
  return golden_of(*run_case, one.outputs, ran);
}

std::vector<Job> shard_of(const std::vector<Job>& jobs, u32 index, u32 count) {
  std::vector<u64> loads(count);
  std::vector<size_t> own;
  for (const size_t k : longest_first(jobs)) {  // to who has least
    const auto least = std::min_element(loads.begin(), loads.end());
    *least += cost(jobs[k]);
    if (least - loads.begin() + 1 == index) own.push_back(k);
  }
  std::sort(own.begin(), own.end());
  std::vector<Job> shard;
  for (const size_t k : own) shard.push_back(jobs[k]);
  return shard;
}

std::vector<Checked> check_all(const std::vector<Job>& jobs, u32 threads,
                               const std::function<void(size_t)>& done) {
  const std::vector<size_t> order = longest_first(jobs);
  std::vector<Checked> results(jobs.size());
  std::atomic<size_t> finished = 0;
  parallel_for(jobs.size(), threads, [&](size_t k) {
    results[order[k]] = check_job(jobs[order[k]]);
    const size_t so_far = ++finished;
    if (done) done(so_far);
  });
  return results;
}

}  // namespace simfarm::regress
