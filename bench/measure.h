// One case, run and timed: the numbers are the host's, the answer is checked against the host's
// own.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "bench/case.h"
#include "engine/simulation.h"

namespace simfarm::bench {

/// What is asked for.
struct Plan {
  const Case* which = nullptr;
  Machine machine;
  EngineKind engine = default_engine;
  u32 threads = 1;
  Size size = Size::tiny;
  u32 repeats = 3;
  bool check_races = false;
  bool checkpoints = false;  ///< as many as the gate keeps
  bool native = true;        ///< time the native loop as well, where there is one
};

/// Host time of a run.
struct Times {
  double setup = 0;  ///< CPU seconds of make_simulation
  double cpu = 0;    ///< CPU seconds of the process during the run, all threads
  double wall = 0;   ///< elapsed seconds of the run
};

/// What must be the same in every run of a case, on every engine and host.
struct Answer {
  Cycle cycles = 0;
  u64 instructions = 0;
  Digest digest;  ///< of the PEs' exit codes and the output tensor
  friend bool operator==(const Answer&, const Answer&) = default;
};

struct NativeTime {
  std::string_view isa;
  double cpu = 0;  ///< median, seconds
};

struct Row {
  Plan plan;
  u32 rounds = 0;
  Answer answer;
  Digest program;  ///< of the kernel as compiled: another compiler makes other cycles
  u64 macs = 0;
  u64 dma_bytes = 0;  ///< read and written by all engines
  std::vector<Times> runs;
  Times median;  ///< of each time by itself
  std::optional<NativeTime> native;
  bool recorded = false;  ///< the answer was compared with bench/expected.json
  std::string failure;    ///< a wrong answer, or another one than before; empty: all well

  /// What speeds are counted by: CPU seconds, which a busy host does not change; of several
  /// threads, elapsed ones.
  double seconds() const;
  double mips() const;  ///< M simulated instructions per second
  double mcps() const;  ///< M simulated cycles per second
  /// Fraction of the native loop's speed.
  std::optional<double> of_native() const;
};

/// Runs `image` as planned. Error: the run could not be set up.
Result<Row> measure(const Plan& plan, std::shared_ptr<const Image> image);

/// The middle one; of an even number the mean of two.
double median(std::vector<double> values);

}  // namespace simfarm::bench
