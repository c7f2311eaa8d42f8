// simfarm farm gc: what a farm no longer needs is removed.
#pragma once
#include <CLI/CLI.hpp>

namespace simfarm::cli {

/// Adds it to `simfarm farm`.
void add_farm_gc(CLI::App& command, int& exit_code);

}  // namespace simfarm::cli
