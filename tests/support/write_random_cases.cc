// Writes random cases (tests/support/differential/generator.h) as case files:
// write_random_cases KIND FOLDER FIRST LAST makes FOLDER/KIND-FIRST.case, ..., KIND-LAST.case.
// KIND: random, lockstep, near-race.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "base/file.h"
#include "profile/run_case.h"
#include "tests/support/differential/generator.h"

int main(int argc, char** argv) {
  using namespace simfarm;
  const std::map<std::string, profile::RunCase (*)(u64)> kinds{{"random", test::random_case},
                                                               {"lockstep", test::lockstep_case},
                                                               {"near-race", test::near_race_case}};
  const auto kind = argc == 5 ? kinds.find(argv[1]) : kinds.end();
  if (kind == kinds.end()) {
    std::fprintf(stderr, "usage: write_random_cases random|lockstep|near-race FOLDER FIRST LAST\n");
    return 2;
  }
  const u64 last = std::strtoull(argv[4], nullptr, 10);
  for (u64 seed = std::strtoull(argv[3], nullptr, 10); seed <= last; ++seed) {
    const std::string text = profile::print_case(kind->second(seed));
    const auto written = write_text(fmt::format("{}/{}-{}.case", argv[2], argv[1], seed), text);
    if (written) continue;
    std::fprintf(stderr, "%s\n", written.error().message.c_str());
    return 1;
  }
  return 0;
}
