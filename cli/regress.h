// What the subcommands of `simfarm regress` have in common.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "regress/goldens.h"

namespace simfarm::cli {

struct GoldenFlags {
  std::string folder = "regress/goldens";
  std::vector<std::string> patterns;  ///< of cases; empty: all
};

/// --goldens, and the cases to choose by name.
void add_golden_flags(CLI::App& command, GoldenFlags& flags, bool with_patterns = true);

/// The first pattern that no case matches; what is misspelt shall not be taken for done.
std::optional<std::string> unmatched(const GoldenFlags& flags, const regress::Goldens& goldens);
/// Says so; exit_nothing.
int no_case(const std::string& pattern);

/// One of the patterns matches, or there is none.
bool chosen(const GoldenFlags& flags, std::string_view name);

// One file each: cli/regress_check.cpp, regress_record.cpp, regress_compare.cpp.
void add_regress_check(CLI::App& regress, int& exit_code);
void add_regress_explain(CLI::App& regress, int& exit_code);
void add_regress_record(CLI::App& regress, int& exit_code);
void add_regress_bless(CLI::App& regress, int& exit_code);
void add_regress_compare(CLI::App& regress, int& exit_code);

}  // namespace simfarm::cli
