// simfarm farm rotate-secret|held-out.
#pragma once
#include <CLI/CLI.hpp>

namespace simfarm::cli {

/// Adds them to `simfarm farm`.
void add_farm_secret(CLI::App& farm, int& exit_code);

}  // namespace simfarm::cli
