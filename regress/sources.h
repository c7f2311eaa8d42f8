// Where cases come from: case files, and the kernels of a task's folder.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "farm/toolchain.h"
#include "regress/golden.h"

namespace simfarm::regress {

/// A run as a case: its text has no comments.
GoldenCase case_of(std::string name, const profile::RunCase& run_case, std::vector<Output> outputs);

/// A case file; its name is the file's, without folder and ending.
Result<GoldenCase> case_of_file(const std::string& path);

/// The task's starting kernel and its submissions on its public cases, as the judge runs them
/// first, but with all local memory where a submission declares less: "TASK/kernel/CASE",
/// "TASK/SUBMISSION/CASE". Error: one cannot be read or compiled.
Result<std::vector<GoldenCase>> cases_of_task(const std::string& folder,
                                              const farm::Toolchain& toolchain);

/// `folder` is a task's.
bool is_task(const std::string& folder);

/// The program of a case that cases_of_task(folder) has made: `name` is its case's.
Result<Image> program_of_task(const std::string& folder, std::string_view name,
                              const farm::Toolchain& toolchain);

}  // namespace simfarm::regress
