// Whole task packages: begun from the template, looked over, packed.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "farm/files.h"
#include "farm/task.h"

namespace simfarm::farm {

/// Bounds on a task package.
inline constexpr PackageLimits max_package{.bytes = u64{1} << 30, .files = 4096};

/// The files of a new task of that name, from the template's folder: every "@NAME@" in a text file
/// becomes the name, and task.toml says that it ranks by `kind`. Errors: no task's name (task.h); a
/// kind that the template's cases cannot have (logit_error).
Result<std::vector<PackageFile>> new_task(const std::string& template_folder,
                                          const std::string& name,
                                          ScoreKind kind = ScoreKind::cycles);

/// What a package lacks that its authors or users will miss, one sentence each: a guide, a starting
/// kernel, the generator that it names, the verdict of something in wrong/.
std::vector<std::string> package_gaps(const Task& task);

/// The package as one tar file under a folder of the task's name, after its task.toml and cases
/// were read without complaint. Equal folders give equal bytes.
Result<std::vector<u8>> pack_task(const std::string& folder);

}  // namespace simfarm::farm
