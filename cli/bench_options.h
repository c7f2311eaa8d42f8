// What `bench` and `bench pair` have in common: which cases, how much work, and their programs.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/case.h"
#include "bench/kernels.h"

namespace simfarm::cli {

struct BenchFlags {
  std::vector<std::string> cases;
  std::string size;  ///< empty: the engine's own
};

/// Adds the shared flags to a subcommand.
void add_bench_flags(CLI::App& command, BenchFlags& flags);

/// The cases named; "gemm-*" stands for all that begin so, no name at all for every case.
Result<std::vector<const bench::Case*>> select_cases(const std::vector<std::string>& names);

/// A case's program, compiled from simfarm's own folder.
Result<std::vector<u8>> compile_case(const bench::Case& which);

/// Adds `pair` to `bench`.
void add_bench_pair(CLI::App& bench, int& exit_code);

}  // namespace simfarm::cli
