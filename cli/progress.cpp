#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace simfarm::cli {
namespace {

// A log of a batch job should not be one line a submission, nor silent.
constexpr std::chrono::seconds plain_interval{5};

/// Whether a line may be rewritten: stderr is a terminal that can, and nobody asked for plain
/// output.
bool can_rewrite() {
  const char* const term = std::getenv("TERM");
  const char* const plain = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::strcmp(term, "dumb") != 0 &&
         (plain == nullptr || *plain == 0);
}

}  // namespace

Progress::Progress(size_t total)
    : total_(total), terminal_(can_rewrite()), last_(std::chrono::steady_clock::now()) {}

std::string Progress::line(const std::string& what) const {
  const size_t finished = passed_ + other_;
  return fmt::format("[Q {} R {} P {} F {}] {} % {}", total_ - finished - running_, running_,
                     passed_, other_, total_ == 0 ? 100 : finished * 100 / total_, what);
}

void Progress::show(const std::string& what, bool always) {
  const auto now = std::chrono::steady_clock::now();
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", line(what).c_str());
    shown_ = true;
  } else if (always || now - last_ >= plain_interval) {
    std::fprintf(stderr, "%s\n", line(what).c_str());
    last_ = now;
  }
  std::fflush(stderr);
}

void Progress::started(const std::string& what) {
  ++running_;
  show(what, false);
}

void Progress::done(const std::string& what, bool good) {
  --running_;
  ++(good ? passed_ : other_);
  show(what, passed_ + other_ == total_);
}

void Progress::clear() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
  shown_ = false;
}

}  // namespace simfarm::cli
