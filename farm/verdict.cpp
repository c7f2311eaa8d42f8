#include "farm/verdict.h"

#include <algorithm>
#include <array>

namespace simfarm::farm {
namespace {

// In order of precedence, the weakest first: of two findings the later row is told.
constexpr std::array<VerdictRow, static_cast<size_t>(Verdict::count)> rows = {{
    {"ACCEPTED", true, "every output byte of every case is right"},
    {"HELD", true, "a rule wants a person to look at it"},
    {"WRONG_OUTPUT", true, "an output, an input or a guard band does not hold what it must"},
    {"NONDETERMINISTIC", true, "the result depends on memory or registers that nobody initialised"},
    {"OUTPUT_LIMIT", true, "wrote more to the console than the task allows"},
    {"CYCLE_LIMIT", true, "did not end within the task's cycles"},
    {"DEADLOCK", true, "every PE and DMA engine waits for another"},
    {"RUNTIME_TRAP", true, "trapped, raced, or ended with an exit code other than 0"},
    {"MEMORY_LIMIT", true, "its data in local memory are larger than the task allows"},
    {"COMPILE_ERROR", true, "does not compile or link"},
    {"COMPILE_LIMIT", true, "the compiler ran out of its time, memory or file size"},
    {"REJECTED", true, "breaks a rule of intake, or its program a rule of loading"},
    {"CANCELLED", false, "taken back, or not begun"},
    {"HOST_LIMIT", false, "the host's safety net ended the work; to be repeated"},
    {"SYSTEM_ERROR", false, "the farm's host or toolchain failed; to be repeated"},
    {"JUDGE_ERROR", false, "the task or the simulator is wrong"},
}};

}  // namespace

const VerdictRow& row(Verdict verdict) { return rows[static_cast<size_t>(verdict)]; }

std::optional<Verdict> parse_verdict(std::string_view text) {
  for (size_t k = 0; k < rows.size(); ++k)
    if (rows[k].name == text) return static_cast<Verdict>(k);
  return std::nullopt;
}

u32 repeats(Verdict verdict) {
  constexpr u32 of_faults = 3;
  switch (verdict) {
    case Verdict::host_limit:
      return 1;
    case Verdict::system_error:
    case Verdict::judge_error:
      return of_faults;
    default:
      return 0;
  }
}

Verdict graver(Verdict a, Verdict b) { return std::max(a, b); }

}  // namespace simfarm::farm
