// Whether a submission that would lead a board deserves it: the last and dearest step of judging
// (docs/farm.md, "Promotion").
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "farm/evaluate.h"

namespace simfarm::farm {

/// One of the two that are held against each other.
struct Contender {
  std::string id;         ///< for people
  Evaluation evaluation;  ///< as it was judged, with the program
};

struct Contest {
  std::shared_ptr<const LoadedTask> task;
  Contender candidate;
  Result<Submission> submission = usage_error("not read");  ///< the candidate's, to be built again
  std::optional<Contender> leader;                          ///< none: nobody leads yet
  bool same_toolchain = true;  ///< the candidate was built with this one, so again it is the same
  bool same_simulator = true;  ///< and simulated by this one, so again it takes the same cycles
};

/// What became of it.
struct Decision {
  /// False: the farm's own fault, which `detail` tells and `verdict` names; to be repeated.
  bool decided = false;
  bool promoted = false;
  Verdict verdict = Verdict::accepted;  ///< on the candidate, as far as this step knows better
  Verdict leaders_verdict = Verdict::accepted;  ///< likewise on the leader
  std::string detail;                           ///< why, for everybody
  std::string description;                      ///< of engines that disagree, for who mends them
};

/// Builds the candidate once more, has both engines simulate it on the public and the held-out
/// cases, and lets it and the leader run on fresh cases of the same seeds.
Decision decide(const Contest& contest, const Workplace& workplace);

/// Where two judgements of one program differ: verdict, then each case's cycles, instructions,
/// bytes, stalls and instructions by class. The first difference, for people; empty: none.
std::string judgement_difference(const Judgement& a, std::string_view where_a, const Judgement& b,
                                 std::string_view where_b);

}  // namespace simfarm::farm
