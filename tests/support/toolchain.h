// The RISC-V assembler and linker, for tests that take their programs or their answers from LLVM.
#pragma once
#include <string>
#include <string_view>

#include "memory/program.h"

namespace simfarm::test {

/// Assembles `text` (llvm-mc-19, every extension of the machine that LLVM knows) and links it
/// (ld.lld-19) with .text at `base` and entry `_start`. The test fails, and the image is empty,
/// when either tool does.
Image assemble(std::string_view text, u32 base = 0x0040'0000);

}  // namespace simfarm::test
