// From a PE's pc to a place in its source, and console bytes to text that is safe to show.
#pragma once
#include <string>
#include <string_view>

#include "engine/machine.h"
#include "memory/program.h"

namespace simfarm::profile {

/// The image that `pe` runs.
const Image& image_of(const Program& program, const Machine& machine, PeId pe);

/// "gemm.c:41 (kernel)", "(kernel)" when only the symbol is known, "" when nothing is.
std::string source_place(const Program& program, const Machine& machine, PeId pe, u32 pc);

/// The text with every byte that is not printable ASCII, tab, newline or part of valid UTF-8
/// written as \xNN: a program's output can neither move the cursor nor break a JSON document.
std::string printable(std::string_view text);

}  // namespace simfarm::profile
