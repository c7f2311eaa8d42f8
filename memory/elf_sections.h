// The parts of an ELF file that loading does not need and reports do: sections, symbols, DWARF.
#pragma once
#include <string_view>
#include <vector>

#include "base/result.h"
#include "memory/elf_format.h"
#include "memory/program.h"

namespace simfarm::elf {

/// One entry of the section table; `name` views the file's bytes.
struct Section {
  std::string_view name;
  u32 type = 0;
  u32 flags = 0;
  u32 offset = 0;
  u32 size = 0;
  u32 link = 0;
  u32 entry_size = 0;
};

/// The section table, every range checked; empty when the file has none.
Result<std::vector<Section>> read_sections(const File& file);

/// Defined, named functions, objects and labels of .symtab, by (address, name).
Result<std::vector<Symbol>> read_symbols(const File& file, const std::vector<Section>& sections);

}  // namespace simfarm::elf
