// What a submission can be told: one table, with the precedence when two findings meet.
#pragma once
#include <optional>
#include <string_view>

#include "base/types.h"

namespace simfarm::farm {

enum class Verdict : u8 {
  accepted,
  held,
  wrong_output,
  nondeterministic,
  output_limit,
  cycle_limit,
  deadlock,
  runtime_trap,
  memory_limit,
  compile_error,
  compile_limit,
  rejected,
  cancelled,
  host_limit,
  system_error,
  judge_error,
  count
};

struct VerdictRow {
  std::string_view name;  ///< "WRONG_OUTPUT"
  bool authors;  ///< the submission's doing; otherwise the farm's, never charged to anybody
  std::string_view meaning;  ///< one sentence for people
};

const VerdictRow& row(Verdict verdict);
inline std::string_view name(Verdict verdict) { return row(verdict).name; }
std::optional<Verdict> parse_verdict(std::string_view text);

/// How often a farm's own fault is followed by another try: HOST_LIMIT, which may be the program's
/// nature, once; what is broken 3 times; nothing else ever.
u32 repeats(Verdict verdict);

/// Of two findings about one submission, the one that is told: the farm's own faults before
/// everything, then the earlier step of the way through it (docs/tasks.md, "Verdicts").
Verdict graver(Verdict a, Verdict b);

}  // namespace simfarm::farm
