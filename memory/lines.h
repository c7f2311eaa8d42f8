// Source lines of an image's instructions, out of .debug_line.
#pragma once
#include <memory>
#include <vector>

#include "memory/elf_format.h"
#include "memory/elf_sections.h"
#include "memory/program.h"

namespace simfarm::elf {

/// The lines of `image`'s executable segments; null when there are none that can be understood.
/// Damaged or hostile DWARF costs its own lines and nothing else: a report without source lines is
/// better than a program that cannot be run.
std::shared_ptr<const LineTable> read_lines(const File& file, const std::vector<Section>& sections,
                                            const Image& image);

}  // namespace simfarm::elf
