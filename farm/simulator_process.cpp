#include "farm/simulator_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "farm/process.h"

namespace simfarm::farm {
namespace {

using SimulatorClock = std::chrono::steady_clock;
using How = SimulationEnd::How;

/// A descriptor with one owner.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

/// Both ends of something, or neither: errno says why.
struct Ends {
  Descriptor mine, theirs;
};

Ends pipe_ends() {
  int fds[2];
  if (::pipe2(fds, O_CLOEXEC) != 0) return {Descriptor(), Descriptor()};
  return {Descriptor(fds[0]), Descriptor(fds[1])};
}

Ends socket_ends() {
  int fds[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
    return {Descriptor(), Descriptor()};
  return {Descriptor(fds[0]), Descriptor(fds[1])};
}

/// Memory with these bytes, as a file that another process can map.
Descriptor file_of(std::span<const u8> bytes) {
  Descriptor file(::memfd_create("simfarm-request", MFD_CLOEXEC));
  while (file.get() >= 0 && !bytes.empty()) {
    const ssize_t put = ::write(file.get(), bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return Descriptor();
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return file;
}

/// Reads what is there, keeping at most `most` bytes of the whole. Nothing: it is at its end.
template <class Bytes>
bool read_some(int fd, Bytes& kept, u64 most) {
  u8 block[1 << 14];
  const ssize_t got = ::read(fd, block, sizeof block);
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  const u64 room = most - std::min<u64>(most, kept.size());
  kept.insert(kept.end(), block, block + std::min<u64>(static_cast<u64>(got), room));
  return got > 0;
}

bool is_readable(int fd) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, 0) > 0 && (one.revents & POLLIN) != 0;
}

SimulationEnd not_begun(const std::string& step) {
  SimulationEnd end;
  end.how = How::not_begun;
  end.log = step + ": " + std::generic_category().message(errno);
  return end;
}

}  // namespace

Result<std::unique_ptr<SimulatorProcess>> SimulatorProcess::start(const SimulatorOptions& options) {
  Ends socket = socket_ends(), output = pipe_ends();
  if (socket.mine.get() < 0 || output.mine.get() < 0)
    return io_error("no socket for a simulator: " + std::generic_category().message(errno));
  const ProcessLimits limits{.cpu_seconds = 0,
                             .address_bytes = 0,
                             .file_bytes = 1u << 20,  // the filter, while it is made
                             .open_files = 64};
  const Result<int> pid = start_process(options.command, {"LC_ALL=C"}, "/", limits,
                                        output.theirs.get(), {socket.theirs.get()});
  if (!pid) return pid.error();
  return std::unique_ptr<SimulatorProcess>(
      new SimulatorProcess(options, *pid, socket.mine.release(), output.mine.release()));
}

SimulatorProcess::~SimulatorProcess() {
  ::kill(-pid_, SIGKILL);
  ::close(socket_);
  ::close(output_);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
}

SimulationEnd SimulatorProcess::run(std::span<const u8> request, u64 max_record) {
  const Descriptor file = file_of(request);
  if (file.get() < 0) return not_begun("no memory for the request");
  Ends record = pipe_ends();
  if (record.mine.get() < 0) return not_begun("no pipe");
  const int given[] = {file.get(), record.theirs.get()};
  if (!send_message(socket_,
                    {SimulatorMessage::Kind::job, limits_.cpu_seconds, limits_.address_bytes},
                    given)) {
    usable_ = false;
    SimulationEnd end = not_begun("the simulator is gone");
    while (is_readable(output_) && read_some(output_, end.log, limits_.log_bytes)) continue;
    return end;
  }
  record.theirs = Descriptor();
  SimulationEnd end;
  follow(record.mine.get(), max_record, end);
  usable_ = end.how == How::exited || end.how == How::signalled;
  return end;
}

/// Reads a message; true when it says how the simulation ended.
bool SimulatorProcess::hear(SimulationEnd& end) {
  using Kind = SimulatorMessage::Kind;
  std::vector<int> unasked;
  const std::optional<SimulatorMessage> message = receive_message(socket_, unasked);
  for (const int each : unasked) ::close(each);
  if (message && message->kind == Kind::ready) return false;
  end.how = How::lost;
  constexpr u64 most_code = 255;
  if (!message || message->a > most_code) return true;
  if (message->kind == Kind::exited) end.how = How::exited;
  if (message->kind == Kind::signalled) end.how = How::signalled;
  end.code = static_cast<int>(message->a);
  return true;
}

/// Until its end is told and the record's pipe is at its end, or there is too much or too little.
void SimulatorProcess::follow(int record, u64 max_record, SimulationEnd& end) {
  constexpr std::chrono::seconds grace{10};  // from its end to the pipe's: nobody else has it
  SimulatorClock::time_point deadline =
      SimulatorClock::now() + std::chrono::seconds(limits_.wall_seconds);
  bool told = false;
  while (!told || record >= 0) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - SimulatorClock::now()).count();
    pollfd watched[] = {{told ? -1 : socket_, POLLIN, 0},
                        {record, POLLIN, 0},
                        {output_, POLLIN, 0},
                        {cancellation_ ? cancellation_->descriptor() : -1, POLLIN, 0}};
    constexpr i64 longest = 1000;
    const int ready = ::poll(watched, 4, static_cast<int>(std::clamp<i64>(left, 0, longest)));
    if (left <= 0) {
      end.how = told ? How::lost : How::silent;
      break;
    }
    if (ready <= 0) continue;
    if (watched[3].revents != 0) {
      end.how = How::cancelled;
      break;
    }
    // One byte too many is enough to know.
    if (watched[1].revents != 0 && !read_some(record, end.record, max_record + 1)) record = -1;
    if (end.record.size() > max_record) {
      end.how = How::flooded;
      break;
    }
    if ((watched[2].revents & POLLIN) != 0) read_some(output_, end.log, limits_.log_bytes);
    if (watched[0].revents == 0) continue;
    told = hear(end);
    if (told && end.how == How::lost) break;
    if (told) deadline = SimulatorClock::now() + grace;
  }
  // A pipe holds no more than this; its writer is gone, or will be.
  constexpr int most_blocks = 8;
  for (int k = 0; k < most_blocks && is_readable(output_); ++k)
    read_some(output_, end.log, limits_.log_bytes);
}

}  // namespace simfarm::farm
