#include "farm/seccomp.h"

#include <fmt/format.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <system_error>

namespace simfarm::farm {
namespace {

// By name, for every architecture: libseccomp leaves out what an architecture has not got.
constexpr const char* allowed_calls[] = {
    // Files, by name and open.
    "access", "chdir", "chmod", "close", "close_range", "copy_file_range", "creat", "dup", "dup2",
    "dup3", "faccessat", "faccessat2", "fadvise64", "fallocate", "fchdir", "fchmod", "fchmodat",
    "fcntl", "fdatasync", "flock", "fstat", "fstatfs", "fsync", "ftruncate", "getcwd", "getdents",
    "getdents64", "lseek", "lstat", "mkdir", "mkdirat", "newfstatat", "open", "openat", "pipe",
    "pipe2", "poll", "ppoll", "pread64", "preadv", "pselect6", "pwrite64", "pwritev", "read",
    "readlink", "readlinkat", "readv", "rename", "renameat", "renameat2", "rmdir", "select",
    "sendfile", "stat", "statfs", "statx", "truncate", "umask", "unlink", "unlinkat", "utimensat",
    "write", "writev",
    // Memory and threads.
    "arch_prctl", "brk", "futex", "get_robust_list", "getcpu", "madvise", "membarrier", "mincore",
    "mmap", "mprotect", "mremap", "munmap", "rseq", "sched_getaffinity", "sched_getparam",
    "sched_getscheduler", "sched_yield", "set_robust_list", "set_tid_address",
    // Processes, their signals, their limits. A process sees those of the sandbox only.
    "execve", "exit", "exit_group", "fork", "getegid", "geteuid", "getgid", "getgroups", "getpgid",
    "getpgrp", "getpid", "getppid", "getrlimit", "getrusage", "getsid", "gettid", "getuid", "kill",
    "prlimit64", "restart_syscall", "rt_sigaction", "rt_sigpending", "rt_sigprocmask",
    "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "setpgid", "setrlimit", "sigaltstack",
    "tgkill", "tkill", "vfork", "wait4", "waitid",
    // Time, chance, and what machine this is.
    "clock_getres", "clock_gettime", "clock_nanosleep", "getrandom", "gettimeofday", "nanosleep",
    "sysinfo", "time", "times", "uname"};

// Beside the kinds of mmap without a file, which is what memory is. Generated code wants mprotect.
constexpr const char* simulation_calls[] = {
    "brk",         "clock_getres", "clock_gettime",  "close",        "exit",
    "exit_group",  "fstat",        "futex",          "getcpu",       "getpid",
    "getppid",     "getrandom",    "getrusage",      "gettid",       "gettimeofday",
    "lseek",       "madvise",      "membarrier",     "mincore",      "mprotect",
    "mremap",      "munmap",       "pread64",        "read",         "restart_syscall",
    "rseq",        "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_getaffinity",
    "sched_yield", "sigaltstack",  "time",           "write",        "writev"};

constexpr u64 new_namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                               CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | 0x80 /* NEWTIME */;

/// 0, or a negative errno.
int allow_some_uses(scmp_filter_ctx filter) {
  const auto allow = [&](const char* call, const scmp_arg_cmp& when) {
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, seccomp_syscall_resolve_name(call), 1, when);
  };
  // clone3 takes its flags in memory, where a filter cannot see them: threads are made by clone.
  int failed = allow("clone", SCMP_A0(SCMP_CMP_MASKED_EQ, new_namespaces, 0));
  for (const u64 request : {TCGETS, TIOCGWINSZ})
    if (failed == 0) failed = allow("ioctl", SCMP_A1(SCMP_CMP_EQ, request));
  for (const u64 option : {PR_SET_NAME, PR_GET_NAME})
    if (failed == 0) failed = allow("prctl", SCMP_A0(SCMP_CMP_EQ, option));
  return failed;
}

/// Memory that is no file's. 0, or a negative errno.
int allow_memory(scmp_filter_ctx filter) {
  return seccomp_rule_add(filter, SCMP_ACT_ALLOW, seccomp_syscall_resolve_name("mmap"), 1,
                          SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, MAP_ANONYMOUS));
}

Result<std::vector<u8>> program_of(scmp_filter_ctx filter) {
  const auto failed = [](int error) {
    return io_error("seccomp filter: " + std::generic_category().message(error));
  };
  const int file = ::memfd_create("simfarm-seccomp", MFD_CLOEXEC);
  if (file < 0) return failed(errno);
  const std::unique_ptr<const int, void (*)(const int*)> closed(
      &file, [](const int* fd) { ::close(*fd); });
  if (const int error = seccomp_export_bpf(filter, file); error != 0) return failed(-error);
  const off_t size = ::lseek(file, 0, SEEK_END);
  if (size <= 0) return failed(EIO);
  std::vector<u8> program(static_cast<size_t>(size));
  if (::pread(file, program.data(), program.size(), 0) != size) return failed(EIO);
  return program;
}

/// What these calls and `some_uses` let through.
Result<std::vector<u8>> program_for(std::span<const char* const> calls,
                                    int (*some_uses)(scmp_filter_ctx)) {
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(
      seccomp_init(SCMP_ACT_ERRNO(ENOSYS)), [](scmp_filter_ctx each) { seccomp_release(each); });
  if (!filter) return io_error("seccomp filter: libseccomp cannot make one here");
  // A tree of comparisons instead of a row; older libraries have only the row.
  seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);
  int failed = some_uses(filter.get());
  for (const char* const call : calls) {
    const int number = seccomp_syscall_resolve_name(call);
    if (number == __NR_SCMP_ERROR) continue;  // newer than the library
    if (failed == 0) failed = seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, number, 0);
  }
  if (failed != 0) return io_error("seccomp filter: " + std::generic_category().message(-failed));
  return program_of(filter.get());
}

}  // namespace

Result<std::vector<u8>> seccomp_program() { return program_for(allowed_calls, allow_some_uses); }

Result<std::vector<u8>> simulation_filter() { return program_for(simulation_calls, allow_memory); }

Result<void> take_filter(const std::vector<u8>& program) {
  std::vector<sock_filter> filter(program.size() / sizeof(sock_filter));
  std::memcpy(filter.data(), program.data(), filter.size() * sizeof(sock_filter));
  const sock_fprog whole{static_cast<unsigned short>(filter.size()), filter.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) == 0)
    return {};
  return io_error("seccomp filter: " + std::generic_category().message(errno));
}

}  // namespace simfarm::farm
