// simfarm bench: how fast the simulator is.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "bench/expected.h"
#include "bench/report.h"
#include "cli/bench_options.h"
#include "cli/commands.h"
#include "cli/exit_codes.h"
#include "cli/farm_options.h"
#include "simfarm_version.h"

namespace simfarm::cli {
namespace {

struct RecordFlags : BenchFlags {
  std::vector<std::string> engines;
  std::vector<u32> threads = {1};
  std::vector<std::string> machines;
  std::string kernels;
  u32 repeats = 3;
  bool quick = false;
  bool check_races = false, checkpoints = false;
  bool no_native = false;
  bool record = false;
  bool save = false;
  bool json = false;
  bool list = false;
  bool quiet = false;
};

/// Every combination that the flags ask for, in the order of the table.
Result<std::vector<bench::Plan>> plans(const RecordFlags& flags) {
  Result<std::vector<const bench::Case*>> selected = select_cases(flags.cases);
  if (!selected) return selected.error();
  std::vector<EngineKind> engines;
  for (const std::string& name : flags.engines) engines.push_back(*find_engine(name));
  if (engines.empty()) engines.push_back(default_engine);
  std::vector<bench::Plan> all;
  for (const bench::Case* which : *selected)
    for (const std::string& name :
         flags.machines.empty() ? std::vector{std::string(which->machine)} : flags.machines) {
      const Result<Machine> machine = load_machine(name);
      if (!machine) return machine.error();
      for (const EngineKind engine : engines)
        for (const u32 threads : flags.threads) {
          bench::Plan plan{which, *machine, engine, threads};
          // A full run would keep the reference engine busy for an hour.
          plan.size = engine == EngineKind::reference ? bench::Size::small : bench::Size::full;
          if (flags.quick) plan.size = bench::Size::tiny;
          if (!flags.size.empty()) plan.size = *bench::parse_size(flags.size);
          plan.repeats = flags.quick ? 1 : flags.repeats;
          plan.check_races = flags.check_races;
          plan.checkpoints = flags.checkpoints;
          plan.native = !flags.no_native;
          all.push_back(std::move(plan));
        }
    }
  return all;
}

/// Kernels by case: compiled now, or from --kernels.
class Programs {
 public:
  explicit Programs(const RecordFlags& flags) : flags_(flags) {}

  Result<std::shared_ptr<const Image>> get(const bench::Case& which) {
    if (last_case_ == &which) return last_;
    Result<Image> image = flags_.kernels.empty()
                              ? compile(which)
                              : load_elf(bench::kernel_path(flags_.kernels, which));
    if (!image) return image.error();
    last_case_ = &which;
    last_ = std::make_shared<const Image>(std::move(*image));
    return last_;
  }

 private:
  static Result<Image> compile(const bench::Case& which) {
    Result<std::vector<u8>> elf = compile_case(which);
    if (!elf) return elf.error();
    return parse_elf(std::move(*elf), which.source);
  }

  const RecordFlags& flags_;
  const bench::Case* last_case_ = nullptr;
  std::shared_ptr<const Image> last_;
};

int save(const RecordFlags& flags, const std::string& home, const bench::Host& host,
         const std::vector<bench::Row>& rows, const bench::Expectations& expected) {
  namespace fs = std::filesystem;
  if (flags.record) {
    bench::Expectations recorded = expected;
    for (const bench::Row& row : rows) recorded.record(row);
    const auto written = recorded.save((fs::path(home) / "bench/expected.json").string());
    if (!written) return report(written.error());
  }
  if (flags.save) {
    const std::string path =
        (fs::path(home) / "bench/results" / (bench::result_name(host) + ".json")).string();
    const std::string text = bench::document(host, SIMFARM_VERSION, rows).dump(1) + "\n";
    const auto written = write_text(path, text);
    if (!written) return report(written.error());
    std::fprintf(stderr, "simfarm: saved %s\n", path.c_str());
  }
  return exit_done;
}

int run(const RecordFlags& flags) {
  if (flags.list) return print(bench::case_list());
  Result<std::vector<bench::Plan>> todo = plans(flags);
  if (!todo) return report(todo.error());
  // Programs of somebody else's have nothing to be compared with.
  std::string home;
  bench::Expectations expected;
  if (flags.kernels.empty()) {
    Result<std::string> found = home_folder();
    if (!found) return report(found.error());
    home = *found;
    Result<bench::Expectations> loaded = bench::Expectations::load(home + "/bench/expected.json");
    if (!loaded) return report(loaded.error());
    expected = std::move(*loaded);
  }

  Programs programs(flags);
  std::vector<bench::Row> rows;
  bool good = true;
  for (size_t k = 0; k < todo->size(); ++k) {
    const bench::Plan& plan = (*todo)[k];
    if (!flags.quiet)
      std::fprintf(stderr, "simfarm: bench %zu of %zu: %s, %s, %s, %u threads\n", k + 1,
                   todo->size(), plan.which->name.data(), name(plan.engine).data(),
                   plan.machine.name.c_str(), plan.threads);
    Result<std::shared_ptr<const Image>> image = programs.get(*plan.which);
    if (!image) return report(image.error());
    Result<bench::Row> row = bench::measure(plan, *image);
    if (!row) return report(row.error());
    if (!flags.record) expected.check(*row);
    good = good && row->failure.empty();
    rows.push_back(std::move(*row));
  }

  const bench::Host host = bench::this_host();
  const std::string text =
      flags.json ? bench::document(host, SIMFARM_VERSION, rows).dump(1) + "\n" : bench::table(rows);
  if (const int code = print(text); code != exit_done) return code;
  if (const int code = save(flags, home, host, rows, expected); code != exit_done) return code;
  return good ? exit_done : exit_gate_failed;
}

std::vector<std::string> engine_names() {
  std::vector<std::string> names;
  for (const EngineKind kind : engine_kinds) names.emplace_back(name(kind));
  return names;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "bench", "Measure the simulator: simulated instructions per second of host CPU time");
  auto flags = std::make_shared<RecordFlags>();
  add_bench_flags(*command, *flags);
  command->add_option("--engine", flags->engines, "Engines, by comma (the default one)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(engine_names()));
  command->add_option("--threads", flags->threads, "Numbers of host threads, by comma")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(1, 1024))
      ->default_str("1");
  command
      ->add_option("--machine", flags->machines,
                   "Machine files or shipped names, by comma (the case's own)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--repeat", flags->repeats, "Runs, of which the median is told")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--quick", flags->quick, "The same as --size tiny --repeat 1");
  command
      ->add_option("--kernels", flags->kernels,
                   "Folder of compiled programs CASE.elf, instead of compiling bench/kernels")
      ->check(CLI::ExistingDirectory);
  command->add_flag("--check-races", flags->check_races,
                    "With race checks, as a judge runs programs");
  command->add_flag("--checkpoints", flags->checkpoints,
                    "With checkpoints, as the regression gate runs programs");
  command->add_flag("--no-native", flags->no_native, "Do not time the native loops");
  CLI::Option* record = command->add_flag("--record", flags->record,
                                          "Write cycles and digests into bench/expected.json");
  CLI::Option* saved = command->add_flag("--save", flags->save,
                                         "Write the document into bench/results, named by date "
                                         "and processor");
  for (CLI::Option* each : {record, saved}) each->excludes(command->get_option("--kernels"));
  command->add_flag("--json", flags->json, "Print one JSON document (docs/bench.md)");
  command->add_flag("--list", flags->list, "List the cases");
  command->add_flag("-q,--quiet", flags->quiet, "No progress");
  command->footer(
      "Sizes: tiny for tests, small for the reference engine, full for a fast one; by default the "
      "engine's own. Exit codes: 0 done; 1 a wrong answer, or other cycles than recorded; 2 usage, "
      "or no such case; 78 no toolchain, or a bad machine.");
  add_bench_pair(*command, exit_code);
  command->callback([command, flags, &exit_code] {
    if (command->get_subcommands().empty()) exit_code = run(*flags);
  });
}

}  // namespace simfarm::cli
