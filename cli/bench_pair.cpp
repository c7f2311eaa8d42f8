// simfarm bench pair: two programs in turn.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "bench/pair.h"
#include "cli/bench_options.h"
#include "cli/exit_codes.h"
#include "farm/files.h"

namespace simfarm::cli {
namespace {

struct PairFlags : BenchFlags {
  bench::PairPlan plan;
  std::string engine, machine;
  u32 threads = 1;
};

int run(PairFlags& flags) {
  bench::PairPlan& plan = flags.plan;
  Result<std::vector<const bench::Case*>> selected = select_cases(flags.cases);
  if (!selected) return report(selected.error());
  Result<farm::TemporaryFolder> kernels = farm::TemporaryFolder::create();
  if (!kernels) return report(kernels.error());
  plan.kernels = kernels->path();
  for (const bench::Case* each : *selected) {
    std::fprintf(stderr, "simfarm: compiling %s\n", each->name.data());
    Result<std::vector<u8>> elf = compile_case(*each);
    if (!elf) return report(elf.error());
    const auto written = write_file(bench::kernel_path(plan.kernels, *each), *elf);
    if (!written) return report(written.error());
  }
  // The programs run in another folder.
  for (std::string* program : {&plan.before, &plan.after})
    *program = std::filesystem::absolute(*program).string();
  const char* const path = std::getenv("PATH");
  plan.search_path = path == nullptr ? "/usr/bin:/bin" : path;
  for (const auto& [flag, value] :
       {std::pair{"--engine", flags.engine}, std::pair{"--size", flags.size},
        std::pair{"--threads", fmt::format("{}", flags.threads)}})
    if (!value.empty()) plan.arguments.insert(plan.arguments.end(), {flag, value});
  if (!flags.machine.empty()) {
    std::error_code error;
    const bool file = std::filesystem::is_regular_file(flags.machine, error);
    plan.arguments.insert(
        plan.arguments.end(),
        {"--machine", file ? std::filesystem::absolute(flags.machine).string() : flags.machine});
  }

  std::vector<bench::PairRow> rows;
  for (const bench::Case* each : *selected) {
    Result<bench::PairRow> row = bench::run_pair(
        plan, std::string(each->name),
        [](const std::string& what) { std::fprintf(stderr, "simfarm: %s\n", what.c_str()); });
    if (!row) return report(row.error());
    rows.push_back(std::move(*row));
  }
  if (const int code = print(bench::pair_table(rows)); code != exit_done) return code;
  const bool bad = std::any_of(rows.begin(), rows.end(), [](const bench::PairRow& row) {
    return row.verdict == bench::PairVerdict::different ||
           row.verdict == bench::PairVerdict::too_slow;
  });
  return bad ? exit_gate_failed : exit_done;
}

}  // namespace

void add_bench_pair(CLI::App& bench, int& exit_code) {
  CLI::App* command = bench.add_subcommand(
      "pair", "Two simfarm programs in turn on the same kernels: same answers, which is faster?");
  auto flags = std::make_shared<PairFlags>();
  command->add_option("before", flags->plan.before, "A simfarm program")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("after", flags->plan.after, "Another one")
      ->required()
      ->check(CLI::ExistingFile);
  add_bench_flags(*command, *flags);
  command->add_option("--pairs", flags->plan.pairs, "Pairs of runs a case")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--engine", flags->engine, "Engine of both (each one's default)");
  command->add_option("--threads", flags->threads, "Host threads")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--machine", flags->machine, "Machine file or shipped name");
  command->footer(
      "The speed-up is the median over the pairs; within 2 %, or within the noise band, it is "
      "none. A case that is more than 5 % slower is run again before it fails. Exit codes: 0 no "
      "case failed; 1 other cycles or digests, or too slow; 2 usage; 78 a program that does not "
      "run.");
  command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace simfarm::cli
