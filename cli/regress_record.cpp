// simfarm regress record, review, bless, discard, remove: how goldens come to be and change.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "base/parallel.h"
#include "bench/prepare.h"
#include "cli/bench_options.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "cli/regress.h"
#include "farm/process.h"
#include "regress/check.h"
#include "regress/program.h"
#include "regress/report.h"
#include "regress/sources.h"

namespace simfarm::cli {
namespace {

struct RecordFlags {
  std::string folder = "regress/goldens", group;
  std::vector<std::string> sources;
  std::vector<std::string> only;
  u32 jobs = 0;
};

struct BlessFlags : GoldenFlags {
  std::string reason;
  bool allow_output_change = false;
};

/// Says when it has finished what another command began.
Result<regress::Lock> take_lock(const std::string& folder) {
  Result<regress::Lock> lock = regress::Lock::take(folder);
  if (lock && lock->finished())
    std::fprintf(stderr, "simfarm: %s: finished a change that was cut off\n", folder.c_str());
  return lock;
}

/// "bench:CASE" or "bench:CASE@MACHINE": a benchmark's kernel with little to do.
Result<regress::GoldenCase> case_of_bench(const std::string& source) {
  const std::string what = source.substr(source.find(':') + 1);
  const size_t at = what.find('@');
  const Result<std::vector<const bench::Case*>> found = select_cases({what.substr(0, at)});
  if (!found) return found.error();
  const bench::Case& which = *found->front();
  const Result<Machine> machine =
      load_machine(at == std::string::npos ? std::string(which.machine) : what.substr(at + 1));
  if (!machine) return machine.error();
  Result<std::vector<u8>> elf = compile_case(which);
  if (!elf) return elf.error();
  Result<Image> image = parse_elf(std::move(*elf), which.name);
  if (!image) return image.error();
  const u32 rounds = which.rounds[static_cast<u32>(bench::Size::tiny)];
  Result<bench::Prepared> ready =
      bench::prepare(which, *machine, rounds, std::make_shared<const Image>(std::move(*image)));
  if (!ready) return ready.error();
  profile::RunCase run_case{std::move(ready->input), {}, source};
  std::vector<regress::Output> outputs;
  if (!ready->output.empty())
    outputs.push_back({"output", ready->output_address, ready->output.size()});
  return regress::case_of(fmt::format("bench/{}/{}", which.name, machine->name), run_case,
                          std::move(outputs));
}

Result<std::vector<regress::GoldenCase>> cases_of(const std::string& source) {
  std::vector<regress::GoldenCase> cases;
  if (source.starts_with("bench:")) {
    Result<regress::GoldenCase> one = case_of_bench(source);
    if (!one) return one.error();
    cases.push_back(std::move(*one));
    return cases;
  }
  if (regress::is_task(source)) {
    const Result<farm::Toolchain> tools = toolchain();
    if (!tools) return tools.error();
    return regress::cases_of_task(source, *tools);
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(source, ignored)) {
    std::set<std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(source, ignored))
      if (file.path().extension() == ".case") files.insert(file.path().string());
    if (files.empty())
      return usage_error(source + ": neither a task (task.toml) nor a folder of *.case files");
    for (const std::string& file : files) {
      Result<regress::GoldenCase> one = regress::case_of_file(file);
      if (!one) return one.error();
      cases.push_back(std::move(*one));
    }
    return cases;
  }
  Result<regress::GoldenCase> one = regress::case_of_file(source);
  if (!one) return one.error();
  cases.push_back(std::move(*one));
  return cases;
}

/// What all ways to run it agree upon. Error: they do not, or it cannot be run.
Result<regress::Golden> measured(const regress::GoldenCase& one) {
  const Result<regress::Golden> first = regress::run_case(one, {"fast", EngineKind::fast, {}});
  if (!first) return Error{first.error().kind, one.name + ": " + first.error().message};
  for (const regress::Variant& variant : regress::usual_variants({one, *first})) {
    const Result<regress::Golden> again = regress::run_case(one, variant);
    if (!again) return Error{again.error().kind, one.name + ": " + again.error().message};
    if (*again == *first) continue;
    return Error{
        Error::Kind::internal,
        fmt::format("{}: not recorded, since {} gives something else than fast did: {}", one.name,
                    variant.name, regress::differences(*first, *again).front().text)};
  }
  return *first;
}

int record(const RecordFlags& flags) {
  if (flags.sources.empty() && !std::filesystem::exists(flags.folder))
    return report(usage_error("record needs what to record: case files, tasks, bench:CASE"));
  if (!flags.sources.empty() && flags.group.empty())
    return report(usage_error("record needs --group, the name of the file that new cases go to"));
  if (regress::name_problem(flags.group.empty() ? "x" : flags.group) ||
      flags.group.find('/') != std::string::npos)
    return report(usage_error("--group: a word of A-Z a-z 0-9 _ . -"));
  const Result<regress::Lock> lock = take_lock(flags.folder);
  if (!lock) return report(lock.error());
  const Result<regress::Goldens> goldens = regress::open_goldens(flags.folder);
  if (!goldens) return report(goldens.error());
  for (const regress::Problem& problem : goldens->problems)
    if (problem.kind == regress::Problem::Kind::damaged)
      return report(input_error(problem.where + ": " + problem.what));

  // Where each case is, and what it was.
  std::map<std::string, std::pair<std::string, const regress::Entry*>> known;
  for (const regress::Group& group : goldens->groups)
    for (const regress::Entry& entry : group.entries) known[entry.one.name] = {group.name, &entry};
  std::vector<regress::GoldenCase> cases;
  if (flags.sources.empty()) {
    for (const auto& [name, where] : known)
      if (flags.group.empty() || flags.group == where.first) cases.push_back(where.second->one);
  }
  for (const std::string& source : flags.sources) {
    Result<std::vector<regress::GoldenCase>> some = cases_of(source);
    if (!some) return report(some.error());
    std::move(some->begin(), some->end(), std::back_inserter(cases));
  }
  std::erase_if(cases, [&](const regress::GoldenCase& one) {
    return !flags.only.empty() &&
           std::none_of(flags.only.begin(), flags.only.end(), [&](const std::string& pattern) {
             return regress::matches(pattern, one.name);
           });
  });
  if (cases.empty()) {
    std::fprintf(stderr, "simfarm: nothing is selected\n");
    return exit_nothing;
  }
  std::vector<std::optional<Result<regress::Golden>>> results(cases.size());
  parallel_for(cases.size(), flags.jobs, [&](size_t k) { results[k].emplace(measured(cases[k])); });

  std::map<std::string, std::vector<regress::Entry>> changed;
  size_t same = 0;
  for (size_t k = 0; k < cases.size(); ++k) {
    if (!*results[k]) {
      const int code = report(results[k]->error());
      return results[k]->error().kind == Error::Kind::internal ? exit_nondeterminism : code;
    }
    regress::Entry entry{std::move(cases[k]), **results[k]};
    const auto there = known.find(entry.one.name);
    if (there != known.end() && *there->second.second == entry) {
      ++same;
      continue;
    }
    const std::string group = there == known.end() ? flags.group : there->second.first;
    changed[group].push_back(std::move(entry));
  }
  size_t count = 0;
  for (auto& [group, entries] : changed) {
    count += entries.size();
    if (auto written = regress::add_pending(flags.folder, group, std::move(entries)); !written)
      return report(written.error());
  }
  return print(fmt::format("{} new or changed, {} as they were{}\n", count, same,
                           count == 0 ? "" : "; next: simfarm regress review, then bless"));
}

/// What waits, against what is there.
std::string summary(const regress::Goldens& goldens, const GoldenFlags& flags, bool& outputs) {
  std::string text;
  size_t fresh = 0, changed = 0, faster = 0, slower = 0;
  outputs = false;
  for (const regress::Group& group : goldens.groups)
    for (const regress::Entry& entry : group.pending) {
      if (!chosen(flags, entry.one.name)) continue;
      const auto before =
          std::find_if(group.entries.begin(), group.entries.end(),
                       [&](const regress::Entry& one) { return one.one.name == entry.one.name; });
      if (before == group.entries.end() || !before->golden.known()) {
        ++fresh;
        text += fmt::format("{}: {}: new, {} cycles, {}\n", group.name, entry.one.name,
                            entry.golden.cycles, name(entry.golden.kind));
        continue;
      }
      ++changed;
      const regress::Change change = regress::change(before->golden, entry.golden);
      const bool other_case = before->one != entry.one;
      outputs |= change.outputs && !other_case;
      faster += entry.golden.cycles < before->golden.cycles ? 1 : 0;
      slower += entry.golden.cycles > before->golden.cycles ? 1 : 0;
      text += fmt::format("{}: {}: {}{} -> {} cycles{}{}\n", group.name, entry.one.name,
                          other_case ? "another case, " : "", before->golden.cycles,
                          entry.golden.cycles,
                          regress::percent(before->golden.cycles, entry.golden.cycles),
                          change.outputs ? ", OUTPUTS CHANGED" : "");
      const auto differences = regress::differences(before->golden, entry.golden, 4);
      for (const profile::Difference& difference : differences)
        text += "  " + difference.text + "\n";
    }
  return text + fmt::format("{} new, {} changed: {} in fewer cycles, {} in more; outputs {}\n",
                            fresh, changed, faster, slower, outputs ? "changed" : "unchanged");
}

int review(const GoldenFlags& flags) {
  const Result<regress::Goldens> goldens = regress::open_goldens(flags.folder);
  if (!goldens) return report(goldens.error());
  const bool any =
      std::any_of(goldens->groups.begin(), goldens->groups.end(), [&](const regress::Group& group) {
        return std::any_of(group.pending.begin(), group.pending.end(),
                           [&](const regress::Entry& one) { return chosen(flags, one.one.name); });
      });
  if (!any) {
    std::fprintf(stderr, "simfarm: nothing waits (simfarm regress record)\n");
    return exit_nothing;
  }
  bool outputs = false;
  return print(summary(*goldens, flags, outputs));
}

/// Some folder from `place` upwards is a repository's.
bool in_repository(const std::filesystem::path& place) {
  std::error_code ignored;
  for (std::filesystem::path at = place;; at = at.parent_path()) {
    if (std::filesystem::exists(at / ".git", ignored)) return true;
    if (at == at.parent_path()) return false;
  }
}

/// Error: what it said when it failed.
Result<std::string> output_of(const std::string& program, const std::vector<std::string>& arguments,
                              const std::string& folder) {
  std::vector<std::string> all{program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Result<farm::ProcessRun> run =
      farm::run_process(all, regress::plain_environment(), folder, {});
  if (!run) return run.error();
  if (run->end != farm::ProcessRun::End::exited || run->code != 0) return input_error(run->log);
  return run->log;
}

/// Who may change goldens: a person at work on a state that has a name.
Result<regress::Blessing> blessing(const std::string& folder, const std::string& reason) {
  const char* const ci = std::getenv("CI");
  if (ci != nullptr && *ci != 0 && std::string_view(ci) != "false")
    return usage_error("goldens are not changed under CI (the environment has CI)");
  if (reason.find_first_not_of(" \t") == std::string::npos ||
      reason.find('\n') != std::string::npos)
    return usage_error("--reason: one line that says why");
  regress::Blessing one;
  one.reason = reason;
  const char* const path = std::getenv("PATH");
  const Result<std::string> git =
      farm::find_program("", "git", "git", path == nullptr ? "/usr/bin:/bin" : path);
  const std::string place = std::filesystem::absolute(folder).string();
  if (in_repository(place)) {
    if (!git)
      return usage_error(
          "the goldens lie in a git repository, and git is not there to say whether "
          "everything is committed: apt-get install git");
    const Result<std::string> status =
        output_of(*git, {"status", "--porcelain", "--", ":/", ":(exclude)."}, place);
    if (!status)
      return usage_error("git cannot say whether everything is committed:\n" +
                         status.error().message);
    const std::string& dirty = *status;
    if (!dirty.empty())
      return usage_error(
          "the tree has changes that are not committed: goldens belong to a commit\n" +
          dirty.substr(0, dirty.find('\n')));
    const Result<std::string> who = output_of(*git, {"config", "user.name"}, place);
    if (who) one.who = who->substr(0, who->find('\n'));
  }
  if (one.who.empty()) {
    const char* const user = std::getenv("USER");
    one.who = user == nullptr ? "unknown" : user;
  }
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  one.when = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                         utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
  return one;
}

int bless(const BlessFlags& flags) {
  const Result<regress::Blessing> by = blessing(flags.folder, flags.reason);
  if (!by) return report(by.error());
  const Result<regress::Lock> lock = take_lock(flags.folder);
  if (!lock) return report(lock.error());
  const Result<regress::Goldens> goldens = regress::open_goldens(flags.folder);
  if (!goldens) return report(goldens.error());
  std::vector<regress::Entry> waiting;
  for (const regress::Group& group : goldens->groups)
    for (const regress::Entry& entry : group.pending)
      if (chosen(flags, entry.one.name)) waiting.push_back(entry);
  if (waiting.empty()) {
    if (lock->finished()) return exit_done;
    std::fprintf(stderr, "simfarm: nothing waits (simfarm regress record)\n");
    return exit_nothing;
  }
  bool outputs = false;
  const std::string text = summary(*goldens, flags, outputs);
  if (outputs && !flags.allow_output_change) {
    std::fputs(text.c_str(), stderr);
    return report(usage_error("bytes of outputs change: --allow-output-change, if that is meant"));
  }
  // They must be what this program gives, once more.
  std::vector<std::string> wrong(waiting.size());
  parallel_for(waiting.size(), 0, [&](size_t k) {
    const Result<regress::Golden> now =
        regress::run_case(waiting[k].one, {"fast", EngineKind::fast, {}});
    if (!now)
      wrong[k] = now.error().message;
    else if (*now != waiting[k].golden)
      wrong[k] = regress::differences(waiting[k].golden, *now).front().text;
  });
  for (size_t k = 0; k < waiting.size(); ++k) {
    if (wrong[k].empty()) continue;
    std::fprintf(stderr,
                 "simfarm: %s: this program does not give what waits: %s\n"
                 "simfarm: nothing is changed; record again\n",
                 waiting[k].one.name.c_str(), wrong[k].c_str());
    return exit_nondeterminism;
  }
  const Result<std::vector<std::string>> done = regress::bless(
      flags.folder, [&](const regress::Entry& entry) { return chosen(flags, entry.one.name); },
      *by);
  if (!done) return report(done.error());
  return print(text + fmt::format("{} goldens are new\n", done->size()));
}

int remove(const BlessFlags& flags) {
  if (flags.patterns.empty()) return report(usage_error("remove needs the cases' names"));
  const Result<regress::Blessing> by = blessing(flags.folder, flags.reason);
  if (!by) return report(by.error());
  const Result<regress::Lock> lock = take_lock(flags.folder);
  if (!lock) return report(lock.error());
  const Result<regress::Goldens> goldens = regress::open_goldens(flags.folder);
  if (!goldens) return report(goldens.error());
  if (const auto name = unmatched(flags, *goldens)) return no_case(*name);
  const Result<std::vector<std::string>> done = regress::remove(
      flags.folder, [&](const regress::Entry& entry) { return chosen(flags, entry.one.name); },
      *by);
  if (!done) return report(done.error());
  return print(fmt::format("{} goldens are gone\n", done->size()));
}

int discard(const GoldenFlags& flags) {
  const Result<regress::Lock> lock = take_lock(flags.folder);
  if (!lock) return report(lock.error());
  const Result<regress::Goldens> goldens = regress::open_goldens(flags.folder);
  if (!goldens) return report(goldens.error());
  size_t count = 0;
  for (const regress::Group& group : goldens->groups) {
    if (group.pending.empty()) continue;
    count += group.pending.size();
    if (auto done = regress::discard_pending(flags.folder, group.name); !done)
      return report(done.error());
  }
  return print(fmt::format("{} results thrown away\n", count));
}

}  // namespace

void add_regress_record(CLI::App& regress, int& exit_code) {
  CLI::App* command = regress.add_subcommand(
      "record", "Measure cases; what is new or has changed waits to be accepted (bless)");
  auto flags = std::make_shared<RecordFlags>();
  command->add_option("source", flags->sources,
                      "Case files or folders of them, folders of tasks, bench:CASE[@MACHINE] (the "
                      "cases that are there, again)");
  command->add_option("--goldens", flags->folder, "Folder of goldens")->capture_default_str();
  command->add_option(
      "--group", flags->group,
      "File that new cases go to; without a source, the one that is measured again");
  command->add_option("--only", flags->only, "Of these, the cases of that name ('*', '?')");
  command->add_option("-j,--jobs", flags->jobs, "Cases at a time (the host's threads)");
  command->footer(
      "A case is recorded when all ways to run it agree (regress check). A golden is never changed "
      "by this. Exit codes: 0 done; 2 usage; 4 nothing selected; 6 two runs differ; 74 "
      "input/output error; 75 somebody else changes the goldens; 78 a bad source, no toolchain.");
  command->callback([flags, &exit_code] { exit_code = record(*flags); });
}

void add_regress_bless(CLI::App& regress, int& exit_code) {
  CLI::App* command = regress.add_subcommand("review", "What waits to be accepted: how it changes");
  auto what = std::make_shared<GoldenFlags>();
  add_golden_flags(*command, *what);
  command->footer("Exit codes: 0 done; 2 usage; 4 nothing waits; 78 no folder of goldens.");
  command->callback([what, &exit_code] { exit_code = review(*what); });

  auto flags = std::make_shared<BlessFlags>();
  command = regress.add_subcommand("bless", "Make what waits the goldens, with a reason");
  add_golden_flags(*command, *flags);
  command->add_option("--reason", flags->reason, "Why; one line of the log")->required();
  command->add_flag("--allow-output-change", flags->allow_output_change,
                    "Bytes of outputs, exit codes or console texts may change");
  command->footer(
      "Refused under CI, and while the tree has changes beside the goldens that are not committed. "
      "What waits is measured once more before. Exit codes: 0 done; 2 usage, or refused; 4 nothing "
      "waits; 6 this program gives something else; 74 input/output error; 75 somebody else changes "
      "the goldens; 78 a damaged file.");
  command->callback([flags, &exit_code] { exit_code = bless(*flags); });

  auto gone = std::make_shared<BlessFlags>();
  command = regress.add_subcommand("remove", "Take cases out of the goldens, with a reason");
  add_golden_flags(*command, *gone);
  command->add_option("--reason", gone->reason, "Why; one line of the log")->required();
  command->footer("Exit codes: as bless.");
  command->callback([gone, &exit_code] { exit_code = remove(*gone); });

  auto thrown = std::make_shared<GoldenFlags>();
  command = regress.add_subcommand("discard", "Throw away what waits");
  add_golden_flags(*command, *thrown, false);
  command->footer(
      "Exit codes: 0 done; 2 usage; 75 somebody else changes the goldens; 78 no folder.");
  command->callback([thrown, &exit_code] { exit_code = discard(*thrown); });
}

}  // namespace simfarm::cli
