// Work that is to end at once: whoever waits for a process waits for this too, and then ends it.
#pragma once
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/types.h"

namespace simfarm::farm {

class Cancellation {
 public:
  Cancellation() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  Cancellation(const Cancellation&) = delete;
  ~Cancellation() {
    if (fd_ >= 0) ::close(fd_);
  }
  /// For ever. May be called by a signal's handler.
  void cancel() const {
    const u64 one = 1;
    [[maybe_unused]] const ssize_t written = ::write(fd_, &one, sizeof one);
  }
  bool cancelled() const {
    pollfd state{fd_, POLLIN, 0};
    return ::poll(&state, 1, 0) > 0;
  }
  /// Readable once it is cancelled.
  int descriptor() const { return fd_; }

 private:
  int fd_;
};

}  // namespace simfarm::farm
