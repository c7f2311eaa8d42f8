// Text of instructions, as llvm-objdump -M no-aliases writes it.
#pragma once
#include <optional>
#include <string>

#include "base/types.h"
#include "isa/operation.h"

namespace simfarm {

/// The text of one instruction in its 32-bit form: "addi a0, a1, -0x1". With `pc`, branch targets
/// are addresses; without, offsets from the instruction, as assemblers read plain numbers.
std::string disassemble(const Operation& operation, std::optional<u32> pc = std::nullopt);

/// The text of a word of a program, 16 or 32 bits by its lowest bits, in the form it is written in
/// ("c.addi a0, -0x1"); "<unknown>" when it is illegal.
std::string disassemble_word(u32 word, std::optional<u32> pc = std::nullopt);

}  // namespace simfarm
