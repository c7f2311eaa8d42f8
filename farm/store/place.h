// Where a farm may lie, and who works on it: local disks only, one coordinator at a time.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace simfarm::farm {

/// The network file system of that number (statfs f_type) and, where the kernel says no more than
/// FUSE, of that type ("fuse.sshfs"); empty: none. Locks and fsync cannot be relied upon there.
std::string network_file_system(u64 number, std::string_view type);

/// Whether `folder` may hold a farm. Error: it is on a network file system, which is named.
Result<void> check_local(const std::string& folder);

/// Who coordinates a farm.
struct Coordinator {
  i64 pid = 0;
  std::string host;
};

/// The right to judge a farm's queue, held by at most one process; the kernel takes it back when
/// the process ends, however it ends.
class CoordinatorLock {
 public:
  /// Error (temporary): another process has it; its pid and host are named.
  static Result<CoordinatorLock> take(const std::string& farm);
  CoordinatorLock(CoordinatorLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  CoordinatorLock& operator=(CoordinatorLock&&) = delete;
  ~CoordinatorLock();

 private:
  explicit CoordinatorLock(int fd) : fd_(fd) {}
  int fd_;
};

/// The process that has the lock now; none: nobody.
std::optional<Coordinator> coordinator_of(const std::string& farm);

}  // namespace simfarm::farm
