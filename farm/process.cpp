#include "farm/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
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

/// Makes `descriptors` the child's 3, 4, ..., first moving all out of each other's way; only calls
/// that are safe between fork and exec. False: errno says why.
bool place(std::vector<int>& descriptors, int& failures) {
  constexpr int above = 64;
  failures = ::fcntl(failures, F_DUPFD_CLOEXEC, above);
  if (failures < 0) return false;
  for (int& each : descriptors)
    if ((each = ::fcntl(each, F_DUPFD_CLOEXEC, above)) < 0) return false;
  for (size_t k = 0; k < descriptors.size(); ++k)
    if (::dup2(descriptors[k], static_cast<int>(3 + k)) < 0) return false;
  // Whatever else is open here, without O_CLOEXEC perhaps, is nothing to the child.
  return ::syscall(SYS_close_range, 3 + descriptors.size(), ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) == 0;
}

bool become_user(u32 user) {
  return ::setgroups(0, nullptr) == 0 && ::setresgid(user, user, user) == 0 &&
         ::setresuid(user, user, user) == 0;
}

/// The child's side: only calls that are safe between fork and exec. Reports errno on `failures`.
[[noreturn]] void become(char* const* arguments, char* const* environment, const char* folder,
                         int output, int failures, std::vector<int>& descriptors,
                         const ProcessLimits& limits) {
  const auto limit = [](__rlimit_resource_t what, rlim_t soft, rlim_t hard) {
    const rlimit value{soft, hard};
    return ::setrlimit(what, &value) == 0;
  };
  const int nothing = ::open("/dev/null", O_RDONLY);
  const bool ready =
      ::setpgid(0, 0) == 0 && nothing >= 0 && ::dup2(nothing, 0) >= 0 && ::dup2(output, 1) >= 0 &&
      ::dup2(output, 2) >= 0 && ::chdir(folder) == 0 && place(descriptors, failures) &&
      // A soft limit below the hard one: SIGXCPU tells its reason, SIGKILL does not.
      // LLVM's handler writes a stack trace first.
      (limits.cpu_seconds == 0 || limit(RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 2)) &&
      (limits.address_bytes == 0 || limit(RLIMIT_AS, limits.address_bytes, limits.address_bytes)) &&
      limit(RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes) &&
      limit(RLIMIT_NOFILE, limits.open_files, limits.open_files) && limit(RLIMIT_CORE, 0, 0) &&
      (limits.user == 0 || become_user(limits.user));
  if (ready) ::execve(arguments[0], arguments, environment);
  const int error = errno;
  [[maybe_unused]] const ssize_t told = ::write(failures, &error, sizeof error);
  ::_exit(127);
}

/// One of the child's streams: its log, or a pipe of its own.
struct Stream {
  int fd = -1;  ///< -1: at its end
  u64 most = 0;
  ProcessPipe* pipe = nullptr;  ///< null: the log
  u64 total = 0;
  bool flooded() const { return total > most; }
};

/// Reads what is there.
void drain(Stream& stream, ProcessRun& run, const ProcessLimits& limits) {
  char block[1 << 14];
  const ssize_t got = ::read(stream.fd, block, sizeof block);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    stream.fd = -1;
    return;
  }
  const u64 bytes = static_cast<u64>(got);
  const u64 had = stream.pipe != nullptr ? stream.pipe->bytes.size() : run.log.size();
  const u64 bound = stream.pipe != nullptr ? stream.most : limits.log_bytes;
  const u64 kept = std::min(bytes, bound - std::min(bound, had));
  stream.total += bytes;
  if (stream.pipe != nullptr) {
    stream.pipe->bytes.insert(stream.pipe->bytes.end(), block, block + kept);
    return;
  }
  run.log.append(block, kept);
  run.log_dropped += bytes - kept;
}

/// Waits for one of the streams or the child's end; true when the child has ended.
bool wait_for(int exit, std::vector<Stream>& streams, int milliseconds, ProcessRun& run,
              const ProcessLimits& limits) {
  const int cancelled = limits.cancellation == nullptr ? -1 : limits.cancellation->descriptor();
  std::vector<pollfd> watched = {{exit, POLLIN, 0}};
  for (const Stream& stream : streams) watched.push_back({stream.fd, POLLIN, 0});
  watched.push_back({cancelled, POLLIN, 0});
  if (milliseconds <= 0 || ::poll(watched.data(), watched.size(), milliseconds) <= 0) return false;
  for (size_t k = 0; k < streams.size(); ++k)
    if (watched[k + 1].revents != 0) drain(streams[k], run, limits);
  return watched[0].revents != 0;
}

/// What is still in the streams once the child has gone. The log may have other holders; a pipe of
/// its own ends with the last process, which is waited for, but not for ever.
void drain_rest(std::vector<Stream>& streams, ProcessRun& run, const ProcessLimits& limits) {
  const Clock::time_point until = Clock::now() + std::chrono::seconds(10);
  for (Stream& stream : streams)
    while (stream.fd >= 0 && (stream.pipe != nullptr ? Clock::now() < until : !stream.flooded())) {
      pollfd rest{stream.fd, POLLIN, 0};
      if (::poll(&rest, 1, stream.pipe != nullptr ? 1000 : 0) > 0)
        drain(stream, run, limits);
      else if (stream.pipe == nullptr)
        break;
    }
}

/// Follows the child until it has ended, or a limit ends it.
void follow(pid_t child, std::vector<Stream>& streams, ProcessRun& run,
            const ProcessLimits& limits) {
  const auto any = [&](auto condition) {
    return std::any_of(streams.begin(), streams.end(), condition);
  };
  const int exit = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(limits.wall_seconds);
  run.end = ProcessRun::End::exited;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    const bool ended =
        wait_for(exit, streams, static_cast<int>(std::clamp<i64>(left, 0, 1000)), run, limits);
    if (any([](const Stream& stream) { return stream.flooded(); }))
      run.end = ProcessRun::End::output_limit;
    else if (!ended && Clock::now() >= deadline)
      run.end = ProcessRun::End::wall_limit;
    else if (!ended && limits.cancellation != nullptr && limits.cancellation->cancelled())
      run.end = ProcessRun::End::cancelled;
    if (ended || run.end != ProcessRun::End::exited) break;
    // No pidfd: the end of its output has to do.
    if (exit < 0 && !any([](const Stream& stream) { return stream.fd >= 0; })) break;
  }
  // The leader is not reaped yet, so its group's number still belongs to it.
  ::kill(-child, SIGKILL);
  if (exit >= 0) ::close(exit);
  drain_rest(streams, run, limits);
  // What the rest has too much, the whole has.
  if (run.end == ProcessRun::End::exited &&
      any([](const Stream& stream) { return stream.pipe != nullptr && stream.flooded(); }))
    run.end = ProcessRun::End::output_limit;
}

}  // namespace

Result<int> start_process(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment, const std::string& folder,
                          const ProcessLimits& limits, int output, std::vector<int> given) {
  check(!arguments.empty(), "a process has a program");
  const auto failed = [&](const char* step, int error) {
    return io_error(
        fmt::format("{}: {}: {}", arguments[0], step, std::generic_category().message(error)));
  };
  Pipe failures;
  if (!failures) return failed("no pipe", errno);
  const std::vector<char*> argv = pointers(arguments);
  const std::vector<char*> envp = pointers(environment);
  const pid_t child = ::fork();
  if (child < 0) return failed("cannot fork", errno);
  if (child == 0)
    become(argv.data(), envp.data(), folder.c_str(), output, failures.write(), given, limits);
  // Also here: whoever comes first, the group exists before anybody signals it.
  ::setpgid(child, child);
  failures.close(1);
  int error = 0;
  if (::read(failures.read(), &error, sizeof error) != sizeof error) return child;
  ::waitpid(child, nullptr, 0);
  return failed("cannot be started", error);
}

Result<ProcessRun> run_process(const std::vector<std::string>& arguments,
                               const std::vector<std::string>& environment,
                               const std::string& folder, const ProcessLimits& limits,
                               ProcessDescriptors* descriptors) {
  const auto failed = [&](const char* step, int error) {
    return io_error(
        fmt::format("{}: {}: {}", arguments[0], step, std::generic_category().message(error)));
  };
  Pipe output;
  if (!output) return failed("no pipe", errno);
  ProcessDescriptors none;
  ProcessDescriptors& more = descriptors != nullptr ? *descriptors : none;
  std::vector<std::unique_ptr<Pipe>> pipes;
  std::vector<int> childs = more.given;
  std::vector<Stream> streams = {{output.read(), limits.output_bytes}};
  for (ProcessPipe& each : more.pipes) {
    pipes.push_back(std::make_unique<Pipe>());
    if (!*pipes.back()) return failed("no pipe", errno);
    childs.push_back(pipes.back()->write());
    streams.push_back({pipes.back()->read(), each.max_bytes, &each});
  }
  const Result<int> child =
      start_process(arguments, environment, folder, limits, output.write(), std::move(childs));
  if (!child) return child.error();
  output.close(1);
  for (const auto& pipe : pipes) pipe->close(1);
  ProcessRun run;
  follow(*child, streams, run, limits);
  int status = 0;
  rusage usage{};
  while (::wait4(*child, &status, 0, &usage) < 0)
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
