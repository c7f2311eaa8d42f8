// The compiler that the farm builds submissions with.
#pragma once
#include <string>

#include "base/result.h"

namespace simfarm::farm {

/// Where to look; the command line fills it from its environment.
struct ToolchainPlaces {
  std::string home;         ///< simfarm's own folder: sdk/ lies in it
  std::string search_path;  ///< PATH
  std::string clang;        ///< a path instead of clang-19; empty: look for it
  std::string lld;          ///< likewise ld.lld-19
};

/// Programs by absolute path, all there and executable.
struct Toolchain {
  std::string driver;  ///< sdk/bin/simfarm-cc
  std::string clang;
  std::string lld;
};

/// Error: what is missing, and what to install.
Result<Toolchain> find_toolchain(const ToolchainPlaces& places);

/// Whether it is all still there: a build that failed without it says nothing about the submission.
Result<void> check_toolchain(const Toolchain& toolchain);

}  // namespace simfarm::farm
