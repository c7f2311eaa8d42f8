#include "farm/store/key.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/file.h"
#include "farm/digest.h"
#include "farm/process.h"

namespace simfarm::farm {
namespace {

namespace fs = std::filesystem;

constexpr u64 max_program_bytes = u64{2} << 30;

std::string digest_of(const std::string& text) {
  return sha256(std::span(reinterpret_cast<const u8*>(text.data()), text.size()));
}

/// Lines of "digest name", whatever the files are called.
class FileList {
 public:
  Result<void> add(const std::string& name, const std::string& path) {
    Result<std::vector<u8>> bytes = read_file(path, max_program_bytes);
    if (!bytes) return bytes.error();
    lines_.insert(fmt::format("{} {}\n", sha256(*bytes), name));
    return {};
  }

  /// All regular files below a folder, links followed.
  Result<void> add_folder(const std::string& name, const fs::path& folder) {
    std::error_code error;
    std::set<std::string> paths;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error))
      if (at->is_regular_file(error)) paths.insert(at->path().string());
    if (error) return io_error(fmt::format("{}: {}", folder.string(), error.message()));
    for (const std::string& path : paths)
      if (const auto added = add(name + path.substr(folder.string().size()), path); !added)
        return added.error();
    return {};
  }

  std::string digest() const {
    std::string all;
    for (const std::string& line : lines_) all += line;
    return digest_of(all);
  }

 private:
  std::set<std::string> lines_;
};

/// The libraries that the loader gives a program, as it says itself.
Result<std::set<std::string>> libraries_of(const std::string& program) {
  const Result<ProcessRun> run =
      run_process({program}, {"LD_TRACE_LOADED_OBJECTS=1"}, "/", {.wall_seconds = 20});
  if (!run) return run.error();
  std::set<std::string> paths;
  for (size_t at = 0; (at = run->log.find(" => /", at)) != std::string::npos;) {
    at += 4;
    paths.insert(run->log.substr(at, run->log.find_first_of(" \n", at) - at));
  }
  return paths;
}

Result<void> add_program(FileList& list, const std::string& name, const std::string& program) {
  if (const auto added = list.add(name, program); !added) return added.error();
  Result<std::set<std::string>> libraries = libraries_of(program);
  if (!libraries) return libraries.error();
  for (const std::string& path : *libraries)
    if (const auto added = list.add(fs::path(path).filename().string(), path); !added)
      return added.error();
  return {};
}

}  // namespace

std::string evaluation_key(const KeyParts& parts) {
  std::string text = "simfarm evaluation\n";
  for (const std::string* each :
       {&parts.sources, &parts.options, &parts.task, &parts.cases, &parts.machine,
        &parts.host.toolchain, &parts.host.simulator, &parts.host.sandbox})
    text += digest_of(*each) + "\n";
  text += fmt::format("scoring {}\ntiming {}\n", parts.host.scoring, parts.host.timing);
  if (parts.held_out) text += fmt::format("held-out {}\n", digest_of(parts.host.secret));
  return digest_of(text);
}

std::string options_digest(const Submission& submission) {
  std::string text = fmt::format("{}\n", name(submission.optimise));
  for (const std::string& source : submission.sources) text += "source " + source + "\n";
  for (const auto& [define, value] : submission.defines)
    text += fmt::format("define {}={}\n", define, value);
  return digest_of(text);
}

std::string cases_digest(const std::vector<Case>& cases) {
  std::string text;
  const auto add = [&](const std::vector<u8>& bytes) { text += sha256(bytes) + "\n"; };
  for (const Case& each : cases) {
    text += fmt::format("case {} {} {}\n", each.name, each.units, each.before.size());
    add(each.arguments);
    for (const std::vector<u8>& bytes : each.before) add(bytes);
    for (const std::vector<u8>& bytes : each.after) add(bytes);
  }
  return digest_of(text);
}

std::string machine_digest(const Machine& machine) { return digest_of(print_machine(machine)); }

Result<std::string> toolchain_digest(const Toolchain& toolchain) {
  FileList list;
  const fs::path sdk = fs::path(toolchain.driver).parent_path().parent_path();
  for (const char* const part : {"bin", "include", "lib"})
    if (const auto added = list.add_folder(std::string("sdk/") + part, sdk / part); !added)
      return added.error();
  for (const auto& [name, program] :
       {std::pair("clang", toolchain.clang), std::pair("lld", toolchain.lld)})
    if (const auto added = add_program(list, name, program); !added) return added.error();
  // The compiler's own headers lie beside it: <prefix>/bin/clang, <prefix>/lib/clang.
  std::error_code error;
  const fs::path own = fs::canonical(toolchain.clang, error).parent_path().parent_path();
  if (!error && fs::is_directory(own / "lib/clang", error))
    if (const auto added = list.add_folder("clang", own / "lib/clang"); !added)
      return added.error();
  return list.digest();
}

}  // namespace simfarm::farm
