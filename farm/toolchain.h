// The compiler that the farm builds submissions with.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace simfarm::farm {

class Sandbox;

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
  std::shared_ptr<const Sandbox> sandbox;  ///< where it runs; null: with the rights of the caller
};

/// The absolute path of `given`, or of the first `program` in the search path. Error: what to
/// install.
Result<std::string> find_program(const std::string& given, std::string_view program,
                                 std::string_view package, const std::string& search_path);

/// Error: what is missing, and what to install.
Result<Toolchain> find_toolchain(const ToolchainPlaces& places);

/// Whether it is all still there: a build that failed without it says nothing about the submission.
Result<void> check_toolchain(const Toolchain& toolchain);

}  // namespace simfarm::farm
