// How far a batch is, on stderr: one line that is rewritten on a terminal, a plain line every few
// seconds otherwise.
#pragma once
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "farm/pace.h"

namespace simfarm::cli {

/// Its functions may be called on any thread.
class Progress {
 public:
  explicit Progress(u32 threads);
  ~Progress();
  /// Changes what is known: `change` gets the pace and the time.
  template <class Change>
  void tell(const Change& change) {
    const std::lock_guard lock(mutex_);
    change(pace_, now());
    show();
  }
  /// Nothing more is shown: takes a rewritten line away, or writes the last plain one, so that
  /// other output can follow.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  i64 now() const;
  void show();

  const Clock::time_point begin_ = Clock::now();
  const bool terminal_;
  std::mutex mutex_;  ///< of everything below
  std::condition_variable ending_;
  farm::Pace pace_;
  Clock::time_point last_ = begin_;  ///< when a line was written
  bool shown_ = false;               ///< there is one on the terminal
  bool ended_ = false;
  std::thread ticks_;
};

}  // namespace simfarm::cli
