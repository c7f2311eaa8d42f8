#include "regress/program.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "farm/process.h"
#include "profile/source.h"

namespace simfarm::regress {

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

}  // namespace simfarm::regress
