// What values of options may be, where CLI11's own checks would say it in numbers nobody meant.
#pragma once
#include <CLI/CLI.hpp>

namespace simfarm::cli {

/// "1", "2", ...
CLI::Validator above_zero();
/// "0", "1", ...
CLI::Validator whole_number();
/// Names of the host's instruction sets.
CLI::Validator isa_names();

}  // namespace simfarm::cli
