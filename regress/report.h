// What a check found, in the forms that people and their tools read.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "regress/check.h"

namespace simfarm::regress {

using Json = nlohmann::ordered_json;

/// What a check ends with.
enum class Ending : u8 { equal, differs, goldens, nondeterministic };

struct Report {
  std::vector<Problem> problems;
  std::vector<Checked> checked;
  double seconds = 0;  ///< of the host's clock, reading the goldens included
};
Ending ending_of(const Report& report);

/// " (+0.42 %)"; empty when nothing was before.
std::string percent(Cycle before, Cycle after);

/// For people: what failed, worst first, at most `most`, then one line of sums.
std::string print(const Report& report, size_t most = 20);
/// Document simfarm.regress/1 (docs/json.md).
Json document(const Report& report);
/// One line of simfarm.regress.case/1.
Json event(const Checked& checked);
/// JUnit XML: a test suite a group, a test case a case and variant.
std::string junit(const Report& report);
/// "::error ..." lines of GitHub's workflow commands, worst first, ten at most.
std::string annotations(const Report& report);

}  // namespace simfarm::regress
