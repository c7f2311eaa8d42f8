#include "farm/store/place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

namespace simfarm::farm {
namespace {

struct NetworkFileSystem {
  u64 number;
  std::string_view name;
};

constexpr u64 fuse_number = 0x65735546;
constexpr std::array network_file_systems = {
    NetworkFileSystem{0x6969, "nfs"},        NetworkFileSystem{0x517b, "smb"},
    NetworkFileSystem{0xff534d42, "cifs"},   NetworkFileSystem{0xfe534d42, "smb2"},
    NetworkFileSystem{0x5346414f, "afs"},    NetworkFileSystem{0x6b414653, "afs"},
    NetworkFileSystem{0x73757245, "coda"},   NetworkFileSystem{0x564c, "ncp"},
    NetworkFileSystem{0x00c36400, "ceph"},   NetworkFileSystem{0x01021997, "9p"},
    NetworkFileSystem{0x0bd00bd0, "lustre"}, NetworkFileSystem{0x47504653, "gpfs"},
    NetworkFileSystem{0x7461636f, "ocfs2"},  NetworkFileSystem{0x01161970, "gfs2"},
    NetworkFileSystem{0x786f4256, "vboxsf"}, NetworkFileSystem{0x20030528, "orangefs"},
    NetworkFileSystem{0x19830326, "beegfs"}, NetworkFileSystem{0xaad7aaea, "panfs"},
};

/// The kernel's name for the file system of a device: "fuse.sshfs".
std::string type_of(dev_t device) {
  const std::string wanted = fmt::format("{}:{}", major(device), minor(device));
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string id, parent, number;
    words >> id >> parent >> number;
    const size_t dash = line.find(" - ");
    if (number != wanted || dash == std::string::npos) continue;
    return line.substr(dash + 3, line.find(' ', dash + 3) - dash - 3);
  }
  return {};
}

std::string lock_path(const std::string& farm) { return farm + "/coordinator.lock"; }

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// The whole file; a lock of the open file, not of the process.
struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// What the holder wrote: "PID HOST".
Coordinator read_holder(int fd) {
  std::array<char, 300> text{};
  const ssize_t got = ::pread(fd, text.data(), text.size() - 1, 0);
  std::istringstream words(std::string(text.data(), got > 0 ? static_cast<size_t>(got) : 0));
  Coordinator holder;
  words >> holder.pid >> holder.host;
  return holder;
}

}  // namespace

std::string network_file_system(u64 number, std::string_view type) {
  for (const NetworkFileSystem& each : network_file_systems)
    if (each.number == number) return std::string(each.name);
  // Behind FUSE is a program that may do anything; what is known to be a local disk passes.
  if (number == fuse_number && type != "fuseblk" && type != "fuse.fuse-overlayfs")
    return type.empty() ? "fuse" : std::string(type);
  return {};
}

Result<void> check_local(const std::string& folder) {
  struct statfs file_system {};
  struct stat status {};
  if (::statfs(folder.c_str(), &file_system) != 0 || ::stat(folder.c_str(), &status) != 0)
    return io_error(fmt::format("{}: {}", folder, std::generic_category().message(errno)));
  const u64 number = static_cast<u64>(file_system.f_type) & 0xffffffff;
  const std::string type = number == fuse_number ? type_of(status.st_dev) : "";
  const std::string name = network_file_system(number, type);
  if (name.empty()) return {};
  return input_error(fmt::format(
      "{}: lies on a network file system ({}); a farm needs a local disk, since neither locks nor "
      "fsync can be relied upon elsewhere",
      folder, name));
}

Result<CoordinatorLock> CoordinatorLock::take(const std::string& farm) {
  const std::string path = lock_path(farm);
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return io_error(fmt::format("{}: {}", path, std::generic_category().message(errno)));
  CoordinatorLock lock(fd);
  struct flock whole = whole_file();
  if (::fcntl(fd, F_OFD_SETLK, &whole) != 0) {
    if (errno != EAGAIN && errno != EACCES)
      return io_error(fmt::format("{}: {}", path, std::generic_category().message(errno)));
    const Coordinator holder = read_holder(fd);
    return Error{Error::Kind::temporary,
                 fmt::format("{}: another coordinator works on this farm: pid {} on host {}", farm,
                             holder.pid, holder.host)};
  }
  const std::string text = fmt::format("{} {}\n", ::getpid(), host_name());
  if (::ftruncate(fd, 0) != 0 ||
      ::pwrite(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return io_error(fmt::format("{}: {}", path, std::generic_category().message(errno)));
  return lock;
}

CoordinatorLock::~CoordinatorLock() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<Coordinator> coordinator_of(const std::string& farm) {
  const int fd = ::open(lock_path(farm).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  struct flock whole = whole_file();
  // A question only: taking it for a moment could turn a coordinator away.
  const bool held = ::fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  std::optional<Coordinator> holder;
  if (held) holder = read_holder(fd);
  ::close(fd);
  return holder;
}

}  // namespace simfarm::farm
