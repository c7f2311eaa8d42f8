#include "regress/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <numeric>

#include "base/parallel.h"

namespace simfarm::regress {
namespace {

/// PE-cycles that the reference engine does in about a tenth of a second.
constexpr u64 small = 1'000'000;
constexpr u64 code_one_in = 8;
/// PEs from which on two host threads have work.
constexpr u64 two_tiles = 32;

double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

std::vector<size_t> longest_first(const std::vector<Job>& jobs) {
  std::vector<size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return cost(jobs[a]) > cost(jobs[b]); });
  return order;
}

/// A case that is read when it is run for the first time.
class Lazy {
 public:
  explicit Lazy(const GoldenCase& one) : one_(one) {}
  const Result<profile::RunCase>& get() {
    std::call_once(once_, [&] { read_.emplace(profile::parse_case(one_.text, one_.name)); });
    return *read_;
  }

 private:
  const GoldenCase& one_;
  std::once_flag once_;
  std::optional<Result<profile::RunCase>> read_;
};

Result<Golden> run_read(const Result<profile::RunCase>& read, const GoldenCase& one,
                        const Variant& variant, std::optional<Cycle> limit, Spent& spent) {
  if (!read) return read.error();
  RunOptions options = read->options;
  options.host = variant.host;
  options.checkpoints = checkpoints_for(read->input.machine.pes());
  if (limit) options.cycle_limit = std::min(options.cycle_limit, *limit);
  const double begin = now();
  profile::Ran ran = profile::run(profile::side_of(variant.engine), read->input, options);
  const double end = now();
  spent.simulation += end - begin;
  if (ran.refused) return *ran.refused;
  Golden golden = golden_of(*read, one.outputs, ran);
  const double told = now();
  ran.simulation.reset();
  spent.simulation += now() - told;
  return golden;
}

Checked checked_of(const Job& job) {
  Checked checked;
  checked.group = job.group->name;
  checked.name = job.entry->one.name;
  checked.variant = job.variant.name;
  checked.golden_cycles = job.entry->golden.cycles;
  return checked;
}

/// `found` against the job's golden.
void judge(Checked& checked, const Golden& golden, const Golden& found) {
  checked.cycles = found.cycles;
  if (found == golden) return;
  checked.verdict = Checked::Verdict::differs;
  checked.differences = differences(golden, found);
}

/// A run that differed, and what the same run gave again.
void judge_again(Checked& checked, const Golden& found, const Result<Golden>& again) {
  if (again && *again == found) return;
  checked.verdict = Checked::Verdict::nondeterministic;
  if (again) checked.differences = differences(found, *again);
}

Checked check_job(const Job& job, Lazy& read) {
  const double start = now();
  Checked checked = checked_of(job);
  const GoldenCase& one = job.entry->one;
  const Result<Golden> found = run_read(read.get(), one, job.variant, {}, checked.spent);
  if (!found) {
    checked.verdict = Checked::Verdict::refused;
    checked.why = found.error().message;
    checked.spent.all = now() - start;
    return checked;
  }
  judge(checked, job.entry->golden, *found);
  if (checked.verdict == Checked::Verdict::differs)
    judge_again(checked, *found, run_read(read.get(), one, job.variant, {}, checked.spent));
  checked.spent.all = now() - start;
  return checked;
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
          if (isa) variant.name += fmt::format(", {}", bodies::name(*isa));
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
  Spent spent;
  return run_read(profile::parse_case(one.text, one.name), one, variant, limit, spent);
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
  std::map<const Entry*, Lazy> read;
  for (const Job& job : jobs) read.try_emplace(job.entry, job.entry->one);
  std::vector<Checked> results(jobs.size());
  std::atomic<size_t> finished = 0;
  parallel_for(jobs.size(), threads, [&](size_t k) {
    const Job& job = jobs[order[k]];
    results[order[k]] = check_job(job, read.at(job.entry));
    const size_t so_far = ++finished;
    if (done) done(so_far);
  });
  return results;
}

Result<std::vector<Checked>> check_by(const std::vector<Job>& jobs, const MeasureJobs& measure) {
  std::vector<const Job*> all;
  for (const Job& job : jobs) all.push_back(&job);
  const Result<std::vector<Golden>> found = measure(all);
  if (!found) return found.error();
  std::vector<Checked> results;
  std::vector<const Job*> different;
  std::vector<size_t> places;
  for (size_t k = 0; k < jobs.size(); ++k) {
    judge(results.emplace_back(checked_of(jobs[k])), jobs[k].entry->golden, (*found)[k]);
    if (results[k].verdict == Checked::Verdict::equal) continue;
    different.push_back(&jobs[k]);
    places.push_back(k);
  }
  if (different.empty()) return results;
  const Result<std::vector<Golden>> again = measure(different);
  if (!again) return again.error();
  for (size_t k = 0; k < places.size(); ++k)
    judge_again(results[places[k]], (*found)[places[k]], (*again)[k]);
  return results;
}

}  // namespace simfarm::regress
