#include "farm/sandbox.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <sstream>
#include <system_error>

#include "base/file.h"
#include "farm/digest.h"
#include "farm/seccomp.h"

namespace simfarm::farm {
namespace {

namespace fs = std::filesystem;

// What sdk/bin/simfarm-cc calls.
constexpr const char* shell_tools[] = {"sh", "cat", "mktemp", "readlink", "rm", "wc"};
// Whom root becomes: the user of the same number inside.
constexpr u32 nobody = 65534;
// What is read of the SDK: neither its templates nor its tests.
constexpr const char* sdk_parts[] = {"bin/simfarm-cc", "include", "lib"};

Result<std::string> real_path(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return input_error(fmt::format("{}: {}", path.string(), error.message()));
  return real.string();
}

/// The shared libraries of a program, as the dynamic loader finds them: "name => path (address)",
/// or "path (address)" for the loader itself.
Result<std::map<std::string, std::string>> libraries(const std::string& program) {
  const Result<ProcessRun> run =
      run_process({program}, {"LD_TRACE_LOADED_OBJECTS=1"}, "/", {.wall_seconds = 20});
  if (!run) return run.error();
  std::map<std::string, std::string> found;
  std::istringstream lines(run->log);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, arrow, path;
    words >> name >> arrow >> path;
    if (arrow == "=>" && path == "not")
      return input_error(fmt::format("{}: its library {} is not there", program, name));
    if (arrow == "=>" && path.starts_with('/')) found[name] = path;
    if (arrow != "=>" && name.starts_with('/')) found[name] = name;
  }
  return found;
}

/// Collects the files, each once.
class SandboxRoot {
 public:
  Result<void> add(const std::string& source, const std::string& name) {
    Result<std::string> real = real_path(source);
    if (!real) return real.error();
    files_[name] = *real;
    return {};
  }

  /// With its libraries. The sandbox has neither the host's table of libraries nor /proc, which
  /// $ORIGIN needs: all lie in /lib, where every loader looks.
  Result<void> add_program(const std::string& source, const std::string& name) {
    const Result<std::map<std::string, std::string>> found = libraries(source);
    if (!found) return found.error();
    for (const auto& [library, path] : *found)
      if (const auto added = add(path, library.front() == '/' ? library : "/lib/" + library);
          !added)
        return added.error();
    return add(source, name);
  }

  std::vector<SandboxFile> take() const {
    std::vector<SandboxFile> list;
    for (const auto& [name, source] : files_) list.push_back({source, name});
    return list;
  }

 private:
  std::map<std::string, std::string> files_;
};

/// <stdint.h> and its like. By the path that clang itself has for them: debug information names it.
Result<void> add_clang_headers(const std::string& clang, SandboxRoot& root) {
  const fs::path folder = (fs::path(clang).parent_path() / "../lib/clang").lexically_normal();
  std::error_code error;
  bool any = false;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path include = at->path() / "include";
    std::error_code none;
    if (!fs::is_directory(include, none)) continue;
    if (const auto added = root.add(include.string(), include.string()); !added)
      return added.error();
    any = true;
  }
  if (any) return {};
  return input_error(fmt::format("{}: clang's own headers are not there", folder.string()));
}

std::string number_at(const fs::path& file) {
  std::string text;
  std::ifstream(file) >> text;
  return text;
}

/// bubblewrap's own words, and what to do.
Error no_sandbox(const std::string& log) {
  std::string words = log.substr(0, log.find_last_not_of('\n') + 1);
  if (words.empty()) words = "bwrap ended without a word";
  const bool files = words.find("Can't find source path") != std::string::npos;
  return input_error(fmt::format(
      "no build sandbox: {}\n{}", words,
      files ? "the toolchain has changed, or cannot be read" : namespace_advice("/proc")));
}

/// The exit status that bubblewrap reports of a command that it has started; nothing when it failed
/// before.
std::optional<int> status_of_command(const std::vector<u8>& report) {
  std::optional<int> code;
  std::istringstream lines(std::string(report.begin(), report.end()));
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object() && json.contains("exit-code") && json["exit-code"].is_number_integer())
      code = json["exit-code"].get<int>();
  }
  return code;
}

/// The filter as a file, whose position each reader needs for itself.
class FilterFile {
 public:
  explicit FilterFile(const std::vector<u8>& program)
      : fd_(::memfd_create("simfarm-seccomp", MFD_CLOEXEC)) {
    const ssize_t size = static_cast<ssize_t>(program.size());
    ready_ = fd_ >= 0 && ::pwrite(fd_, program.data(), program.size(), 0) == size;
  }
  FilterFile(const FilterFile&) = delete;
  ~FilterFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  explicit operator bool() const { return ready_; }
  int fd() const { return fd_; }

 private:
  int fd_;
  bool ready_;
};

// The first process inside, whose end is the end of all others. The number of processes is limited
// here: outside, the user's other processes would be counted along. /bin/sh may be dash or bash.
constexpr std::string_view first_process =
    "ulimit -u \"$1\" 2>/dev/null || ulimit -p \"$1\" || exit 126\n"
    "result=$2\n"
    "shift 2\n"
    "\"$@\" || exit\n"
    "[ -z \"$result\" ] || cat \"$result\" >&5\n";

std::vector<std::string> namespace_arguments() {
  return {"--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts",
          "--unshare-cgroup-try", "--as-pid-1", "--die-with-parent", "--new-session", "--cap-drop",
          "ALL", "--uid", "65534", "--gid", "65534", "--hostname", "simfarm",
          // Descriptors of ProcessDescriptors; 5 is the result's.
          "--seccomp", "3", "--json-status-fd", "4"};
}

Result<std::vector<std::string>> root_arguments(const Toolchain& toolchain,
                                                const std::vector<SandboxFile>& files) {
  std::vector<std::string> root = namespace_arguments();
  for (const SandboxFile& file : files)
    root.insert(root.end(), {"--ro-bind", file.source, file.name});
  for (const auto& [program, name] :
       {std::pair(toolchain.clang, inside::clang), std::pair(toolchain.lld, inside::lld)}) {
    Result<std::string> real = real_path(program);
    if (!real) return real.error();
    if (*real != name) root.insert(root.end(), {"--symlink", *real, std::string(name)});
  }
  // No /proc: it tells of the host. Of /dev only what the shell gives to its background processes.
  root.insert(root.end(), {"--dev-bind", "/dev/null", "/dev/null", "--size",
                           fmt::format("{}", sandbox_policy.scratch_bytes), "--tmpfs",
                           std::string(inside::scratch)});
  return root;
}

/// Lets a user's group, and nobody else, read a folder that root has made.
Result<void> show_to(u32 user, const std::string& folder) {
  std::error_code error;
  constexpr auto all_read = fs::perms::group_read | fs::perms::others_read;
  constexpr auto all_enter = all_read | fs::perms::group_exec | fs::perms::others_exec;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    fs::permissions(at->path(), at->is_directory() ? all_enter : all_read, fs::perm_options::add,
                    error);
  if (!error)
    fs::permissions(folder, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec,
                    error);
  if (!error && ::chown(folder.c_str(), static_cast<uid_t>(-1), user) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error) return io_error(fmt::format("{}: {}", folder, error.message()));
  return {};
}

/// Copies the SDK's parts to where that user can read them, and names the copies in `files`.
Result<TemporaryFolder> copy_sdk(std::vector<SandboxFile>& files, u32 user) {
  Result<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder) return folder;
  for (SandboxFile& file : files) {
    if (!file.name.starts_with("/sdk/")) continue;
    const fs::path copy = fs::path(folder->path()) / file.name.substr(1);
    std::error_code error;
    fs::create_directories(copy.parent_path(), error);
    if (!error) fs::copy(file.source, copy, fs::copy_options::recursive, error);
    if (error) return io_error(fmt::format("{}: {}", file.source, error.message()));
    file.source = copy.string();
  }
  if (const auto shown = show_to(user, folder->path()); !shown) return shown.error();
  return folder;
}

}  // namespace

Result<std::vector<SandboxFile>> sandbox_files(const Toolchain& toolchain) {
  SandboxRoot root;
  for (const char* const tool : shell_tools) {
    std::error_code error;
    const std::string place = fs::exists(fs::path("/bin") / tool, error) ? "/bin/" : "/usr/bin/";
    if (const auto added = root.add_program(place + tool, fmt::format("/bin/{}", tool)); !added)
      return added.error();
  }
  for (const std::string& program : {toolchain.clang, toolchain.lld}) {
    Result<std::string> real = real_path(program);
    if (!real) return real.error();
    if (const auto added = root.add_program(*real, *real); !added) return added.error();
    if (program != toolchain.clang) continue;
    if (const auto added = add_clang_headers(*real, root); !added) return added.error();
  }
  const fs::path sdk = fs::path(toolchain.driver).parent_path().parent_path();
  for (const char* const part : sdk_parts)
    if (const auto added = root.add((sdk / part).string(), fmt::format("/sdk/{}", part)); !added)
      return added.error();
  return root.take();
}

Result<std::string> toolchain_digest(const std::vector<SandboxFile>& files) {
  std::string list;
  for (const SandboxFile& file : files) {
    std::error_code error;
    std::set<std::string> parts = {file.source};
    if (fs::is_directory(file.source, error)) {
      parts.clear();
      for (fs::recursive_directory_iterator at(file.source, error), end; !error && at != end;
           at.increment(error))
        if (at->is_regular_file()) parts.insert(at->path().string());
    }
    if (error) return io_error(fmt::format("{}: {}", file.source, error.message()));
    for (const std::string& part : parts) {
      const Result<std::string> digest = sha256_of_file(part);
      if (!digest) return digest.error();
      list += fmt::format("{} {}{}\n", *digest, file.name, part.substr(file.source.size()));
    }
  }
  return sha256(std::span(reinterpret_cast<const u8*>(list.data()), list.size()));
}

Result<std::string> toolchain_digest(const Toolchain& toolchain) {
  const Result<std::vector<SandboxFile>> files = sandbox_files(toolchain);
  if (!files) return files.error();
  return toolchain_digest(*files);
}

std::string namespace_advice(const std::string& proc) {
  const fs::path sys = fs::path(proc) / "sys";
  std::vector<std::string> advice;
  if (number_at(sys / "kernel/unprivileged_userns_clone") == "0")
    advice.push_back(
        "this kernel gives namespaces to root only: as root, sysctl "
        "kernel.unprivileged_userns_clone=1");
  if (number_at(sys / "kernel/apparmor_restrict_unprivileged_userns") == "1")
    advice.push_back(
        "AppArmor restricts namespaces: as root, sysctl "
        "kernel.apparmor_restrict_unprivileged_userns=0, or a profile for bwrap");
  if (number_at(sys / "user/max_user_namespaces") == "0")
    advice.push_back(
        "no user namespaces are allowed: as root, sysctl "
        "user.max_user_namespaces=15000");
  if (advice.empty())
    advice.push_back(
        "in a container, start it with --security-opt seccomp=unconfined "
        "--security-opt apparmor=unconfined (docker, podman), or with --privileged");
  std::string text;
  for (const std::string& each : advice) text += (text.empty() ? "" : "\n") + each;
  return text;
}

Result<std::shared_ptr<const Sandbox>> Sandbox::create(const Toolchain& toolchain,
                                                       const std::string& given,
                                                       const std::string& search_path) {
  Result<std::string> bwrap = find_program(given, "bwrap", "bubblewrap", search_path);
  if (!bwrap) return bwrap.error();
  Result<std::vector<SandboxFile>> files = sandbox_files(toolchain);
  if (!files) return files.error();
  Result<std::vector<u8>> filter = seccomp_program();
  if (!filter) return filter.error();
  if (::geteuid() == 0)
    if (auto made = attempt(*bwrap, toolchain, *files, *filter, nobody)) return made;
  return attempt(*bwrap, toolchain, *files, *filter, 0);
}

Result<std::shared_ptr<const Sandbox>> Sandbox::attempt(const std::string& bwrap,
                                                        const Toolchain& toolchain,
                                                        std::vector<SandboxFile> files,
                                                        const std::vector<u8>& filter, u32 user) {
  const std::shared_ptr<Sandbox> made(new Sandbox);
  made->bwrap_ = bwrap;
  made->filter_ = filter;
  made->user_ = user;
  made->counts_processes_ = user != 0 || ::geteuid() != 0;
  if (user != 0) {
    Result<TemporaryFolder> sdk = copy_sdk(files, user);
    if (!sdk) return sdk.error();
    made->sdk_.emplace(std::move(*sdk));
  }
  Result<std::vector<std::string>> root = root_arguments(toolchain, files);
  if (!root) return root.error();
  made->root_ = std::move(*root);
  const Result<SandboxRun> tried =
      made->run({"/bin/sh", "-c", ":"}, {"PATH=/bin"}, "", "", {.wall_seconds = 20});
  if (!tried) return tried.error();
  if (tried->process.end != ProcessRun::End::exited || tried->process.code != 0)
    return no_sandbox(
        fmt::format("a shell in it ended with {}: {}", tried->process.code, tried->process.log));
  return std::shared_ptr<const Sandbox>(made);
}

Result<SandboxRun> Sandbox::run(const std::vector<std::string>& command,
                                const std::vector<std::string>& environment,
                                const std::string& sources, const std::string& result,
                                const ProcessLimits& limits) const {
  const FilterFile filter(filter_);
  if (!filter) return io_error("no build sandbox: no file for the seccomp filter");
  std::vector<std::string> arguments = {bwrap_};
  arguments.insert(arguments.end(), root_.begin(), root_.end());
  if (user_ != 0 && !sources.empty())
    if (const auto shown = show_to(user_, sources); !shown) return shown.error();
  if (sources.empty())
    arguments.insert(arguments.end(), {"--dir", std::string(inside::sources)});
  else
    arguments.insert(arguments.end(), {"--ro-bind", sources, std::string(inside::sources)});
  arguments.insert(
      arguments.end(),
      {"--remount-ro", "/", "--chdir", std::string(inside::sources), "--", "/bin/sh", "-c",
       std::string(first_process), "sh", fmt::format("{}", sandbox_policy.processes),
       result.empty() ? "" : fmt::format("{}/{}", inside::scratch, result)});
  arguments.insert(arguments.end(), command.begin(), command.end());

  constexpr u64 max_report = 64u << 10;
  ProcessDescriptors more{{filter.fd()}, {{max_report, {}}, {limits.file_bytes, {}}}};
  ProcessLimits bounds = limits;
  bounds.user = user_;
  Result<ProcessRun> run = run_process(arguments, environment, "/", bounds, &more);
  if (!run) return run.error();
  SandboxRun ran{std::move(*run), std::move(more.pipes[1].bytes)};
  using End = ProcessRun::End;
  if (ran.process.end == End::wall_limit || ran.process.end == End::output_limit ||
      ran.process.end == End::cancelled)
    return ran;
  if (const auto code = status_of_command(more.pipes[0].bytes)) {
    ran.process.end = End::exited;
    ran.process.code = *code;
    return ran;
  }
  // The kernel's doing, for memory; everything else is a sandbox that does not work.
  if (ran.process.end == End::signalled && ran.process.code == SIGKILL) return ran;
  return no_sandbox(ran.process.log);
}

}  // namespace simfarm::farm
