#include "farm/held_out.h"

#include <fmt/format.h>
#include <signal.h>

#include <filesystem>

#include "farm/files.h"
#include "profile/source.h"

namespace simfarm::farm {
namespace {

// The python that has numpy and h5py on Debian, whatever else is first in PATH.
constexpr const char* python = "/usr/bin/python3";

MadeCase faulty(Verdict verdict, std::string why, std::string details = {}) {
  return {std::nullopt, {verdict, std::move(why), std::move(details)}};
}

/// How the generator ended, if not well. No word of its own: it knows variant and seed.
std::optional<std::pair<Verdict, std::string>> generator_end(const ProcessRun& run,
                                                             const ProcessLimits& limits) {
  using End = ProcessRun::End;
  if (run.end == End::wall_limit)
    return std::pair(Verdict::host_limit,
                     fmt::format("the generator ran for {} s", limits.wall_seconds));
  if (run.end == End::cancelled) return std::pair(Verdict::cancelled, std::string("interrupted"));
  if (run.end == End::output_limit)
    return std::pair(Verdict::judge_error, std::string("the generator floods its output"));
  if (run.end == End::signalled && run.code == SIGXCPU)
    return std::pair(Verdict::judge_error,
                     fmt::format("the generator used {} s of processor time", limits.cpu_seconds));
  if (run.end == End::signalled)
    return std::pair(run.code == SIGKILL ? Verdict::host_limit : Verdict::judge_error,
                     fmt::format("the generator was ended by signal {}", run.code));
  if (run.code != 0)
    return std::pair(Verdict::judge_error,
                     fmt::format("the generator ended with exit code {}", run.code));
  return std::nullopt;
}

/// One thread, nothing of the caller's environment, so that the same seed gives the same case.
std::vector<std::string> generator_environment(const std::string& folder) {
  return {"PATH=/usr/bin:/bin", "LC_ALL=C",          "PYTHONHASHSEED=0",
          "PYTHONNOUSERSITE=1", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1",
          "TMPDIR=" + folder};
}

}  // namespace

std::vector<HeldOutCase> held_out_cases(const Task& task, const Secret& secret,
                                        const std::string& task_digest,
                                        const std::string& source_digest) {
  std::vector<HeldOutCase> cases;
  for (const std::string& variant : task.held_out)
    cases.push_back({variant, secret.seed({"held-out", task_digest, source_digest, variant})});
  return cases;
}

Result<std::string> try_generators() {
  const Result<ProcessRun> run = run_process(
      {python, "-B", "-c",
       "import sys, numpy, h5py\n"
       "print('Python ' + sys.version.split()[0] + ', numpy ' + numpy.__version__ + ', h5py ' + "
       "h5py.__version__)"},
      generator_environment("/tmp"), "/", {.address_bytes = u64{4} << 30});
  if (!run) return run.error();
  std::string said = profile::printable(run->log);
  while (!said.empty() && said.back() == '\n') said.pop_back();
  if (run->end == ProcessRun::End::exited && run->code == 0) return said;
  const size_t last = said.rfind('\n');
  return io_error(
      fmt::format("{}: {}", python, last == std::string::npos ? said : said.substr(last + 1)));
}

MadeCase make_case_file(const Task& task, const HeldOutCase& wanted, const std::string& path,
                        const ProcessLimits& limits) {
  std::error_code error;
  const std::string output = std::filesystem::absolute(path, error).string();
  const std::string folder = std::filesystem::path(output).parent_path().string();
  const Result<std::string> generator = resolve_inside(task.folder, task.generator);
  if (!generator)
    return faulty(Verdict::judge_error, "cases.generator of task.toml is not there",
                  generator.error().message);
  const std::string script = std::filesystem::absolute(*generator, error).string();
  // No file beside the script: its package stays as it was.
  const Result<ProcessRun> run =
      run_process({python, "-B", script, "--variant", wanted.variant, "--seed",
                   fmt::format("{}", wanted.seed), "--output", output},
                  generator_environment(folder), folder, limits);
  if (!run)
    return faulty(Verdict::system_error, "the generator cannot be started", run.error().message);
  if (const auto end = generator_end(*run, limits))
    return faulty(end->first, end->second, profile::printable(run->log));
  Result<TensorFile> contents = read_tensor_file(output);
  const std::string no_case = "what the generator wrote is no case of the task";
  if (!contents) return faulty(Verdict::judge_error, no_case, contents.error().message);
  Result<Case> bound = bind_case(task, std::move(*contents), std::string(held_out_name));
  if (!bound) return faulty(Verdict::judge_error, no_case, bound.error().message);
  bound->variant = wanted.variant;
  return {std::move(*bound), {}};
}

MadeCase make_case(const Task& task, const HeldOutCase& wanted, const ProcessLimits& limits) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder) return faulty(Verdict::system_error, "no temporary folder", folder.error().message);
  return make_case_file(task, wanted, folder->path() + "/case.h5", limits);
}

}  // namespace simfarm::farm
