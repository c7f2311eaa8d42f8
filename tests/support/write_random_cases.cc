// Writes random cases (tests/support/differential/generator.h) as case files:
// write_random_cases FOLDER FIRST LAST makes FOLDER/random-FIRST.case, ..., random-LAST.case.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "base/file.h"
#include "profile/run_case.h"
#include "tests/support/differential/generator.h"

int main(int argc, char** argv) {
  using namespace simfarm;
  if (argc != 4) {
    std::fprintf(stderr, "usage: write_random_cases FOLDER FIRST LAST\n");
    return 2;
  }
  const u64 last = std::strtoull(argv[3], nullptr, 10);
  for (u64 seed = std::strtoull(argv[2], nullptr, 10); seed <= last; ++seed) {
    const std::string text = profile::print_case(test::random_case(seed));
    const auto written = write_file(fmt::format("{}/random-{}.case", argv[1], seed),
                                    {reinterpret_cast<const u8*>(text.data()), text.size()});
    if (written) continue;
    std::fprintf(stderr, "%s\n", written.error().message.c_str());
    return 1;
  }
  return 0;
}
