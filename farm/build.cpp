#include "farm/build.h"

#include <fmt/format.h>
#include <signal.h>

#include <filesystem>

#include "base/file.h"
#include "farm/sandbox.h"
#include "profile/source.h"

namespace simfarm::farm {
namespace {

namespace fs = std::filesystem;

// Names that no submission can use: its own may not start with '.'.
constexpr std::string_view task_include = ".task-include";
constexpr std::string_view results = ".results";
constexpr u64 max_elf_bytes = 64u << 20;
constexpr PackageLimits max_include{.bytes = 4u << 20, .files = 256};

/// One run of the compiler driver, classified. Signals arrive through its shell as 128 + number.
Verdict classify(const ProcessRun& run, const Toolchain& toolchain, const ProcessLimits& limits) {
  if (run.end == ProcessRun::End::cancelled) return Verdict::cancelled;
  if (run.end == ProcessRun::End::wall_limit) return Verdict::host_limit;
  if (run.end == ProcessRun::End::output_limit) return Verdict::compile_limit;
  const int signal = run.end == ProcessRun::End::signalled ? run.code : run.code - 128;
  if (run.end == ProcessRun::End::exited && run.code == 0) return Verdict::accepted;
  if (!check_toolchain(toolchain)) return Verdict::system_error;
  if (run.code == 126 || run.code == 127)
    return Verdict::system_error;  // the shell's "cannot execute"
  if (signal == SIGXCPU || signal == SIGXFSZ) return Verdict::compile_limit;
  if (signal == SIGKILL && run.cpu_milliseconds >= u64{1000} * limits.cpu_seconds)
    return Verdict::compile_limit;                    // it sat out SIGXCPU
  if (signal == SIGKILL) return Verdict::host_limit;  // nobody here did it: the kernel, for memory
  // Neither RLIMIT_AS nor a full sandbox signals; these are LLVM's last words then.
  for (const char* const words : {"LLVM ERROR: out of memory", "No space left on device"})
    if (run.log.find(words) != std::string::npos) return Verdict::compile_limit;
  return Verdict::compile_error;
}

std::string_view explain(Verdict verdict) {
  if (verdict == Verdict::host_limit) return "(ended by the host's time or memory limit)\n";
  if (verdict == Verdict::compile_limit) return "(ended by a limit on the compiler)\n";
  return "";
}

/// A build in its folder.
class Builder {
 public:
  Builder(const Toolchain& toolchain, const Task& task, const Submission& submission,
          const ProcessLimits& limits, const std::string& folder)
      : toolchain_(toolchain),
        task_(task),
        submission_(submission),
        limits_(limits),
        folder_(folder) {}

  Built run() {
    if (const auto ready = prepare(); !ready) return failed(ready.error().message);
    std::vector<std::string> link;
    for (size_t k = 0; k < submission_.sources.size(); ++k) {
      const std::string object = fmt::format("{}.o", k);
      if (!compile(submission_.sources[k], object)) return std::move(built_);
      // The driver takes names below its root.
      link.push_back(fmt::format("{}/{}", results, object));
    }
    link.insert(link.end(), {"--local-bytes", fmt::format("{}", task_.machine.map.local.bytes)});
    const std::string elf = "kernel.elf";
    if (!step(link, elf)) {
      // In this step its own words are about the SDK: no text of the author's gets into them.
      if (built_.verdict == Verdict::compile_error && step_log_.starts_with("simfarm-cc: "))
        built_.verdict = Verdict::system_error;
      return std::move(built_);
    }
    Result<std::vector<u8>> bytes =
        read_file(fmt::format("{}/{}/{}", folder_, results, elf), max_elf_bytes);
    if (!bytes) return failed(bytes.error().message);
    built_.elf = std::move(*bytes);
    built_.verdict = Verdict::accepted;
    return std::move(built_);
  }

 private:
  Built failed(const std::string& why) {
    built_.verdict = Verdict::system_error;
    built_.log += why + "\n";
    return std::move(built_);
  }

  Result<void> prepare() {
    std::error_code error;
    for (const std::string_view each : {task_include, results})
      if (!fs::create_directory(fs::path(folder_) / each, error))
        return io_error(fmt::format("{}: {}", folder_, error.message()));
    if (const auto written = write_folder(folder_, submission_.files); !written)
      return written.error();
    const fs::path include = fs::path(task_.folder) / "include";
    if (!fs::is_directory(include, error)) return {};
    Result<std::vector<PackageFile>> headers = read_folder(include.string(), max_include);
    if (!headers) return headers.error();
    return write_folder((fs::path(folder_) / task_include).string(), *headers);
  }

  bool compile(const std::string& source, const std::string& object) {
    std::vector<std::string> arguments = {"-c", "-g",
                                          fmt::format("-{}", name(submission_.optimise))};
    for (const auto& [define, value] : submission_.defines)
      arguments.push_back(fmt::format("-D{}={}", define, value));
    arguments.insert(arguments.end(), {"-I", ".", "-I", std::string(task_include), source});
    return step(arguments, object);
  }

  /// Runs the driver, which makes the file `result` of the folder of results; false when that ends
  /// the build.
  bool step(const std::vector<std::string>& arguments, const std::string& result) {
    const Result<ProcessRun> run =
        toolchain_.sandbox ? run_in_sandbox(arguments, result) : run_here(arguments, result);
    if (!run) {
      built_ = failed(run.error().message);
      return false;
    }
    step_log_ = run->log;
    built_.log += profile::printable(run->log);
    if (run->log_dropped > 0) built_.log += fmt::format("\n({} more bytes)\n", run->log_dropped);
    built_.verdict = classify(*run, toolchain_, limits_);
    built_.log += explain(built_.verdict);
    return built_.verdict == Verdict::accepted;
  }

  Result<ProcessRun> run_here(const std::vector<std::string>& arguments,
                              const std::string& result) const {
    const std::string into = fmt::format("{}/{}", folder_, results);
    return run_process(
        command(toolchain_.driver, folder_, arguments, fmt::format("{}/{}", into, result)),
        environment("/usr/bin:/bin", into, toolchain_.clang, toolchain_.lld), folder_, limits_);
  }

  Result<ProcessRun> run_in_sandbox(const std::vector<std::string>& arguments,
                                    const std::string& result) const {
    Result<SandboxRun> run = toolchain_.sandbox->run(
        command(inside::driver, inside::sources, arguments,
                fmt::format("{}/{}", inside::scratch, result)),
        environment("/bin", inside::scratch, inside::clang, inside::lld), folder_, result, limits_);
    if (!run) return run.error();
    const std::string into = fmt::format("{}/{}", folder_, results);
    if (const auto written = write_folder(into, {{result, std::move(run->result)}}); !written)
      return written.error();
    return std::move(run->process);
  }

  static std::vector<std::string> command(std::string_view driver, std::string_view root,
                                          const std::vector<std::string>& arguments,
                                          const std::string& output) {
    std::vector<std::string> words = {std::string(driver), "--root", std::string(root)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    words.insert(words.end(), {"-o", output});
    return words;
  }

  /// Nothing of the caller's: it would be part of the result. The epoch makes __DATE__ and __TIME__
  /// the same always.
  static std::vector<std::string> environment(std::string_view path, std::string_view scratch,
                                              std::string_view clang, std::string_view lld) {
    return {fmt::format("PATH={}", path),
            "LC_ALL=C",
            "SOURCE_DATE_EPOCH=0",
            fmt::format("TMPDIR={}", scratch),
            fmt::format("SIMFARM_CLANG={}", clang),
            fmt::format("SIMFARM_LLD={}", lld)};
  }

  const Toolchain& toolchain_;
  const Task& task_;
  const Submission& submission_;
  const ProcessLimits& limits_;
  const std::string& folder_;
  Built built_;
  std::string step_log_;
};

}  // namespace

Built build(const Toolchain& toolchain, const Task& task, const Submission& submission,
            const ProcessLimits& limits) {
  const Result<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder) return {Verdict::system_error, folder.error().message + "\n", {}};
  return Builder(toolchain, task, submission, limits, folder->path()).run();
}

}  // namespace simfarm::farm
