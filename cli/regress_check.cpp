// simfarm regress check, explain.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"
#include "cli/bench_options.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "cli/regress.h"
#include "cli/validators.h"
#include "farm/files.h"
#include "regress/explain.h"
#include "regress/program.h"
#include "regress/report.h"
#include "regress/sources.h"

namespace simfarm::cli {
namespace {

struct CheckFlags : GoldenFlags {
  std::vector<std::string> engines, isas;
  std::vector<u32> threads;
  bool early_code = false, everything = false;
  u32 jobs = 0;
  std::string candidate, shard, failed, junit, events;
  bool json = false, annotations = false, quiet = false;
};

struct ExplainFlags : GoldenFlags {
  std::string name, baseline, candidate, elf;
};

/// The variants that the flags ask for; empty: the usual ones.
Result<std::vector<regress::Variant>> variants_of(const CheckFlags& flags) {
  if (!flags.everything && flags.engines.empty() && flags.isas.empty() && flags.threads.empty() &&
      !flags.early_code)
    return std::vector<regress::Variant>{};
  regress::Dimensions dimensions;
  if (flags.everything) {
    dimensions.engines = {EngineKind::fast, EngineKind::reference};
    dimensions.threads = {1, 2};
    dimensions.early_code = true;
    for (u32 k = 0; k <= static_cast<u32>(bodies::best_host_isa()); ++k)
      dimensions.isas.push_back(static_cast<bodies::HostIsa>(k));
  }
  if (!flags.engines.empty()) {
    dimensions.engines.clear();
    for (const std::string& engine : flags.engines)
      dimensions.engines.push_back(*find_engine(engine));
  }
  if (!flags.threads.empty()) dimensions.threads = flags.threads;
  if (!flags.isas.empty()) {
    dimensions.isas.clear();
    for (const std::string& name : flags.isas) {
      dimensions.isas.push_back(*bodies::find_host_isa(name));
      if (!bodies::runs_here(dimensions.isas.back()))
        return usage_error("this host does not have " + name);
    }
  }
  dimensions.early_code |= flags.early_code;
  return regress::product(dimensions);
}

/// "2/5": the second of five parts.
Result<std::pair<u32, u32>> parse_shard(const std::string& text) {
  u32 index = 0, count = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%u/%u%c", &index, &count, &rest) != 2 || index == 0 ||
      index > count)
    return usage_error(fmt::format("--shard {}: it is I/N, with I from 1 to N", text));
  return std::pair(index, count);
}

/// What a document of an earlier check says failed: case and variant.
Result<std::set<std::pair<std::string, std::string>>> failed_before(const std::string& path) {
  const Result<std::vector<u8>> bytes = read_file(path, u64{64} << 20);
  if (!bytes) return bytes.error();
  const nlohmann::json document = nlohmann::json::parse(*bytes, nullptr, false);
  const auto text = [](const nlohmann::json& object, const char* key) -> std::string {
    if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return {};
    return object[key];
  };
  if (text(document, "schema") != "simfarm.regress/1" || !document.contains("cases") ||
      !document["cases"].is_array())
    return input_error(path + ": no document simfarm.regress/1");
  std::set<std::pair<std::string, std::string>> failed;
  for (const nlohmann::json& one : document["cases"])
    if (text(one, "verdict") != "equal") failed.emplace(text(one, "case"), text(one, "variant"));
  return failed;
}

int code_of(regress::Ending ending) {
  switch (ending) {
    case regress::Ending::equal:
      return exit_done;
    case regress::Ending::differs:
      return exit_gate_failed;
    case regress::Ending::goldens:
      return exit_golden;
    case regress::Ending::nondeterministic:
      return exit_nondeterminism;
  }
  return exit_internal;
}

int tell(const CheckFlags& flags, const regress::Report& found) {
  if (!flags.junit.empty())
    if (const auto written = write_text(flags.junit, regress::junit(found)); !written)
      return report(written.error());
  if (!flags.events.empty()) {
    std::string lines;
    for (const regress::Checked& checked : found.checked)
      lines += regress::event(checked).dump() + "\n";
    if (const auto written = write_text(flags.events, lines); !written)
      return report(written.error());
  }
  const std::string text = regress::print(found);
  if (flags.json) {
    std::fputs(text.c_str(), stderr);
    if (const int code = print(regress::document(found).dump(2) + "\n"); code != exit_done)
      return code;
  } else if (const int code = print(text); code != exit_done) {
    return code;
  }
  if (flags.annotations)
    if (const int code = print(regress::annotations(found)); code != exit_done) return code;
  return code_of(regress::ending_of(found));
}

int check(const CheckFlags& flags) {
  const auto start = std::chrono::steady_clock::now();
  const Result<regress::Goldens> goldens = regress::open_goldens(flags.folder);
  if (!goldens) return report(goldens.error());
  // What the goldens say is not known: nothing is run.
  if (!goldens->problems.empty()) return tell(flags, {goldens->problems, {}, 0});
  if (const auto name = unmatched(flags, *goldens)) return no_case(*name);
  const Result<std::vector<regress::Variant>> variants = variants_of(flags);
  if (!variants) return report(variants.error());
  std::set<std::pair<std::string, std::string>> failed;
  if (!flags.failed.empty()) {
    auto known = failed_before(flags.failed);
    if (!known) return report(known.error());
    failed = std::move(*known);
  }
  std::vector<regress::Job> jobs;
  for (const regress::Group& group : goldens->groups)
    for (const regress::Entry& entry : group.entries) {
      if (!chosen(flags, entry.one.name)) continue;
      for (const regress::Variant& variant :
           variants->empty() ? regress::usual_variants(entry) : *variants)
        if (flags.failed.empty() || failed.contains({entry.one.name, variant.name}))
          jobs.push_back({&group, &entry, variant});
    }
  if (!flags.shard.empty()) {
    const auto shard = parse_shard(flags.shard);
    if (!shard) return report(shard.error());
    jobs = regress::shard_of(jobs, shard->first, shard->second);
  }
  if (jobs.empty()) {
    std::fprintf(stderr, "simfarm: nothing is selected: `simfarm regress list` has the cases\n");
    return exit_nothing;
  }
  regress::Report found;
  const auto tell_all = [&] {
    found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return tell(flags, found);
  };
  if (!flags.candidate.empty()) {
    Result<farm::TemporaryFolder> folder = farm::TemporaryFolder::create();
    if (!folder) return report(folder.error());
    const auto absolute = [](const std::string& path) {
      return std::filesystem::absolute(path).string();
    };
    Result<std::vector<regress::Checked>> checked = regress::check_by(
        jobs, regress::jobs_by(absolute(flags.candidate), absolute(flags.folder), folder->path()));
    if (!checked) return report(checked.error());
    found.checked = std::move(*checked);
    return tell_all();
  }
  std::mutex mutex;
  size_t told = 0;
  const size_t step = std::max<size_t>(1, jobs.size() / 10);
  const auto progress = [&](size_t so_far) {
    const std::scoped_lock lock(mutex);
    if (flags.quiet || so_far / step == told) return;
    told = so_far / step;
    std::fprintf(stderr, "simfarm: %zu of %zu runs\n", so_far, jobs.size());
  };
  found.checked = regress::check_all(jobs, flags.jobs, progress);
  return tell_all();
}

/// Of the ELF file that is named; or of what the case was compiled from, built once more, where
/// that is there and gives the same code.
Result<regress::Symbols> symbols_of(const ExplainFlags& flags, const regress::GoldenCase& one) {
  const auto symbols = [](Image image) { return std::make_shared<const Image>(std::move(image)); };
  if (!flags.elf.empty()) {
    Result<Image> image = load_elf(flags.elf);
    if (!image) return image.error();
    if (!regress::has_code_of(one, *image))
      return usage_error(flags.elf + ": its code is not that of " + one.name);
    return symbols(std::move(*image));
  }
  Result<Image> image = usage_error("not built");
  const std::string kind = one.name.substr(0, one.name.find('/'));
  const Result<std::string> home = home_folder();
  const Result<farm::Toolchain> tools = toolchain();
  if (!home || !tools) return regress::Symbols();
  if (kind == "bench") {
    const std::string rest = one.name.substr(std::min(kind.size() + 1, one.name.size()));
    const Result<std::vector<const bench::Case*>> which =
        select_cases({rest.substr(0, rest.find('/'))});
    if (!which) return regress::Symbols();
    Result<std::vector<u8>> elf = compile_case(*which->front());
    if (!elf) return regress::Symbols();
    image = parse_elf(std::move(*elf), one.name);
  } else if (const std::string task = *home + "/tasks/" + kind; regress::is_task(task)) {
    image = regress::program_of_task(task, one.name, *tools);
  }
  if (!image || !regress::has_code_of(one, *image)) return regress::Symbols();
  return symbols(std::move(*image));
}

int explain(const ExplainFlags& flags) {
  const Result<regress::Goldens> goldens = regress::open_goldens(flags.folder);
  if (!goldens) return report(goldens.error());
  const regress::Entry* entry = nullptr;
  for (const regress::Group& group : goldens->groups)
    for (const regress::Entry& one : group.entries)
      if (one.one.name == flags.name) entry = &one;
  if (entry == nullptr) return no_case(flags.name);
  const Result<regress::Symbols> symbols = symbols_of(flags, entry->one);
  if (!symbols) return report(symbols.error());
  const regress::Variant by_reference{"reference", EngineKind::reference, {}};
  Result<farm::TemporaryFolder> folder = farm::TemporaryFolder::create();
  if (!folder) return report(folder.error());
  const auto by = [&](const std::string& program) {
    return regress::measure_by(std::filesystem::absolute(program).string(), entry->one,
                               folder->path());
  };
  const auto tell = [&](const Result<std::optional<regress::Parting>>& parting) {
    if (!parting) return report(parting.error());
    if (!*parting)
      return print(entry->one.name + ": they differ in nothing but the end of the run\n");
    const int code = print(regress::print(**parting, entry->one));
    return code == exit_done ? exit_gate_failed : code;
  };
  const Result<regress::Golden> reference = regress::run_case(entry->one, by_reference);
  if (!reference) return report(reference.error());
  if (!flags.candidate.empty()) {
    const regress::Measure candidate = by(flags.candidate);
    const Result<regress::Golden> now = candidate(never);
    if (!now) return report(now.error());
    if (regress::same_but_outputs(*reference, *now))
      return print(entry->one.name + ": the candidate does as this simfarm's reference engine\n");
    return tell(regress::find_parting(entry->one, regress::measure_here(entry->one, by_reference),
                                      candidate, std::max(reference->cycles, now->cycles),
                                      *symbols));
  }
  Cycle last = std::max(entry->golden.cycles, reference->cycles);
  std::optional<regress::Variant> differs;  // from the reference
  for (const regress::Variant& variant : regress::usual_variants(*entry)) {
    const Result<regress::Golden> now = regress::run_case(entry->one, variant);
    if (!now) return report(now.error());
    last = std::max(last, now->cycles);
    if (!differs && *now != *reference) differs = variant;
  }
  if (differs) {
    std::fprintf(stderr, "simfarm: %s differs from the reference engine\n", differs->name.c_str());
    return tell(regress::find_parting(entry->one, regress::measure_here(entry->one, by_reference),
                                      regress::measure_here(entry->one, *differs), last, *symbols));
  }
  if (*reference == entry->golden) {
    return print(entry->one.name + ": equal to its golden\n");
  }
  std::string text = "both engines agree, and differ from the golden:\n";
  for (const profile::Difference& difference : regress::differences(entry->golden, *reference))
    text += "  " + difference.text + "\n";
  if (flags.baseline.empty()) {
    if (const auto interval = regress::first_interval(entry->golden, *reference))
      text += regress::print(*interval, entry->one, *symbols);
    text += "name the simfarm program that made the golden, to see the cycle: --baseline PROGRAM\n";
    const int code = print(text);
    return code == exit_done ? exit_gate_failed : code;
  }
  std::fputs(text.c_str(), stderr);
  return tell(regress::find_parting(entry->one, by(flags.baseline),
                                    regress::measure_here(entry->one, by_reference), last,
                                    *symbols));
}

}  // namespace

void add_regress_check(CLI::App& regress, int& exit_code) {
  CLI::App* command = regress.add_subcommand(
      "check", "Run the cases in several ways: all must be equal to their goldens");
  auto flags = std::make_shared<CheckFlags>();
  add_golden_flags(*command, *flags);
  command->add_option("--engine", flags->engines, "Engines, by comma")
      ->delimiter(',')
      ->check(CLI::IsMember({"reference", "fast"}));
  command->add_option("--threads", flags->threads, "Numbers of host threads, by comma")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024));
  command->add_option("--isa", flags->isas, "Instruction sets of the host, by comma")
      ->delimiter(',')
      ->check(isa_names());
  command->add_flag("--code-at-once", flags->early_code,
                    "With code generated from the first instruction on, too");
  command->add_flag("--all-ways", flags->everything, "The full product of the above");
  command
      ->add_option("--candidate", flags->candidate,
                   "Another simfarm program, whose runs are held against the goldens by this one")
      ->check(CLI::ExistingFile);
  command->add_option("-j,--jobs", flags->jobs, "Cases at a time (the host's threads)");
  command->add_option("--shard", flags->shard, "Part I of N parts of about the same work: I/N");
  command->add_option("--failed", flags->failed, "Only what failed in this document of --json")
      ->check(CLI::ExistingFile);
  command->add_flag("--json", flags->json, "Print one JSON document (docs/json.md)");
  command->add_option("--events", flags->events, "Write one JSON object a line for each run");
  command->add_option("--junit", flags->junit, "Write JUnit XML");
  command->add_flag("--annotations", flags->annotations,
                    "Print GitHub's workflow commands, worst first");
  command->add_flag("-q,--quiet", flags->quiet, "No progress");
  command->footer(
      "Without ways to run: the fast engine; two threads where the array has work for them; the "
      "reference engine on small cases; generated code at once on some. Nothing is tolerated, and "
      "no golden is ever changed. Exit codes: 0 equal; 1 a case differs, or cannot be run; 2 "
      "usage; "
      "3 a golden is missing, damaged or in no line of the index, or new results wait; 4 nothing "
      "selected; 6 the same run twice, and not the same; 78 no folder of goldens.");
  command->callback([flags, &exit_code] { exit_code = check(*flags); });
}

void add_regress_explain(CLI::App& regress, int& exit_code) {
  CLI::App* command = regress.add_subcommand(
      "explain", "Where a case differs: the first cycle and PE, and what happens there");
  auto flags = std::make_shared<ExplainFlags>();
  command->add_option("case", flags->name, "A case")->required();
  add_golden_flags(*command, *flags, false);
  command->add_option("--baseline", flags->baseline, "The simfarm program that made the golden")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--elf", flags->elf,
                   "The case's program, for functions and source lines (of tasks' and benchmarks' "
                   "cases: built again, if the code is the same)")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--candidate", flags->candidate,
                   "Another simfarm program: where it parts from this one's reference engine")
      ->check(CLI::ExistingFile)
      ->excludes("--baseline");
  command->footer(
      "First the engines of this program are held against each other. When they agree with each "
      "other and not with the golden, the program that made it is run as well. Exit codes: 0 "
      "equal; 1 it differs; 2 usage; 4 no such case; 78 a program that cannot do it.");
  command->callback([flags, &exit_code] { exit_code = explain(*flags); });
}

}  // namespace simfarm::cli
