#include "bench/kernels.h"

#include <fmt/format.h>

#include "farm/build.h"

namespace simfarm::bench {

Result<std::vector<u8>> compile_kernel(const Case& which, const std::string& kernels_folder,
                                       const farm::Toolchain& toolchain) {
  Result<std::vector<farm::PackageFile>> files =
      farm::read_folder(kernels_folder, farm::PackageLimits{});
  if (!files) return files.error();
  farm::Submission submission;
  submission.files = std::move(*files);
  submission.sources = {std::string(which.source)};
  if (!which.define.empty())
    submission.defines[std::string(which.define)] =
        which.value.empty() ? "1" : std::string(which.value);
  farm::Task task;  // none: it would only add headers
  task.folder = kernels_folder;
  farm::Built built = farm::build(toolchain, task, submission);
  if (built.verdict != farm::Verdict::accepted)
    return input_error(fmt::format("{}/{}: {}: {}", kernels_folder, which.source,
                                   farm::name(built.verdict), built.log));
  return std::move(built.elf);
}

std::string kernel_path(const std::string& folder, const Case& which) {
  return fmt::format("{}/{}.elf", folder, which.name);
}

}  // namespace simfarm::bench
