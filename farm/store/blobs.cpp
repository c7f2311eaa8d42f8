#include "farm/store/blobs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/file.h"
#include "farm/digest.h"

namespace simfarm::farm {
namespace {

namespace fs = std::filesystem;

// A task package is the largest thing that is kept.
constexpr u64 max_blob_bytes = u64{2} << 30;
constexpr size_t digest_characters = 64;

bool is_digest(const std::string& name) {
  return name.size() == digest_characters && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

/// Who puts a blob shares it, who removes one has it alone: so nobody is told that a blob is there
/// which is then removed. The kernel takes it back when a process ends.
class BlobsLock {
 public:
  BlobsLock(const std::string& folder, int how)
      : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    int taken = -1;
    while (fd_ >= 0 && (taken = ::flock(fd_, how)) != 0 && errno == EINTR) continue;
    if (taken != 0)
      result_ = io_error(
          fmt::format("{}: cannot lock: {}", folder, std::generic_category().message(errno)));
  }
  BlobsLock(const BlobsLock&) = delete;
  ~BlobsLock() {
    if (fd_ >= 0) ::close(fd_);
  }
  const Result<void>& result() const { return result_; }

 private:
  int fd_;
  Result<void> result_;
};

}  // namespace

std::optional<i64> written_at(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return i64{status.st_mtim.tv_sec} * 1000 + status.st_mtim.tv_nsec / 1000000;
}

Result<void> sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  const int why = errno;
  if (fd >= 0) ::close(fd);
  if (synced) return {};
  return io_error(fmt::format("{}: cannot sync: {}", folder, std::generic_category().message(why)));
}

Result<void> Blobs::create() const {
  std::error_code error;
  fs::create_directories(folder_, error);
  for (u32 k = 0; !error && k < 256; ++k)
    fs::create_directory(fs::path(folder_) / fmt::format("{:02x}", k), error);
  if (error) return io_error(fmt::format("{}: {}", folder_, error.message()));
  return sync_folder(folder_);
}

std::string Blobs::path(const std::string& digest) const {
  return fmt::format("{}/{}/{}", folder_, digest.substr(0, 2), digest);
}

Result<std::string> Blobs::put(std::span<const u8> bytes) const {
  std::string digest = sha256(bytes);
  const BlobsLock lock(folder_, LOCK_SH);
  if (!lock.result()) return lock.result().error();
  // What is there and damaged is written again: whoever brings the bytes mends the blob.
  if (exists(digest) && get(digest)) {
    if (::utimensat(AT_FDCWD, path(digest).c_str(), nullptr, 0) != 0)
      return io_error(fmt::format("{}: {}", path(digest), std::generic_category().message(errno)));
    // Somebody may have been killed before its name was on the disk.
    const auto synced = sync_folder(fs::path(path(digest)).parent_path().string());
    if (!synced) return synced.error();
    return digest;
  }
  if (const auto written = write_file(path(digest), bytes); !written) return written.error();
  return digest;
}

bool Blobs::exists(const std::string& digest) const {
  std::error_code error;
  return is_digest(digest) && fs::is_regular_file(path(digest), error);
}

Result<bool> Blobs::remove_older(const std::string& digest, i64 than) const {
  if (!is_digest(digest)) return io_error(fmt::format("{}: \"{}\" is no blob", folder_, digest));
  const BlobsLock lock(folder_, LOCK_EX);
  if (!lock.result()) return lock.result().error();
  const std::optional<i64> written = written_at(path(digest));
  if (!written || *written >= than) return false;
  if (::unlink(path(digest).c_str()) == 0) return true;
  return io_error(
      fmt::format("{}: cannot remove: {}", path(digest), std::generic_category().message(errno)));
}

Result<std::vector<u8>> Blobs::get(const std::string& digest) const {
  if (!is_digest(digest)) return io_error(fmt::format("{}: \"{}\" is no blob", folder_, digest));
  if (!exists(digest))
    return io_error(fmt::format(
        "{}: not there: dropped, not imported, or lost (simfarm farm fsck says which); who submits "
        "the same bytes again brings it back",
        path(digest)));
  Result<std::vector<u8>> bytes = read_file(path(digest), max_blob_bytes);
  if (!bytes) return io_error(bytes.error().message);
  if (const std::string is = sha256(*bytes); is != digest)
    return io_error(fmt::format("{}: damaged: its SHA-256 is {}", path(digest), is));
  return bytes;
}

Result<Blobs::Listing> Blobs::list() const {
  Listing listing;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder_, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_directory(error)) continue;
    const std::string name = at->path().filename().string();
    const bool blob = is_digest(name) && at->path() == fs::path(path(name));
    (blob ? listing.digests : listing.strays).push_back(blob ? name : at->path().string());
  }
  if (error) return io_error(fmt::format("{}: {}", folder_, error.message()));
  std::sort(listing.digests.begin(), listing.digests.end());
  std::sort(listing.strays.begin(), listing.strays.end());
  return listing;
}

}  // namespace simfarm::farm
