// simfarm trace: what happened, cycle by cycle, in a window of a run.
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/run_options.h"
#include "profile/report.h"
#include "profile/trace.h"

namespace simfarm::cli {
namespace {

struct TraceFlags : RunFlags {
  std::vector<PeId> pes;
  std::string cycles;
  bool json = false;
  bool no_stalls = false, no_dma = false, no_links = false, no_instructions = false;
};

// "X:Y" (both inside), "X:", ":Y" or "X".
Result<std::pair<Cycle, Cycle>> parse_window(const std::string& text) {
  if (text.empty()) return std::pair<Cycle, Cycle>{0, never};
  const size_t colon = text.find(':');
  const std::string first = text.substr(0, colon);
  const std::string last = colon == std::string::npos ? first : text.substr(colon + 1);
  const auto number = [](const std::string& digits, Cycle missing) -> std::optional<Cycle> {
    if (digits.empty()) return missing;
    if (digits.size() > 18 || digits.find_first_not_of("0123456789") != std::string::npos)
      return {};
    return std::stoull(digits);
  };
  const auto low = number(first, 0), high = number(last, never);
  if (!low || !high || *low > *high)
    return usage_error(
        fmt::format("--cycles {}: write FIRST:LAST in cycles, both inside, such as 100:250", text));
  return std::pair{*low, *high};
}

int trace(const TraceFlags& flags) {
  const Result<std::pair<Cycle, Cycle>> cycles = parse_window(flags.cycles);
  if (!cycles) return report(cycles.error());
  Result<RunInput> input = load_run(flags);
  if (!input) return report(input.error());
  for (const PeId pe : flags.pes)
    if (pe >= input->machine.pes())
      return report(usage_error(
          fmt::format("--pe {}: the machine has PEs 0 to {}", pe, input->machine.pes() - 1)));
  if (const auto tensors = load_tensors(flags, *input); !tensors) return report(tensors.error());
  bool failed = false;
  profile::TraceWindow window;
  window.pes.insert(flags.pes.begin(), flags.pes.end());
  window.first = cycles->first;
  window.last = cycles->second;
  window.instructions = !flags.no_instructions;
  window.stalls = !flags.no_stalls;
  window.transfers = !flags.no_dma;
  window.links = !flags.no_links;
  profile::Tracer tracer(
      input->machine, input->program, window, flags.json, [&failed](const std::string& line) {
        failed = failed || std::fwrite(line.data(), 1, line.size(), stdout) != line.size() ||
                 std::fputc('\n', stdout) == EOF;
      });
  RunFlags limited = flags;
  // Nothing after the window is wanted, so the run need not get there.
  if (window.last < limited.cycle_limit) limited.cycle_limit = window.last + 1;
  auto simulation = make_simulation(EngineKind::reference, *input, run_options(limited, &tracer));
  if (!simulation) return report(simulation.error());
  const Outcome outcome = (*simulation)->run();
  if (failed || std::fflush(stdout) != 0)
    return report(io_error("cannot write to standard output"));
  if (outcome.kind != Outcome::Kind::cycle_limit)
    std::fputs(profile::summary(input->machine, input->program, outcome).c_str(), stderr);
  return exit_done;
}

}  // namespace

void add_trace(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "trace", "Print instructions, stalls, DMA beats and link words of a window of a run");
  auto flags = std::make_shared<TraceFlags>();
  add_run_flags(*command, *flags);
  command->add_option("--pe", flags->pes, "PEs to show, by id: A,B,... (default all)")
      ->delimiter(',');
  command->add_option("--cycles", flags->cycles, "Cycles to show: FIRST:LAST, both inside");
  command->add_flag("--no-instructions", flags->no_instructions, "Leave instructions out");
  command->add_flag("--no-stalls", flags->no_stalls, "Leave stalls out");
  command->add_flag("--no-dma", flags->no_dma, "Leave transfers and beats out");
  command->add_flag("--no-links", flags->no_links, "Leave link words out");
  command->add_flag("--json", flags->json, "One JSON object a line");
  command->callback([flags, &exit_code] { exit_code = trace(*flags); });
}

}  // namespace simfarm::cli
