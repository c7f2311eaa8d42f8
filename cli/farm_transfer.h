// simfarm farm export|import: a farm as one file, and a new farm from it.
#pragma once
#include <CLI/CLI.hpp>

namespace simfarm::cli {

/// Adds them to `simfarm farm`.
void add_farm_transfer(CLI::App& command, int& exit_code);

}  // namespace simfarm::cli
