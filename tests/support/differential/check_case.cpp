#include "tests/support/differential/check_case.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstring>

#include "base/file.h"
#include "base/hash.h"
#include "profile/lockstep.h"
#include "tests/support/differential/in_child.h"
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

namespace {

/// Writes the case to a file and says how to run it again.
std::string keep(const RunCase& small) {
  const std::string text = print_case(small);
  const std::span<const u8> bytes{reinterpret_cast<const u8*>(text.data()), text.size()};
  const std::string path =
      fmt::format("{}simfarm-{:016x}.case", ::testing::TempDir(), hash64(bytes));
  if (const Result<void> written = write_file(path, bytes); !written)
    return fmt::format("; {}\n{}", written.error().message, text);
  return fmt::format("; repeat with\n  simfarm lockstep --case {}\n", path);
}

/// The signal that ends a process which runs the case on both sides; 0: none.
int signal_of(const Check& check, const RunCase& run_case, u32 seconds) {
  const auto run_both = [&](const auto&) { return kind_of_difference(check.a, check.b, run_case); };
  return in_child(run_both, seconds).signal;
}

std::string check_crash(const Check& check, int signal, u32 seconds) {
  std::string told = fmt::format("{}: {} or {} ended with signal {} ({})", check.run_case.note,
                                 check.a.name, check.b.name, signal, ::strsignal(signal));
  if (signal_of(check, check.run_case, seconds) != signal)
    return told + ", but not when it was run again";
  // Each try of a case that hangs takes the whole time.
  const bool hangs = signal == SIGALRM;
  const auto fails = [&](const RunCase& one) {
    return signal_of(check, one, hangs ? std::min(seconds, 2u) : seconds) == signal;
  };
  return told + keep(minimise(check.run_case, fails, hangs ? 8 : 500));
}

}  // namespace

std::optional<std::string> check_case(const Side& a, const Side& b, const RunCase& run_case) {
  const std::string kind = kind_of_difference(a, b, run_case);
  if (kind.empty()) return std::nullopt;
  // On the way down the case must not turn into another failure.
  const RunCase small = minimise(run_case, [&](const RunCase& candidate) {
    return kind_of_difference(a, b, candidate) == kind;
  });
  return fmt::format("{}: {} and {} differ", run_case.note, a.name, b.name) + keep(small) +
         print(lockstep(a, b, small), a, b, small);
}

std::optional<std::string> check_seeds(u64 first, u64 end,
                                       const std::function<std::vector<Check>(u64)>& checks_of,
                                       u32 seconds) {
  constexpr u64 most_checks = 1000;  // of a seed
  const auto work = [&](const std::function<void(u64)>& mark) -> std::string {
    for (u64 seed = first; seed < end; ++seed) {
      const std::vector<Check> checks = checks_of(seed);
      for (u64 k = 0; k < checks.size(); ++k) {
        mark(seed * most_checks + k);
        if (auto failure = check_case(checks[k].a, checks[k].b, checks[k].run_case))
          return fmt::format("seed {}: {}", seed, *failure);
      }
    }
    return "";
  };
  const Child child = in_child(work, seconds);
  if (child.signal == 0) return child.text.empty() ? std::nullopt : std::optional(child.text);
  const u64 seed = child.mark / most_checks;
  const Check check = checks_of(seed)[child.mark % most_checks];
  return fmt::format("seed {}: {}", seed, check_crash(check, child.signal, seconds));
}

}  // namespace simfarm::test
