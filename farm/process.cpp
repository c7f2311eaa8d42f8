#include "farm/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>

namespace simfarm::farm {
namespace {

using Clock = std::chrono::steady_clock;

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_, O_CLOEXEC) != 0) ends_[0] = ends_[1] = -1;
  }
  Pipe(const Pipe&) = delete;
  ~Pipe() {
    close(0);
    close(1);
  }
  explicit operator bool() const { return ends_[0] >= 0; }
  int read() const { return ends_[0]; }
  int write() const { return ends_[1]; }
  void close(int end) {
    if (ends_[end] >= 0) ::close(ends_[end]);
    ends_[end] = -1;
  }

 private:
  int ends_[2];
};

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

/// The child's side: only calls that are safe between fork and exec. Reports errno on `failures`.
[[noreturn]] void become(char* const* arguments, char* const* environment, const char* folder,
                         int output, int failures, const ProcessLimits& limits) {
  const auto limit = [](__rlimit_resource_t what, rlim_t soft, rlim_t hard) {
    const rlimit value{soft, hard};
    return ::setrlimit(what, &value) == 0;
  };
  const int nothing = ::open("/dev/null", O_RDONLY);
  const bool ready = ::setpgid(0, 0) == 0 && nothing >= 0 && ::dup2(nothing, 0) >= 0 &&
                     ::dup2(output, 1) >= 0 && ::dup2(output, 2) >= 0 && ::chdir(folder) == 0 &&
                     // A soft limit below the hard one: SIGXCPU tells its reason, SIGKILL does not.
                     // LLVM's handler writes a stack trace first.
                     limit(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 2) &&
                     limit(RLIMIT_AS, limits.address_bytes, limits.address_bytes) &&
                     limit(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes) &&
                     limit(RLIMIT_CORE, 0, 0);
  if (ready) ::execve(arguments[0], arguments, environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(failures, &error, sizeof error);
  ::_exit(127);
}

/// Reads what is there; false at the end of the stream.
bool drain(int fd, ProcessRun& run, u64& total, const ProcessLimits& limits) {
  char block[1 << 14];
  const ssize_t got = ::read(fd, block, sizeof block);
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (got == 0) return false;
  const u64 bytes = static_cast<u64>(got);
  const u64 kept =
      std::min(bytes, limits.log_bytes - std::min<u64>(limits.log_bytes, run.log.size()));
  run.log.append(block, kept);
  run.log_dropped += bytes - kept;
  total += bytes;
  return true;
}

/// Follows the child until it has ended, or a limit ends it.
void follow(pid_t child, int output, ProcessRun& run, const ProcessLimits& limits) {
  const int exit = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(limits.wall_seconds);
  u64 total = 0;
  bool open = true;
  run.end = ProcessRun::End::exited;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd watched[2] = {{exit, POLLIN, 0}, {open ? output : -1, POLLIN, 0}};
    const int ready =
        left > 0 ? ::poll(watched, 2, static_cast<int>(std::min<i64>(left, 1000))) : 0;
    if (ready < 0 && errno != EINTR) break;
    if (watched[1].revents != 0) open = drain(output, run, total, limits);
    if (total > limits.output_bytes)
      run.end = ProcessRun::End::output_limit;
    else if (watched[0].revents == 0 && Clock::now() >= deadline)
      run.end = ProcessRun::End::wall_limit;
    if (watched[0].revents != 0 || run.end != ProcessRun::End::exited) break;
    if (exit < 0 && !open) break;  // no pidfd: the end of its output has to do
  }
  // The leader is not reaped yet, so its group's number still belongs to it.
  ::kill(-child, SIGKILL);
  if (exit >= 0) ::close(exit);
  while (open && total <= limits.output_bytes) {
    pollfd rest{output, POLLIN, 0};
    if (::poll(&rest, 1, 0) <= 0 || !drain(output, run, total, limits)) break;
  }
}

}  // namespace

Result<ProcessRun> run_process(const std::vector<std::string>& arguments,
                               const std::vector<std::string>& environment,
                               const std::string& folder, const ProcessLimits& limits) {
  check(!arguments.empty(), "a process has a program");
  const auto failed = [&](const char* step, int error) {
    return io_error(
        fmt::format("{}: {}: {}", arguments[0], step, std::generic_category().message(error)));
  };
  Pipe output, failures;
  if (!output || !failures) return failed("no pipe", errno);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  const pid_t child = ::fork();
  if (child < 0) return failed("cannot fork", errno);
  if (child == 0)
    become(argv.data(), envp.data(), folder.c_str(), output.write(), failures.write(), limits);
  // Also here: whoever comes first, the group exists before anybody signals it.
  ::setpgid(child, child);
  output.close(1);
  failures.close(1);
  int error = 0;
  if (::read(failures.read(), &error, sizeof error) == sizeof error) {
    ::waitpid(child, nullptr, 0);
    return failed("cannot be started", error);
  }
  ProcessRun run;
  follow(child, output.read(), run, limits);
  int status = 0;
  rusage usage{};
  while (::wait4(child, &status, 0, &usage) < 0)
    if (errno != EINTR) return failed("cannot be waited for", errno);
  if (run.end == ProcessRun::End::exited && WIFSIGNALED(status))
    run.end = ProcessRun::End::signalled;
  run.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  const auto milliseconds = [](const timeval& time) {
    return static_cast<u64>(time.tv_sec) * 1000 + static_cast<u64>(time.tv_usec) / 1000;
  };
  run.cpu_milliseconds = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
  return run;
}

}  // namespace simfarm::farm
