#include "farm/simulator_worker.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "engine/simulation.h"
#include "farm/seccomp.h"
#include "farm/simulation_record.h"

namespace simfarm::farm {
namespace {

constexpr u32 simulation_user = 65534;
constexpr size_t message_bytes = 24;
constexpr size_t job_descriptors = 2;

/// The bytes of a file that nobody changes any more; nothing when they cannot be had.
std::span<const u8> map_request(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || status.st_size <= 0) return {};
  const size_t size = static_cast<size_t>(status.st_size);
  void* const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (bytes == MAP_FAILED) return {};
  return {static_cast<const u8*>(bytes), size};
}

bool bound(__rlimit_resource_t what, u64 most) {
  const rlimit value{most, most};
  return ::setrlimit(what, &value) == 0;
}

/// No right that the simulation does not need. Root becomes nobody; whoever has no parent any more
/// ends.
bool give_up_rights(const SimulatorMessage& job, pid_t worker, const std::vector<u8>& filter) {
  if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 ||
                           ::setresgid(simulation_user, simulation_user, simulation_user) != 0 ||
                           ::setresuid(simulation_user, simulation_user, simulation_user) != 0))
    return false;
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != worker) return false;
#ifndef __SANITIZE_ADDRESS__  // it maps terabytes
  if (job.b != 0 && !bound(RLIMIT_AS, job.b)) return false;
#endif
  const rlimit cpu{job.a, job.a + 2};  // SIGXCPU tells its reason, SIGKILL does not
  if (job.a != 0 && ::setrlimit(RLIMIT_CPU, &cpu) != 0) return false;
  if (!bound(RLIMIT_FSIZE, 0) || !bound(RLIMIT_CORE, 0) || !bound(RLIMIT_NPROC, 0)) return false;
  return filter.empty() || take_filter(filter);
}

bool write_all(int to, std::span<const u8> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(to, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(put));
  }
  return true;
}

/// The child's whole life.
[[noreturn]] void simulate(const SimulatorMessage& job, int request, int record, pid_t worker,
                           const std::vector<u8>& filter, const SimulationBody& body) {
  const std::span<const u8> bytes = map_request(request);
  ::close(request);
  if (bytes.empty() || !give_up_rights(job, worker, filter)) {
    std::fprintf(stderr, "simfarm: a simulation's process cannot be made ready: %s\n",
                 std::strerror(errno));
    ::_exit(simulator_exit::not_ready);
  }
  try {
    const std::vector<u8> result = body(bytes);
    ::_exit(write_all(record, result) ? 0 : simulator_exit::failed);
  } catch (const std::bad_alloc&) {
    ::_exit(simulator_exit::no_memory);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "simfarm: %s\n", error.what());
  }
  ::_exit(simulator_exit::failed);
}

/// Whether a child can take it: some containers forbid that.
bool filter_works(const std::vector<u8>& filter) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(take_filter(filter) ? 0 : simulator_exit::not_ready);
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

/// Waits for the child's end, or ends it when nobody wants to know any more.
bool wait_for_simulation(pid_t child, int socket, int& status) {
  const int exit = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  bool wanted = true;
  for (;;) {
    pollfd watched[] = {{exit, POLLIN, 0}, {socket, POLLRDHUP, 0}};
    constexpr int tick = 20;  // milliseconds, on kernels without pidfd
    if (::poll(watched, 2, exit < 0 ? tick : -1) > 0 && watched[1].revents != 0) {
      ::kill(child, SIGKILL);
      wanted = false;
    }
    if (::waitpid(child, &status, wanted ? WNOHANG : 0) == child) break;
  }
  if (exit >= 0) ::close(exit);
  return wanted;
}

}  // namespace

bool send_message(int socket, const SimulatorMessage& message, std::span<const int> descriptors) {
  u64 words[] = {static_cast<u64>(message.kind), message.a, message.b};
  static_assert(sizeof words == message_bytes);
  iovec part{words, sizeof words};
  alignas(cmsghdr) char control[CMSG_SPACE(job_descriptors * sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  }
  ssize_t sent = 0;
  do sent = ::sendmsg(socket, &header, MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof words);
}

std::optional<SimulatorMessage> receive_message(int socket, std::vector<int>& descriptors) {
  u64 words[3] = {};
  iovec part{words, sizeof words};
  alignas(cmsghdr) char control[CMSG_SPACE(job_descriptors * sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  ssize_t got = 0;
  do got = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got <= 0) return std::nullopt;
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    const size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    const size_t had = descriptors.size();
    descriptors.resize(had + count);
    std::memcpy(&descriptors[had], CMSG_DATA(each), count * sizeof(int));
  }
  if (got != sizeof words || (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0)
    return std::nullopt;
  return SimulatorMessage{static_cast<SimulatorMessage::Kind>(words[0]), words[1], words[2]};
}

std::vector<u8> simulate_request(std::span<const u8> request) {
  Result<SimulationRequest> read = unpack_request(request);
  if (!read) {
    Judgement refused;
    refused.verdict = Verdict::judge_error;
    refused.failure = read.error().message;
    return pack_record(refused);
  }
  return pack_record(judge_program(read->task, read->cases, std::move(read->elf), read->options));
}

bool simulation_filter_works() {
  const Result<std::vector<u8>> filter = simulation_filter();
  return filter && filter_works(*filter);
}

int serve_simulations(int socket, const SimulationBody& body) {
  using Kind = SimulatorMessage::Kind;
  const pid_t worker = ::getpid();
  ::signal(SIGCHLD, SIG_DFL);  // who ignores it gets no status
  // Now: a child opens no file. Without it a simulation is slower and has the same result.
  (void)load_code_generator();
  std::vector<u8> filter;
  if (Result<std::vector<u8>> made = simulation_filter()) filter = std::move(*made);
  if (!filter_works(filter)) filter.clear();
  if (!send_message(socket, {Kind::ready, filter.empty() ? u64{0} : u64{1}}, {})) return 0;
  for (;;) {
    std::vector<int> given;
    const std::optional<SimulatorMessage> job = receive_message(socket, given);
    if (!job) return 0;
    if (job->kind != Kind::job || given.size() != job_descriptors) return simulator_exit::failed;
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(socket);
      simulate(*job, given[0], given[1], worker, filter, body);
    }
    for (const int each : given) ::close(each);
    if (child < 0) return simulator_exit::failed;
    int status = 0;
    if (!wait_for_simulation(child, socket, status)) return 0;
    const bool signalled = WIFSIGNALED(status);
    const int code = signalled ? WTERMSIG(status) : WEXITSTATUS(status);
    if (!send_message(socket, {signalled ? Kind::signalled : Kind::exited, static_cast<u64>(code)},
                      {}))
      return 0;
  }
}

}  // namespace simfarm::farm
