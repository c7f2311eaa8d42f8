// The outside judge: LLVM 19's assembler and disassembler, run in few processes over many words.
#pragma once
#include <string>
#include <vector>

#include "base/types.h"

namespace simfarm::test {

/// One instruction as LLVM sees it.
struct Disassembled {
  u32 word = 0;      ///< the bytes, as printed
  u32 bytes = 0;     ///< how many
  std::string text;  ///< white space normalised, symbols cut; "<unknown>" if it decodes nothing
};

/// Where the first word of a batch lies; then one word every `slot` bytes.
inline constexpr u32 batch_start = 0x10000000;
inline constexpr u32 slot = 8;

/// What llvm-objdump makes of each word (16 bits are written when its lowest bits say so).
std::vector<Disassembled> llvm_disassemble(const std::vector<u32>& words);

/// What llvm-mc assembles from each line; a line that it rejects fails the calling test.
std::vector<u32> llvm_assemble(const std::vector<std::string>& lines, bool compressed);

}  // namespace simfarm::test
