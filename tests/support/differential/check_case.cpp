#include "tests/support/differential/check_case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/hash.h"
#include "profile/lockstep.h"
#include "tests/support/differential/minimise.h"

namespace simfarm::test {

using namespace profile;

bool differs(const Side& a, const Side& b, const RunCase& run_case) {
  return !differences(run_case.input.machine, run(a, run_case), run(b, run_case), 1).empty();
}

std::string kind_of_difference(const Side& a, const Side& b, const RunCase& run_case) {
  const auto found = differences(run_case.input.machine, run(a, run_case), run(b, run_case), 1);
  std::string kind;
  if (found.empty()) return kind;
  // Hexadecimal digits go with their 0x.
  bool number = false;
  for (const char c : found[0].text) {
    number = (c >= '0' && c <= '9') || (number && ((c >= 'a' && c <= 'f') || c == 'x'));
    if (!number) kind += c;
  }
  return kind;
}

std::optional<std::string> check_case(const Side& a, const Side& b, const RunCase& run_case) {
  const std::string kind = kind_of_difference(a, b, run_case);
  if (kind.empty()) return std::nullopt;
  // On the way down the case must not turn into another failure.
  const RunCase small = minimise(run_case, [&](const RunCase& candidate) {
    return kind_of_difference(a, b, candidate) == kind;
  });
  const std::string text = print_case(small);
  const std::span<const u8> bytes{reinterpret_cast<const u8*>(text.data()), text.size()};
  const std::string path =
      fmt::format("{}simfarm-{:016x}.case", ::testing::TempDir(), hash64(bytes));
  std::string told = fmt::format("{}: {} and {} differ", run_case.note, a.name, b.name);
  if (const Result<void> written = write_file(path, bytes); written)
    told += fmt::format("; repeat with\n  simfarm lockstep --case {}\n", path);
  else
    told += fmt::format("; {}\n{}", written.error().message, text);
  return told + print(lockstep(a, b, small), a, b, small);
}

}  // namespace simfarm::test
