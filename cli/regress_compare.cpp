// simfarm regress measure, compare: two simfarm programs, no goldens needed.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/parallel.h"
#include "bench/pair.h"
#include "cli/exit_codes.h"
#include "cli/regress.h"
#include "cli/validators.h"
#include "farm/files.h"
#include "regress/check.h"
#include "regress/program.h"
#include "regress/report.h"
#include "regress/sources.h"

namespace simfarm::cli {
namespace {

struct MeasureFlags : GoldenFlags {
  std::vector<std::string> files;
  std::optional<Cycle> limit;
  std::string engine = "fast", isa, out;
  u32 threads = 1, jobs = 1;
  bool early_code = false;
  bool json = false;
};

struct CompareFlags : GoldenFlags {
  std::string before, after;
  u32 pairs = 5;
  bool json = false;
};

double cpu_now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int measure(const MeasureFlags& flags) {
  std::vector<regress::Entry> entries;
  for (const std::string& file : flags.files) {
    Result<regress::GoldenCase> one = regress::case_of_file(file);
    if (!one) return report(one.error());
    entries.push_back({std::move(*one), {}});
  }
  if (flags.files.empty()) {
    const Result<regress::Goldens> goldens = regress::open_goldens(flags.folder);
    if (!goldens) return report(goldens.error());
    if (const auto name = unmatched(flags, *goldens)) return no_case(*name);
    for (const regress::Group& group : goldens->groups)
      for (const regress::Entry& entry : group.entries)
        if (chosen(flags, entry.one.name)) entries.push_back({entry.one, {}});
  }
  if (entries.empty()) {
    std::fprintf(stderr, "simfarm: nothing is selected\n");
    return exit_nothing;
  }
  regress::Dimensions way;
  way.engines = {*find_engine(flags.engine)};
  way.threads = {flags.threads};
  if (!flags.isa.empty()) {
    way.isas = {*bodies::find_host_isa(flags.isa)};
    if (!bodies::runs_here(way.isas.front()))
      return report(usage_error("this host does not have " + flags.isa));
  }
  way.early_code = flags.early_code;
  const regress::Variant variant = regress::product(way).back();
  std::vector<std::optional<Error>> errors(entries.size());
  const double begin = cpu_now();
  parallel_for(entries.size(), flags.jobs, [&](size_t k) {
    Result<regress::Golden> now = regress::run_case(entries[k].one, variant, flags.limit);
    if (now)
      entries[k].golden = std::move(*now);
    else
      errors[k] = Error{now.error().kind, entries[k].one.name + ": " + now.error().message};
  });
  const double seconds = cpu_now() - begin;
  for (const std::optional<Error>& error : errors)
    if (error) return report(*error);
  std::string text;
  for (const regress::Entry& entry : entries)
    text += fmt::format("{} {} {}\n", entry.one.name, to_string(digest(entry.golden)),
                        entry.golden.cycles);
  if (!flags.out.empty())
    if (auto written = regress::write_pack(flags.out, entries); !written)
      return report(written.error());
  if (!flags.json) return print(text);
  regress::Json document;
  document["schema"] = "simfarm.regress.measure/1";
  document["cpu_seconds"] = seconds;
  document["cases"] = entries.size();
  return print(document.dump(2) + "\n");
}

/// One program on all cases.
Result<regress::Measured> measure_all(const std::string& program, const CompareFlags& flags,
                                      const std::string& folder) {
  std::vector<std::string> arguments{"--goldens", std::filesystem::absolute(flags.folder).string()};
  for (const std::string& pattern : flags.patterns)
    arguments.insert(arguments.end(), {"--case", pattern});
  return regress::measure_with(program, arguments, folder);
}

int compare(CompareFlags& flags) {
  Result<farm::TemporaryFolder> folder = farm::TemporaryFolder::create();
  if (!folder) return report(folder.error());
  for (std::string* const program : {&flags.before, &flags.after})
    *program = std::filesystem::absolute(*program).string();
  bench::PairRow row;
  row.name = "all cases";
  std::vector<regress::Entry> right;
  std::string text;
  size_t different = 0;
  for (u32 pair = 0; pair < flags.pairs; ++pair)
    for (const bool second : {false, true}) {
      const bool after = second == (pair % 2 == 0);
      std::fprintf(stderr, "simfarm: pair %u of %u: %s\n", pair + 1, flags.pairs,
                   after ? "after" : "before");
      Result<regress::Measured> now =
          measure_all(after ? flags.after : flags.before, flags, folder->path());
      if (!now) return report(now.error());
      (after ? row.after : row.before).push_back(now->cpu_seconds);
      if (right.empty()) {
        right = std::move(now->entries);
        continue;
      }
      if (now->entries.size() != right.size())
        return report(input_error("the programs have measured different cases"));
      if (!text.empty()) continue;
      for (size_t k = 0; k < right.size(); ++k) {
        if (right[k] == now->entries[k]) continue;
        ++different;
        text += right[k].one.name + ":\n";
        for (const profile::Difference& difference :
             regress::differences(right[k].golden, now->entries[k].golden, 5))
          text += "  " + difference.text + "\n";
      }
    }
  if (different != 0) {
    const int code = print(text + fmt::format("{} of {} cases differ\n", different, right.size()));
    return code == exit_done ? exit_gate_failed : code;
  }
  bench::judge(row, 0);
  if (flags.json) {
    regress::Json document;
    document["schema"] = "simfarm.regress.compare/1";
    document["cases"] = right.size();
    document["before"] = row.before;
    document["after"] = row.after;
    document["speed_up"] = row.ratio;
    document["band"] = row.band;
    document["verdict"] = bench::name(row.verdict);
    if (const int code = print(document.dump(2) + "\n"); code != exit_done) return code;
  } else if (const int code = print(fmt::format("{} cases, all the same\n", right.size()) +
                                    bench::pair_table({row}));
             code != exit_done) {
    return code;
  }
  return row.verdict == bench::PairVerdict::too_slow ? exit_gate_failed : exit_done;
}

}  // namespace

void add_regress_compare(CLI::App& regress, int& exit_code) {
  auto measured = std::make_shared<MeasureFlags>();
  CLI::App* command = regress.add_subcommand(
      "measure", "What this program gives, and how fast; goldens are not looked at");
  command->add_option("file", measured->files, "Case files (the cases that have goldens)")
      ->check(CLI::ExistingFile);
  add_golden_flags(*command, *measured, false);
  command->add_option("--case", measured->patterns, "Of the goldens' cases, those of that name");
  command->add_option("--cycle-limit", measured->limit, "Cut runs off before that cycle");
  command->add_option("--engine", measured->engine, "The engine")
      ->check(CLI::IsMember({"reference", "fast"}))
      ->capture_default_str();
  command->add_option("--threads", measured->threads, "Host threads of a run")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--isa", measured->isa, "At most that instruction set of the host (its best)")
      ->check(isa_names());
  command->add_flag("--code-at-once", measured->early_code,
                    "With code generated from the first instruction on");
  command->add_option("-j,--jobs", measured->jobs, "Cases at a time; 0: the host's threads")
      ->capture_default_str();
  command->add_option("--out", measured->out, "Write what they give to an HDF5 file of goldens");
  command->add_flag("--json", measured->json, "Print one JSON document (docs/json.md)");
  command->footer(
      "Exit codes: 0 done; 2 usage; 4 nothing selected; 74 input/output error; 78 a bad case.");
  command->callback([measured, &exit_code] { exit_code = measure(*measured); });

  auto flags = std::make_shared<CompareFlags>();
  command = regress.add_subcommand(
      "compare", "Two simfarm programs on the cases: same answers, and which is faster?");
  command->add_option("before", flags->before, "A simfarm program")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("after", flags->after, "Another one")->required()->check(CLI::ExistingFile);
  add_golden_flags(*command, *flags, false);
  command->add_option("--case", flags->patterns, "Cases by name; '*' and '?' as in a shell (all)");
  command->add_option("--pairs", flags->pairs, "Pairs of runs over all cases")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--json", flags->json, "Print one JSON document (docs/json.md)");
  command->footer(
      "Only cases and programs matter: goldens are not looked at. The speed-up is the median over "
      "the pairs of all cases' CPU time, on one thread. Exit codes: 0 the same answers; 1 other "
      "answers, or more than 5 % slower; 2 usage; 78 a program that cannot do it.");
  command->callback([flags, &exit_code] { exit_code = compare(*flags); });
}

}  // namespace simfarm::cli
