#include "farm/package.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "farm/archive.h"
#include "farm/case.h"
#include "farm/text.h"

namespace simfarm::farm {
namespace {

constexpr std::string_view placeholder = "@NAME@";

/// Text is what has no zero byte: cases have many.
bool is_text(const std::vector<u8>& bytes) {
  return std::find(bytes.begin(), bytes.end(), u8{0}) == bytes.end();
}

/// What the template's task.toml needs to say for a kind of score besides its name.
std::string_view score_table(ScoreKind kind) {
  switch (kind) {
    case ScoreKind::weighted:
      return "[score]\nkind = \"weighted\"\n\n"
             "[score.cases]                   # cycles with boot that count as 1\n"
             "tiny = { weight = 1, reference = 1_000 }\n"
             "large = { weight = 1, reference = 10_000 }\n\n";
    case ScoreKind::mac_utilisation:
      return "[floor]\nmacs = [\"rows\", \"columns\"]      # what a case has to multiply\n\n";
    case ScoreKind::energy:
      return "[score]\nkind = \"energy\"\ntable = 1                       # docs/energy.md\n\n";
    default:
      return "";
  }
}

std::string with_score(std::string text, ScoreKind kind) {
  constexpr std::string_view word = "score = \"cycles\"\n", table = "[limits]\n";
  const std::string further(score_table(kind));
  const bool named = further.find("[score]") == std::string::npos;
  if (const size_t at = text.find(word); at != std::string::npos)
    text.replace(at, word.size(), named ? fmt::format("score = \"{}\"\n", row(kind).name) : "");
  if (const size_t at = text.find(table); at != std::string::npos) text.insert(at, further);
  return text;
}

}  // namespace

Result<std::vector<PackageFile>> new_task(const std::string& template_folder,
                                          const std::string& name, ScoreKind kind) {
  if (kind == ScoreKind::logit_error)
    return usage_error(
        "logit-error: its cases have references, which this template's have not; "
        "begin with a copy of the shipped task logits");
  if (!is_task_name(name))
    return usage_error(
        fmt::format("{}: a task's name is a-z, 0-9 and '-', starts with a letter, and "
                    "has at most 64 characters",
                    printable_key(name)));
  Result<std::vector<PackageFile>> files = read_folder(template_folder, max_package);
  if (!files) return files.error();
  for (PackageFile& file : *files) {
    if (!is_text(file.bytes)) continue;
    std::string text(file.bytes.begin(), file.bytes.end());
    for (size_t at = text.find(placeholder); at != std::string::npos;
         at = text.find(placeholder, at + name.size()))
      text.replace(at, placeholder.size(), name);
    if (file.path == "task.toml") text = with_score(std::move(text), kind);
    file.bytes.assign(text.begin(), text.end());
  }
  return files;
}

std::vector<std::string> package_gaps(const Task& task) {
  const std::filesystem::path folder(task.folder);
  std::vector<std::string> gaps;
  std::error_code error;
  const auto is_file = [&](const std::filesystem::path& path) {
    return std::filesystem::is_regular_file(folder / path, error);
  };
  if (!is_file("GUIDE.md")) gaps.emplace_back("no GUIDE.md: authors will not know what is asked");
  if (!is_file("kernel/submission.toml"))
    gaps.emplace_back("no kernel/submission.toml: there is no starting kernel, and no speed-up");
  if (!task.generator.empty() && !is_file(task.generator))
    gaps.push_back("cases.generator: " + task.generator + " is not there");
  for (const auto& entry : std::filesystem::directory_iterator(folder / "wrong", error)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory(error) || name.front() == '.') continue;
    if (!is_file(std::filesystem::path("wrong") / name / "expect.toml"))
      gaps.push_back("wrong/" + name + " has no expect.toml: which verdict must it get?");
  }
  std::sort(gaps.begin(), gaps.end());
  return gaps;
}

Result<std::vector<u8>> pack_task(const std::string& folder) {
  Result<Task> task = load_task(folder);
  if (!task) return task.error();
  if (const auto cases = load_cases(*task); !cases) return cases.error();
  Result<std::vector<PackageFile>> files = read_folder(folder, max_package);
  if (!files) return files.error();
  for (PackageFile& file : *files) file.path = task->name + "/" + file.path;
  return print_tar(std::move(*files));
}

}  // namespace simfarm::farm
