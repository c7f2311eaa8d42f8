// What `run`, `trace` and `dma explain` have in common: a program on a machine, with its inputs.
#pragma once
#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "engine/simulation.h"
#include "farm/case_io.h"

namespace simfarm::cli {

struct RunFlags {
  std::string program;
  std::string machine = "single";
  std::string task;     ///< folder of a task: its machine, and the judge's layout of `inputs`
  std::string inputs;   ///< HDF5 case; empty: none
  std::string outputs;  ///< HDF5 file to write; empty: none
  std::string engine{name(default_engine)};
  bool check_races = false;
  bool no_console = false;
  std::optional<u64> poison;
  Cycle cycle_limit = 10'000'000'000;
};

/// Adds the shared flags to a subcommand.
void add_run_flags(CLI::App& command, RunFlags& flags);

/// The RunOptions that the flags ask for.
RunOptions run_options(const RunFlags& flags, Observer* observer);

/// Opens the case of --in and puts it into `input`; nothing without --in.
Result<std::optional<farm::CaseRun>> load_tensors(const RunFlags& flags, RunInput& input);

/// Loads program and machine.
Result<RunInput> load_run(const RunFlags& flags);

}  // namespace simfarm::cli
