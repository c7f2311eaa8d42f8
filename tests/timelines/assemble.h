// Assembles the table's programs: the text of isa's rows, 32-bit forms only.
#pragma once
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace simfarm::timelines {

/// One instruction of a program.
struct Instruction {
  std::string text;  ///< as written
  u32 word = 0;
  bool synchronises = false;
};

/// Instructions separated by ';'. Beside the rows' own syntax: "li rd, n" for addi rd, zero, n;
/// "nop"; a trailing " * n" repeats. An error quotes the instruction.
Result<std::vector<Instruction>> assemble(std::string_view program);

}  // namespace simfarm::timelines
