#include "cli/progress.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace simfarm::cli {
namespace {

// A log of a batch job should not be one line a submission, nor silent.
constexpr std::chrono::seconds plain_interval{5};
// Quick enough for people, slow enough to cost nothing when hundreds end in a second.
constexpr std::chrono::milliseconds terminal_interval{100};
constexpr std::chrono::seconds tick{1};

/// Whether a line may be rewritten: stderr is a terminal that can, and nobody asked for plain
/// output.
bool can_rewrite() {
  const char* const term = std::getenv("TERM");
  const char* const plain = std::getenv("NO_COLOR");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::strcmp(term, "dumb") != 0 &&
         (plain == nullptr || *plain == 0);
}

}  // namespace

Progress::Progress(u32 threads) : terminal_(can_rewrite()), pace_(threads) {
  // What runs long says nothing meanwhile.
  ticks_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!ending_.wait_for(lock, tick, [this] { return ended_; }))
      if (!pace_.idle()) show();
  });
}

Progress::~Progress() { end(); }

i64 Progress::now() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin_).count();
}

void Progress::show() {
  const Clock::time_point time = Clock::now();
  const Clock::duration interval =
      terminal_ ? Clock::duration(terminal_interval) : Clock::duration(plain_interval);
  const bool first = terminal_ && !shown_;
  if (!first && time - last_ < interval) return;
  last_ = time;
  std::fprintf(stderr, terminal_ ? "\r\033[K%s" : "%s\n", pace_.line(now()).c_str());
  std::fflush(stderr);
  shown_ = terminal_;
}

void Progress::end() {
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return;
    ended_ = true;
    if (shown_) std::fprintf(stderr, "\r\033[K");
    // In a log the last line says how all ended.
    if (!terminal_ && pace_.any()) std::fprintf(stderr, "%s\n", pace_.line(now()).c_str());
    std::fflush(stderr);
  }
  ending_.notify_all();
  ticks_.join();
}

}  // namespace simfarm::cli
