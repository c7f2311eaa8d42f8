// Another simfarm program, asked by its `regress measure`.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "regress/check.h"
#include "regress/pack.h"

namespace simfarm::regress {

/// PATH, HOME and TMPDIR, as far as they are set: "PATH=...", for programs that are started.
std::vector<std::string> plain_environment();

struct Measured {
  std::vector<Entry> entries;  ///< in order of name
  double cpu_seconds = 0;      ///< of the runs
};

/// Runs `program regress measure` with these arguments too; its files lie in `folder`. Error: what
/// it said when it failed.
Result<Measured> measure_with(const std::string& program, const std::vector<std::string>& arguments,
                              const std::string& folder);

/// Another program's way to measure jobs of the goldens in that folder, one start a way to run
/// them. Error: what it said when it failed, or it has left a case out.
MeasureJobs jobs_by(const std::string& program, const std::string& goldens,
                    const std::string& folder);

}  // namespace simfarm::regress
