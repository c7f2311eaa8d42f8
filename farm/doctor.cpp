#include "farm/doctor.h"

#include <fmt/format.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/parallel.h"
#include "farm/build.h"
#include "farm/held_out.h"
#include "farm/sandbox.h"
#include "farm/seccomp.h"
#include "farm/simulator_worker.h"

namespace simfarm::farm {
namespace {

Finding good(std::string name, std::string found) {
  return {std::move(name), true, std::move(found), ""};
}
Finding bad(std::string name, std::string found, std::string remedy) {
  return {std::move(name), false, std::move(found), std::move(remedy)};
}
/// The first line is what was found; what to do follows, or is `otherwise`.
Finding bad_by(std::string name, const std::string& message, const std::string& otherwise) {
  const size_t end = message.find('\n');
  return bad(std::move(name), message.substr(0, end),
             end == std::string::npos ? otherwise : message.substr(end + 1));
}

Finding look_at_toolchain(const Result<Toolchain>& toolchain) {
  constexpr const char* remedy = "./dev setup installs it";
  if (!toolchain) return bad("toolchain", toolchain.error().message, remedy);
  const Result<std::string> digest = toolchain_digest(*toolchain);
  if (!digest) return bad("toolchain", digest.error().message, remedy);
  return good("toolchain",
              fmt::format("{}, {}, sha256 {}", toolchain->clang, toolchain->lld, *digest));
}

Finding look_at_bwrap(const Result<std::string>& bwrap) {
  if (!bwrap) return bad("bubblewrap", bwrap.error().message, "apt-get install bubblewrap");
  const Result<ProcessRun> run = run_process({*bwrap, "--version"}, {}, "/", {.wall_seconds = 20});
  if (!run) return bad("bubblewrap", run.error().message, "install it again");
  return good("bubblewrap", fmt::format("{}, {}", run->log.substr(0, run->log.find('\n')), *bwrap));
}

Finding look_at_seccomp() {
  const Result<std::vector<u8>> program = seccomp_program();
  if (!program) return bad("seccomp", program.error().message, "install libseccomp2 again");
  std::error_code error;
  if (!std::filesystem::exists("/proc/sys/kernel/seccomp/actions_avail", error))
    return bad("seccomp", "the kernel has no filters", "a kernel with CONFIG_SECCOMP_FILTER");
  return good("seccomp", fmt::format("a filter of {} instructions", program->size() / 8));
}

Finding look_at_simulations() {
  if (simulation_filter_works())
    return good("simulations", "their processes can give up all calls of the host");
  return bad("simulations",
             "their processes cannot take a filter: a program that has found a hole in the "
             "simulator could reach what you can",
             "in a container: start it with --security-opt seccomp=unconfined\nelse: a kernel with "
             "CONFIG_SECCOMP_FILTER");
}

Finding look_at_generators() {
  const Result<std::string> found = try_generators();
  if (found) return good("generators", *found);
  return bad("generators", found.error().message,
             "apt-get install python3 python3-numpy python3-h5py");
}

Finding look_at_sandbox(const Result<std::shared_ptr<const Sandbox>>& sandbox) {
  if (!sandbox) return bad_by("sandbox", sandbox.error().message, "the lines above come first");
  if ((*sandbox)->counts_processes()) return good("sandbox", "namespaces and filter work");
  return good("sandbox",
              "namespaces and filter work; a build's processes are not counted, since root builds "
              "and cannot as another user: TMPDIR and toolchain have to be readable to all");
}

Finding look_at_build(const Toolchain& toolchain) {
  const std::string source = "#include <simfarm.h>\nSF_MAIN(a) { return a == 0; }\n";
  Submission submission;
  submission.sources = {"kernel.c"};
  submission.files = {{"kernel.c", {source.begin(), source.end()}}};
  Task task;
  task.folder = std::string("/");
  const Built built = build(toolchain, task, submission);
  if (built.verdict == Verdict::accepted)
    return good("build", fmt::format("a small kernel, {} bytes", built.elf.size()));
  return bad("build", fmt::format("{}: {}", name(built.verdict), built.log),
             "the toolchain does not work in the sandbox: install it from packages");
}

}  // namespace

std::string_view file_system_name(i64 type) {
  switch (type) {
    case 0xef53:
      return "ext4";
    case 0x01021994:
      return "tmpfs";
    case 0x58465342:
      return "xfs";
    case 0x9123683e:
      return "btrfs";
    case 0x794c7630:
      return "overlay";
    case 0x2fc12fc1:
      return "zfs";
    case 0x6969:
      return "nfs";
    case 0xff534d42:
      return "cifs";
    case 0xfe534d42:
      return "smb";
    case 0x65735546:
      return "fuse";
    default:
      return "of another kind";
  }
}

namespace {

Finding look_at_temporary_folder() {
  constexpr u64 needed = u64{1} << 30;
  const Result<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder) return bad("temporary folder", folder.error().message, "set TMPDIR to another one");
  struct statfs status {};
  if (::statfs(folder->path().c_str(), &status) != 0)
    return bad("temporary folder", folder->path() + ": no statfs", "set TMPDIR to another one");
  const std::string_view kind = file_system_name(static_cast<i64>(status.f_type));
  const u64 free = static_cast<u64>(status.f_bavail) * static_cast<u64>(status.f_bsize);
  const std::string found =
      fmt::format("{}: {}, {} MiB free",
                  std::filesystem::path(folder->path()).parent_path().string(), kind, free >> 20);
  if (kind == "nfs" || kind == "cifs" || kind == "smb")
    return bad("temporary folder", found, "set TMPDIR to a folder on a local disk");
  if (free < needed)
    return bad("temporary folder", found,
               fmt::format("make room: {} MiB are wanted", needed >> 20));
  return good("temporary folder", found);
}

}  // namespace

std::vector<Finding> examine_host(const ToolchainPlaces& places, const std::string& bwrap,
                                  bool generators) {
  std::vector<Finding> findings;
  Result<Toolchain> toolchain = find_toolchain(places);
  findings.push_back(look_at_toolchain(toolchain));
  findings.push_back(look_at_bwrap(find_program(bwrap, "bwrap", "bubblewrap", places.search_path)));
  findings.push_back(look_at_seccomp());
  if (healthy(findings)) {
    const auto sandbox = Sandbox::create(*toolchain, bwrap, places.search_path);
    findings.push_back(look_at_sandbox(sandbox));
    if (sandbox) {
      toolchain->sandbox = *sandbox;
      findings.push_back(look_at_build(*toolchain));
    }
  }
  findings.push_back(look_at_simulations());
  if (generators) findings.push_back(look_at_generators());
  findings.push_back(look_at_temporary_folder());
  findings.push_back(good("cores", fmt::format("{}", host_threads())));
  return findings;
}

bool healthy(const std::vector<Finding>& findings) {
  return std::all_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.ok; });
}

std::string doctor_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text +=
        fmt::format("{:5}  {:16}  {}\n", finding.ok ? "ok" : "WRONG", finding.name, finding.found);
    for (size_t at = 0; !finding.remedy.empty() && at < finding.remedy.size();) {
      const size_t end = std::min(finding.remedy.find('\n', at), finding.remedy.size());
      text += fmt::format("       {:16}  -> {}\n", "", finding.remedy.substr(at, end - at));
      at = end + 1;
    }
  }
  return text;
}

nlohmann::ordered_json doctor_document(const std::vector<Finding>& findings) {
  nlohmann::ordered_json document = {{"schema", "simfarm.doctor"},
                                     {"version", 1},
                                     {"ok", healthy(findings)},
                                     {"checks", nlohmann::ordered_json::array()}};
  for (const Finding& finding : findings)
    document["checks"].push_back({{"name", finding.name},
                                  {"ok", finding.ok},
                                  {"found", finding.found},
                                  {"remedy", finding.ok ? nlohmann::ordered_json(nullptr)
                                                        : nlohmann::ordered_json(finding.remedy)}});
  return document;
}

}  // namespace simfarm::farm
