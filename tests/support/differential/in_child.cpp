#include "tests/support/differential/in_child.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <new>
#include <system_error>

namespace simfarm::test {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::string read_all(int file) {
  std::string text;
  char piece[4096];
  for (;;) {
    const ssize_t got = ::read(file, piece, sizeof piece);
    if (got > 0) text.append(piece, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) return text;
  }
}

}  // namespace

Child in_child(const std::function<std::string(const std::function<void(u64)>& mark)>& work,
               u32 seconds) {
  void* const page = ::mmap(nullptr, sizeof(std::atomic<u64>), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) fail("mmap");
  auto* const mark = new (page) std::atomic<u64>(0);
  int ends[2];
  if (::pipe(ends) != 0) fail("pipe");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    ::close(ends[0]);
    ::alarm(seconds);
    const std::string text = work([&](u64 value) {
      mark->store(value);
      ::alarm(seconds);
    });
    const bool written =
        ::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    std::fflush(nullptr);
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  Child result;
  result.text = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  // A sanitizer's report ends a process as well.
  if (result.signal == 0 && WEXITSTATUS(status) != 0) result.signal = SIGABRT;
  result.mark = mark->load();
  ::munmap(page, sizeof(std::atomic<u64>));
  return result;
}

}  // namespace simfarm::test
