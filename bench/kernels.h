// From the sources in bench/kernels to programs.
#pragma once
#include <memory>
#include <string>

#include "base/result.h"
#include "bench/case.h"
#include "farm/toolchain.h"
#include "memory/program.h"

namespace simfarm::bench {

/// A case's ELF file, compiled now as a submission is: with the SDK's wrapper, at -O2.
Result<std::vector<u8>> compile_kernel(const Case& which, const std::string& kernels_folder,
                                       const farm::Toolchain& toolchain);

/// Where programs that were compiled before lie in `folder`.
std::string kernel_path(const std::string& folder, const Case& which);

}  // namespace simfarm::bench
