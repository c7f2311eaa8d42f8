// What a run must report, as it is kept and compared: every integer of its Outcome, and digests of
// what is in its memories when it is over. Two runs are the same when their goldens are equal.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "engine/outcome.h"
#include "profile/differences.h"

namespace simfarm::regress {

/// A stretch of memory with a meaning of its own: an output tensor.
struct Output {
  std::string name;  ///< one word
  u32 address = 0;
  u64 bytes = 0;
  friend bool operator==(const Output&, const Output&) = default;
};

/// What is run: the run itself, and which of its memory is said by name.
struct GoldenCase {
  std::string name;  ///< "gemm/kernel/small": words of A-Z a-z 0-9 _ . -, joined by '/'
  std::string text;  ///< a case file (docs/differential.md), without console limits of its own
  std::vector<Output> outputs;
  friend bool operator==(const GoldenCase&, const GoldenCase&) = default;
};
/// Of all that decides its result.
Digest digest(const GoldenCase& one);
/// Why it is no name of a case; none: it is one.
std::optional<std::string> name_problem(std::string_view name);

/// What one PE did in one profile region. A PE's total is the sum over its regions.
struct RegionRow {
  PeId pe = 0;
  u8 region = 0;
  Counters counters;
  friend bool operator==(const RegionRow&, const RegionRow&) = default;
};

/// Bytes by their digest.
struct Content {
  std::string name;  ///< "local 3", "OCM", "DRAM", "console", "console text", or an Output's
  u64 bytes = 0;     ///< length; of OCM and DRAM, of the pages that are not as they were at first
  Digest digest;
  bool output = false;  ///< one of the case's outputs
  friend bool operator==(const Content&, const Content&) = default;
};

struct Golden {
  u32 timing = 0;  ///< version of the timing (engine/timing_version.h)
  Outcome::Kind kind{};
  Cycle cycles = 0;
  std::string end;  ///< trap or deadlock in words; empty: finished
  std::vector<RegionRow> counters;
  std::vector<std::optional<u32>> exit_codes;  ///< by PE
  std::vector<std::vector<u64>> dma;           ///< by engine; columns: dma_columns()
  std::vector<Content> contents;
  std::vector<Checkpoints> checkpoints;  ///< by PE

  /// There is one.
  bool known() const { return !exit_codes.empty(); }
  u64 instructions() const;
  friend bool operator==(const Golden&, const Golden&) = default;
};
Digest digest(const Golden& golden);

/// Checkpoints that are kept of each of that many PEs, at most.
u32 checkpoints_for(u64 pes);

/// What is kept of a DMA engine, in order.
std::vector<std::string> dma_columns();

/// Of a run that is over. Memory that nothing changed costs next to nothing.
Golden golden_of(const profile::RunCase& run_case, const std::vector<Output>& outputs,
                 const profile::Ran& ran);

/// The first `limit` differences; none: they are equal. "PE 3: stall load_use: 12, now 13".
std::vector<profile::Difference> differences(const Golden& golden, const Golden& now,
                                             size_t limit = 20);

/// Cycles in which one PE began to do something else, by its checkpoints.
struct Interval {
  PeId pe = 0;
  Cycle first = 0;  ///< it did the same before
  Cycle last = 0;   ///< and not up to here
  friend bool operator==(const Interval&, const Interval&) = default;
};
/// Of the PE that is known first to differ. None: all PEs have the same checkpoints.
std::optional<Interval> first_interval(const Golden& golden, const Golden& now);

/// What changed, for who reviews it.
struct Change {
  bool cycles = false;
  bool outputs = false;  ///< bytes of outputs, exit codes or the console
};
Change change(const Golden& before, const Golden& after);

}  // namespace simfarm::regress
