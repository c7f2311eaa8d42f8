// The evaluation key: everything that a verdict and its score depend on, and nothing else. Equal
// keys have equal results, so the second is answered from the store; one byte different anywhere,
// and it is judged.
#pragma once
#include <string>

#include "base/result.h"
#include "farm/evaluate.h"
#include "farm/submission.h"
#include "farm/toolchain.h"

namespace simfarm::farm {

/// Changes when the same run is given another verdict or another score.
inline constexpr u32 scoring_version = 2;

/// The host's part, the same for all that a coordinator judges.
struct JudgingHost {
  std::string toolchain;     ///< toolchain_digest (farm/sandbox.h)
  std::string simulator;     ///< version, and digest of the program that simulates
  std::string sandbox = {};  ///< version of the policy that builds run under; empty: none
  u32 scoring = scoring_version;
  u32 timing = timing_version;
  std::string secret = {};  ///< id of the farm's; empty: none
};

/// Digests, all parts of a key. The author, the note and the parent are none of them: who edits a
/// note buys nothing.
struct KeyParts {
  std::string sources;  ///< of the submission's files
  std::string options;  ///< what is compiled, in which order, how
  std::string task;     ///< of the task's package
  std::string cases;    ///< of the cases that are judged, in order
  std::string machine;  ///< of the machine file
  JudgingHost host;
  bool held_out = false;  ///< the task has held-out cases, so that the host's secret counts
};

/// SHA-256 over all parts.
std::string evaluation_key(const KeyParts& parts);

std::string options_digest(const Submission& submission);
/// Over the cases' names, tensors and arguments, as they will be judged.
std::string cases_digest(const std::vector<Case>& cases);
std::string machine_digest(const Machine& machine);

}  // namespace simfarm::farm
