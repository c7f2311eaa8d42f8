#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace simfarm {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  /// Closes now; false when the system reports a late write error.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

bool write_all(int fd, std::span<const u8> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

Result<std::vector<u8>> read_file(const std::string& path, u64 max_bytes) {
  // O_NONBLOCK: opening a named pipe must not hang; it is refused below.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return io_error(fmt::format("{}: cannot open: {}", path, reason(errno)));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    return io_error(fmt::format("{}: cannot stat: {}", path, reason(errno)));
  if (!S_ISREG(status.st_mode)) return input_error(fmt::format("{}: not a regular file", path));
  const u64 size = static_cast<u64>(status.st_size);
  if (size > max_bytes)
    return input_error(fmt::format("{}: {} bytes, at most {} are accepted", path, size, max_bytes));
  std::vector<u8> bytes(size);
  size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + have, bytes.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(fmt::format("{}: cannot read: {}", path, reason(errno)));
    if (got == 0) return io_error(fmt::format("{}: became shorter while it was read", path));
    have += static_cast<size_t>(got);
  }
  return bytes;
}

Result<PendingFile> PendingFile::create(const std::string& path, u32 mode) {
  std::string temporary = path + ".tmp.XXXXXX";
  const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.get() < 0) return io_error(fmt::format("{}: cannot create: {}", path, reason(errno)));
  PendingFile pending(path, std::move(temporary));
  if (::fchmod(file.get(), mode) != 0)
    return io_error(fmt::format("{}: cannot set the mode: {}", path, reason(errno)));
  return pending;
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})) {}

PendingFile::~PendingFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> PendingFile::commit() {
  const auto fail = [&](const char* step) {
    return io_error(fmt::format("{}: cannot {}: {}", path_, step, reason(errno)));
  };
  Descriptor file(::open(temporary_.c_str(), O_RDWR | O_CLOEXEC));
  if (file.get() < 0) return fail("reopen");
  if (::fsync(file.get()) != 0) return fail("sync");
  if (!file.close()) return fail("close");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return fail("rename into place");
  temporary_.clear();
  const std::filesystem::path parent = std::filesystem::path(path_).parent_path();
  const Descriptor folder(
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 || ::fsync(folder.get()) != 0) return fail("sync the folder");
  return {};
}

Result<void> write_file(const std::string& path, std::span<const u8> bytes, u32 mode) {
  Result<PendingFile> pending = PendingFile::create(path, mode);
  if (!pending) return pending.error();
  Descriptor file(::open(pending->temporary().c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0 || !write_all(file.get(), bytes) || !file.close())
    return io_error(fmt::format("{}: cannot write: {}", path, reason(errno)));
  return pending->commit();
}

Result<void> write_text(const std::string& path, std::string_view text, u32 mode) {
  return write_file(path, {reinterpret_cast<const u8*>(text.data()), text.size()}, mode);
}

}  // namespace simfarm
