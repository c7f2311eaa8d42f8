#include "regress/program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "farm/process.h"
#include "profile/source.h"

namespace simfarm::regress {

namespace {

/// `regress measure`'s for that way. None for the plain one, which every program has.
std::vector<std::string> flags_of(const Variant& variant) {
  std::vector<std::string> flags;
  if (variant.engine != default_engine)
    flags.insert(flags.end(), {"--engine", std::string(name(variant.engine))});
  if (variant.host.threads != 1)
    flags.insert(flags.end(), {"--threads", fmt::format("{}", variant.host.threads)});
  if (variant.host.isa)
    flags.insert(flags.end(), {"--isa", std::string(bodies::name(*variant.host.isa))});
  if (variant.host.warm_up == 0) flags.emplace_back("--code-at-once");
  return flags;
}

}  // namespace

std::vector<std::string> plain_environment() {
  std::vector<std::string> all;
  for (const char* const name : {"PATH", "HOME", "TMPDIR"})
    if (const char* const value = std::getenv(name))
      all.push_back(fmt::format("{}={}", name, value));
  return all;
}

Result<Measured> measure_with(const std::string& program, const std::vector<std::string>& arguments,
                              const std::string& folder) {
  const std::string out = folder + "/measured.h5";
  std::vector<std::string> all{program, "regress", "measure", "--json", "--out", out};
  all.insert(all.end(), arguments.begin(), arguments.end());
  farm::ProcessLimits limits;
  limits.cpu_seconds = 0;
  limits.address_bytes = 0;
  limits.file_bytes = u64{1} << 30;
  limits.wall_seconds = 24 * 3600;
  const Result<farm::ProcessRun> run = farm::run_process(all, plain_environment(), folder, limits);
  if (!run) return run.error();
  const nlohmann::json document = nlohmann::json::parse(run->log, nullptr, false);
  if (run->end != farm::ProcessRun::End::exited || run->code != 0 || !document.is_object() ||
      !document.contains("cpu_seconds") || !document["cpu_seconds"].is_number())
    return input_error(
        fmt::format("{} regress measure failed:\n{}", program, profile::printable(run->log)));
  Result<std::vector<Entry>> entries = read_pack(out);
  if (!entries) return entries.error();
  return Measured{std::move(*entries), document["cpu_seconds"]};
}

MeasureJobs jobs_by(const std::string& program, const std::string& goldens,
                    const std::string& folder) {
  return [=](const std::vector<const Job*>& jobs) -> Result<std::vector<Golden>> {
    std::map<std::string, std::vector<size_t>> ways;
    for (size_t k = 0; k < jobs.size(); ++k) ways[jobs[k]->variant.name].push_back(k);
    std::vector<Golden> all(jobs.size());
    for (const auto& [way, places] : ways) {
      std::vector<std::string> arguments = flags_of(jobs[places.front()]->variant);
      arguments.insert(arguments.end(), {"--jobs", "0", "--goldens", goldens});
      for (const size_t k : places)
        arguments.insert(arguments.end(), {"--case", jobs[k]->entry->one.name});
      Result<Measured> measured = measure_with(program, arguments, folder);
      if (!measured) return measured.error();
      std::map<std::string_view, Golden*> by_name;
      for (Entry& entry : measured->entries) by_name[entry.one.name] = &entry.golden;
      for (const size_t k : places) {
        const auto found = by_name.find(jobs[k]->entry->one.name);
        if (found == by_name.end())
          return input_error(
              fmt::format("{}: it has not measured {}", program, jobs[k]->entry->one.name));
        all[k] = std::move(*found->second);
      }
    }
    return all;
  };
}

}  // namespace simfarm::regress
