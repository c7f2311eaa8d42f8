// The gate: every case in several ways, each equal to its golden in everything.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/simulation.h"
#include "regress/goldens.h"

namespace simfarm::regress {

/// A way to run a case. No result may depend on it.
struct Variant {
  std::string name;  ///< "fast, 2 threads"
  EngineKind engine = EngineKind::fast;
  HostOptions host;
};

/// Which ways are tried.
struct Dimensions {
  std::vector<EngineKind> engines = {EngineKind::fast};
  std::vector<u32> threads = {1};
  std::vector<bodies::HostIsa> isas;  ///< empty: the host's best
  bool early_code = false;            ///< code is generated from the first instruction on, too
};

/// The product of all, without what is the same.
std::vector<Variant> product(const Dimensions& dimensions);

/// What a case is tried with when nobody says otherwise: the fast engine; two threads, where the
/// array has work for them; the reference engine, where it is small; and, one case in eight by its
/// digest, code that is generated from the first instruction on.
std::vector<Variant> usual_variants(const Entry& entry);

/// Seconds on the host's clock; never compared.
struct Spent {
  double all = 0;
  double simulation = 0;  ///< of these, in engines; the rest reads the case and digests memories
  Spent& operator+=(const Spent& other) {
    all += other.all;
    simulation += other.simulation;
    return *this;
  }
};

struct Checked {
  enum class Verdict : u8 {
    equal,
    differs,
    nondeterministic,  ///< the same way twice, and not the same
    refused,           ///< it cannot be run any more
  } verdict{};
  std::string group;
  std::string name;
  std::string variant;
  std::vector<profile::Difference> differences;
  Cycle golden_cycles = 0, cycles = 0;
  std::string why;  ///< refused
  Spent spent;
};
std::string_view name(Checked::Verdict verdict);

/// Runs it once, as what is kept; up to cycle `limit` at most. Error: the text is no case, or
/// cannot be run.
Result<Golden> run_case(const GoldenCase& one, const Variant& variant,
                        std::optional<Cycle> limit = {});

/// A case and one way to run it.
struct Job {
  const Group* group = nullptr;
  const Entry* entry = nullptr;
  Variant variant;
};

/// About how long it takes, against others.
u64 cost(const Job& job);

/// Part `index` (1 to `count`) of parts that take about as long, in the order of the jobs.
std::vector<Job> shard_of(const std::vector<Job>& jobs, u32 index, u32 count);

/// All jobs on `threads` host threads (0: the host's), the longest first; results in the order of
/// the jobs. `done(so far)` is called now and then, on any thread. A run that differs is made once
/// more in the same way. A case is read once for all ways to run it.
std::vector<Checked> check_all(const std::vector<Job>& jobs, u32 threads,
                               const std::function<void(size_t)>& done = {});

/// What a program gives for each of these jobs, in their order.
using MeasureJobs = std::function<Result<std::vector<Golden>>(const std::vector<const Job*>& jobs)>;

/// The same of another program: all jobs are measured together, those that differ once more.
/// Error: of the measuring.
Result<std::vector<Checked>> check_by(const std::vector<Job>& jobs, const MeasureJobs& measure);

}  // namespace simfarm::regress
