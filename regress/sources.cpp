#include "regress/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "farm/build.h"
#include "farm/case.h"
#include "farm/judge.h"
#include "memory/program.h"
#include "profile/run_case.h"

namespace simfarm::regress {
namespace {

namespace fs = std::filesystem;

/// Comments say in words what the bytes say.
std::string without_comments(const std::string& text) {
  std::string bare;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.starts_with(':')) line = line.substr(0, line.find("  #"));
    bare += line;
    bare += '\n';
    at = end + 1;
  }
  return bare;
}

/// Submissions of a task's own: its starting kernel, then by name.
std::vector<std::pair<std::string, std::string>> programs_of(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> programs{{"kernel", folder + "/kernel"}};
  std::vector<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator at(folder + "/submissions", ignored), end; !ignored && at != end;
       at.increment(ignored))
    names.push_back(at->path().filename().string());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) programs.push_back({name, folder + "/submissions/" + name});
  return programs;
}

Result<Image> built_image(const farm::Task& task, const std::string& path,
                          const farm::Toolchain& toolchain) {
  const Result<farm::Submission> submission = farm::load_submission(path);
  if (!submission) return submission.error();
  farm::Built built = farm::build(toolchain, task, *submission);
  if (built.verdict != farm::Verdict::accepted)
    return input_error(fmt::format("{}: {}: {}", path, farm::name(built.verdict), built.log));
  return parse_elf(std::move(built.elf), path);
}

}  // namespace

GoldenCase case_of(std::string name, const profile::RunCase& run_case,
                   std::vector<Output> outputs) {
  return {std::move(name), without_comments(profile::print_case(run_case)), std::move(outputs)};
}

Result<GoldenCase> case_of_file(const std::string& path) {
  const Result<profile::RunCase> run_case = profile::load_case(path);
  if (!run_case) return run_case.error();
  std::string name = fs::path(path).stem().string();
  if (const auto problem = name_problem(name)) return input_error(path + ": " + *problem);
  return case_of(std::move(name), *run_case, {});
}

bool is_task(const std::string& folder) { return fs::exists(folder + "/task.toml"); }

Result<std::vector<GoldenCase>> cases_of_task(const std::string& folder,
                                              const farm::Toolchain& toolchain) {
  const Result<farm::Task> task = farm::load_task(folder);
  if (!task) return task.error();
  const Result<std::vector<farm::Case>> cases = farm::load_cases(*task);
  if (!cases) return cases.error();
  std::vector<GoldenCase> found;
  for (const auto& [name, path] : programs_of(folder)) {
    Result<Image> image = built_image(*task, path, toolchain);
    if (!image) return image.error();
    Program program;
    program.images.push_back(std::make_shared<const Image>(std::move(*image)));
    for (const farm::Case& each : *cases) {
      profile::RunCase run_case;
      const u64 poison = farm::JudgeOptions{}.poison[0];
      run_case.input = {task->machine, program,
                        farm::initial_memory(each.layout, each.before, poison), each.arguments,
                        poison};
      run_case.options.cycle_limit = task->limits.cycles;
      run_case.options.console_limit = task->limits.console_bytes;
      std::vector<Output> outputs;
      for (const farm::PlacedTensor& tensor : each.layout.tensors)
        if (tensor.kind != farm::TensorKind::input)
          outputs.push_back({tensor.name, tensor.address, tensor.bytes});
      found.push_back(case_of(fmt::format("{}/{}/{}", task->name, name, each.name), run_case,
                              std::move(outputs)));
    }
  }
  return found;
}

Result<Image> program_of_task(const std::string& folder, std::string_view name,
                              const farm::Toolchain& toolchain) {
  const Result<farm::Task> task = farm::load_task(folder);
  if (!task) return task.error();
  for (const auto& [program, path] : programs_of(folder))
    if (name.starts_with(fmt::format("{}/{}/", task->name, program)))
      return built_image(*task, path, toolchain);
  return input_error(fmt::format("{}: it has no program of {}", folder, name));
}

}  // namespace simfarm::regress
