// One run as one text file: machine, images, memories, arguments and options, so that whoever gets
// the file can repeat the run and read what it does.
//
//   simfarm case 1
//   cycle_limit 20000
//   machine
//   | name = "m"
//   ...
//   image 0 kernel entry 0x00400000
//   segment 0x00400000 8 x
//   : 9308d005  # 0x00400000  addi a7, zero, 0x5d
//
// docs/differential.md has the whole format.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/simulation.h"

namespace simfarm::profile {

struct RunCase {
  RunInput input;
  RunOptions options;  ///< without an observer
  std::string note;    ///< lines for people: where the case comes from
};

/// Symbols and source lines are left out: they change nothing in a run.
std::string print_case(const RunCase& run_case);

/// Errors name the file and the line.
Result<RunCase> parse_case(std::string_view text, std::string_view file_name);

Result<RunCase> load_case(const std::string& path);

}  // namespace simfarm::profile
