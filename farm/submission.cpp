#include "farm/submission.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/file.h"
#include "farm/archive.h"
#include "farm/task.h"
#include "farm/text.h"
#include "farm/toml_reader.h"

namespace simfarm::farm {
namespace {

constexpr std::array<std::string_view, 5> levels = {"O0", "O1", "O2", "O3", "Os"};
constexpr size_t max_sources = 64;
constexpr size_t max_defines = 64;

/// A macro's value can be no option, no path and no second token.
bool is_define_value(std::string_view text) {
  if (text.size() > 63) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '+' || c == '.';
  });
}

bool is_source_name(std::string_view path) {
  static constexpr std::array<std::string_view, 6> endings = {".c",   ".cc", ".cpp",
                                                              ".cxx", ".s",  ".S"};
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view each) { return path.ends_with(each); });
}

/// Moves a file's text out of the package; nothing when it is not there.
std::optional<std::string> take_text(std::vector<PackageFile>& files, std::string_view path) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const PackageFile& each) { return each.path == path; });
  if (found == files.end()) return std::nullopt;
  std::string text(found->bytes.begin(), found->bytes.end());
  files.erase(found);
  return text;
}

void read_sources(TomlReader& toml, Submission& submission) {
  submission.sources = toml.texts("sources", {.max_characters = 200}, 1, max_sources);
  for (size_t k = 0; k < submission.sources.size(); ++k) {
    const std::string& source = submission.sources[k];
    const auto has_path = [&](const PackageFile& file) { return file.path == source; };
    if (const auto problem = path_problem(source))
      toml.fail("sources", fmt::format("{} {}", printable_key(source), *problem));
    else if (!is_source_name(source))
      toml.fail("sources", fmt::format("{} does not end in .c .cc .cpp .cxx .s or .S", source));
    else if (std::none_of(submission.files.begin(), submission.files.end(), has_path))
      toml.fail("sources", fmt::format("{} is not in the submission", source));
    else if (std::count(submission.sources.begin(), submission.sources.end(), source) > 1)
      toml.fail("sources", fmt::format("{} is named twice", source));
  }
}

void read_local_memory(TomlReader& toml, Submission& submission) {
  constexpr i64 unit = 64;  // a burst: what a run's local memory has to be a multiple of
  if (!toml.has("local_memory_bytes")) return;
  const i64 bytes = toml.integer("local_memory_bytes", unit, 16 << 20);
  if (bytes % unit != 0)
    toml.fail("local_memory_bytes", fmt::format("is {}, no multiple of {}", bytes, unit));
  submission.local_memory_bytes = static_cast<u64>(bytes);
}

}  // namespace

std::string_view name(Optimise level) { return levels[static_cast<size_t>(level)]; }

Result<Submission> parse_submission(std::vector<PackageFile> files, const std::string& origin) {
  Submission submission;
  submission.files = std::move(files);
  const std::optional<std::string> manifest = take_text(submission.files, "submission.toml");
  if (!manifest) return input_error(origin + ": no submission.toml");
  take_text(submission.files, "expect.toml");

  TomlReader toml = TomlReader::parse(*manifest, origin + "/submission.toml");
  if (!toml.failed()) {
    submission.task = toml.text("task", {.max_characters = 64});
    if (!is_task_name(submission.task)) toml.fail("task", "is no task's name (a-z, 0-9, '-')");
    submission.author = toml.text("author", {.max_characters = 64});
    submission.parent = toml.text("parent", {.max_characters = 128, .may_be_empty = true}, "");
    submission.note =
        toml.text("note", {.max_characters = 4000, .may_be_empty = true, .lines = true}, "");
    submission.optimise =
        static_cast<Optimise>(toml.choice("optimise", levels, static_cast<size_t>(Optimise::O2)));
    read_sources(toml, submission);
    read_local_memory(toml, submission);
    submission.defines =
        toml.text_table("defines", {.max_characters = 63, .may_be_empty = true}, max_defines);
    for (const auto& [define, value] : submission.defines) {
      if (!is_identifier(define))
        toml.fail("defines", fmt::format("{} is no macro name", printable_key(define)));
      if (!is_define_value(value))
        toml.fail("defines", fmt::format("the value of {} has a character other than A-Z a-z 0-9 _ "
                                         "- + .",
                                         define));
    }
  }
  if (const auto read = toml.finish(); !read) return read.error();
  return submission;
}

Result<Submission> load_submission(const std::string& path) {
  std::error_code error;
  Result<std::vector<PackageFile>> files = std::filesystem::is_directory(path, error)
                                               ? read_folder(path, max_submission)
                                               : read_tar(path, max_submission);
  if (!files) return files.error();
  return parse_submission(std::move(*files), path);
}

Result<std::optional<Verdict>> load_expectation(const std::string& path) {
  constexpr u64 max_bytes = 4096;
  std::error_code error;
  const std::string file = std::filesystem::is_directory(path, error)
                               ? (std::filesystem::path(path) / "expect.toml").string()
                               : path + ".expect.toml";
  if (!std::filesystem::exists(file, error)) return std::optional<Verdict>();
  Result<std::vector<u8>> bytes = read_file(file, max_bytes);
  if (!bytes) return bytes.error();
  TomlReader toml =
      TomlReader::parse({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, file);
  std::optional<Verdict> verdict;
  if (!toml.failed()) {
    const std::string word = toml.text("expect", {.max_characters = 32});
    verdict = parse_verdict(word);
    if (!verdict) toml.fail("expect", fmt::format("{} is no verdict", printable_key(word)));
  }
  if (const auto read = toml.finish(); !read) return read.error();
  return verdict;
}

Result<void> check_against(const Submission& submission, const Task& task) {
  if (submission.task != task.name)
    return input_error(
        fmt::format("submission.toml: task: is {}, judged here is {}", submission.task, task.name));
  for (const auto& [define, value] : submission.defines)
    if (std::count(task.defines.begin(), task.defines.end(), define) == 0)
      return input_error(fmt::format(
          "submission.toml: defines: {} is not among those that task {} "
          "allows ({})",
          define, task.name,
          task.defines.empty() ? "none" : fmt::format("{}", fmt::join(task.defines, ", "))));
  if (submission.local_memory_bytes) {
    if (task.score.kind != ScoreKind::local_memory)
      return input_error(fmt::format(
          "submission.toml: local_memory_bytes: task {} is not scored by local memory", task.name));
    if (*submission.local_memory_bytes > task.machine.map.local.bytes)
      return input_error(fmt::format(
          "submission.toml: local_memory_bytes: is {}, a PE of machine {} has {}",
          *submission.local_memory_bytes, task.machine.name, task.machine.map.local.bytes));
  }
  u64 bytes = 0;
  for (const PackageFile& file : submission.files) bytes += file.bytes.size();
  if (bytes > task.limits.source_bytes)
    return input_error(fmt::format("{} bytes of files, task {} allows {} (limits.source_bytes)",
                                   bytes, task.name, task.limits.source_bytes));
  return {};
}

}  // namespace simfarm::farm
