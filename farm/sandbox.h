// Where a stranger's sources are compiled: bubblewrap's namespaces, a root that holds the toolchain
// and nothing else, a filter on system calls. docs/sandbox.md tells what that defends, and what it
// does not.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "farm/files.h"
#include "farm/process.h"
#include "farm/toolchain.h"

namespace simfarm::farm {

/// What a build may use, beside the limits of its processes (build.h). Any change to it, to the
/// filter or to what the root holds is another version: results name it.
struct SandboxPolicy {
  u32 version = 1;
  u64 scratch_bytes = 256u << 20;  ///< of files, in memory, of each compiler run
  u32 processes = 512;             ///< at a time, threads included
};
inline constexpr SandboxPolicy sandbox_policy;

/// The sandbox's names for what is in it.
namespace inside {
inline constexpr std::string_view driver = "/sdk/bin/simfarm-cc";
inline constexpr std::string_view clang = "/bin/clang-19";
inline constexpr std::string_view lld = "/bin/ld.lld-19";
inline constexpr std::string_view sources = "/src";  ///< read-only
inline constexpr std::string_view scratch =
    "/out";  ///< the only folder to write to, empty at first
}  // namespace inside

/// A file or folder of the host that the sandbox shows, read-only.
struct SandboxFile {
  std::string source;  ///< on the host, links followed
  std::string name;    ///< in the sandbox
};

/// The programs that a build runs, the libraries that these are linked to, the compiler's own
/// headers and the SDK. Error: which of them is missing.
Result<std::vector<SandboxFile>> sandbox_files(const Toolchain& toolchain);

/// SHA-256 over the names and bytes of all of them: two hosts that agree in it build alike.
Result<std::string> toolchain_digest(const std::vector<SandboxFile>& files);
Result<std::string> toolchain_digest(const Toolchain& toolchain);

struct SandboxRun {
  ProcessRun process;      ///< of the command; bubblewrap's own failures are errors
  std::vector<u8> result;  ///< the file that was asked for
};

class Sandbox {
 public:
  /// Makes one for that toolchain and tries it. `given` is bwrap's path, or empty: the first in
  /// `search_path`. Error: why there is none on this host, and what to do about it.
  static Result<std::shared_ptr<const Sandbox>> create(const Toolchain& toolchain,
                                                       const std::string& given,
                                                       const std::string& search_path);

  /// Runs a command by its name inside, in the folder inside::sources, which shows `sources` (a
  /// folder of the host; empty: nothing). The file `result` of inside::scratch comes back; empty:
  /// none does. When this returns, nothing of the command runs any more.
  Result<SandboxRun> run(const std::vector<std::string>& command,
                         const std::vector<std::string>& environment, const std::string& sources,
                         const std::string& result, const ProcessLimits& limits) const;

  const std::string& bwrap() const { return bwrap_; }
  size_t filter_bytes() const { return filter_.size(); }
  /// The kernel counts no processes of root, so root builds as another user where it can.
  bool counts_processes() const { return counts_processes_; }

 private:
  Sandbox() = default;
  static Result<std::shared_ptr<const Sandbox>> attempt(const std::string& bwrap,
                                                        const Toolchain& toolchain,
                                                        std::vector<SandboxFile> files,
                                                        const std::vector<u8>& filter, u32 user);

  std::string bwrap_;
  std::vector<std::string> root_;  ///< bwrap's arguments, but for sources and command
  std::vector<u8> filter_;
  u32 user_ = 0;                        ///< whom root becomes; 0: the caller stays who it is
  std::optional<TemporaryFolder> sdk_;  ///< a copy that this user can read
  bool counts_processes_ = true;
};

/// Why this host gives no namespaces and how to change it, from its settings below `proc`
/// ("/proc").
std::string namespace_advice(const std::string& proc);

}  // namespace simfarm::farm
