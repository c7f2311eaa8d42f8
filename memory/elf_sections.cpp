#include "memory/elf_sections.h"

#include <algorithm>
#include <tuple>

namespace simfarm::elf {
namespace {

// Bounds on what a hostile file can make us keep. A kernel has hundreds of symbols; the largest
// bare-metal C++ programs have some ten thousand.
constexpr u64 max_symbols = 262'144;
constexpr u64 max_name_bytes = 4096;
constexpr u64 max_total_name_bytes = 16u << 20;

/// The NUL-terminated string at `offset` of a string table; false when it does not end inside.
bool string_at(std::span<const u8> table, u32 offset, std::string_view& text) {
  if (offset >= table.size()) return false;
  const auto tail = table.subspan(offset);
  const auto end = std::find(tail.begin(), tail.end(), u8{0});
  if (end == tail.end()) return false;
  text = {reinterpret_cast<const char*>(tail.data()), static_cast<std::size_t>(end - tail.begin())};
  return true;
}

/// Assembler-local marks ($x, $d, .L123) say nothing to a reader.
bool is_mark(std::string_view name) { return name.starts_with('$') || name.starts_with(".L"); }

Result<void> read_symbol_table(const File& file, const std::vector<Section>& sections, u32 index,
                               std::vector<Symbol>& symbols) {
  const Section& table = sections[index];
  if (table.entry_size != symbol_bytes)
    return file.error("section {}: sh_entsize is {}, a symbol has {} bytes", index,
                      table.entry_size, symbol_bytes);
  if (table.size % symbol_bytes != 0)
    return file.error("section {}: sh_size {} is not a multiple of {}", index, table.size,
                      symbol_bytes);
  if (table.link >= sections.size() || sections[table.link].type != section_strtab)
    return file.error("section {}: sh_link {} is not a string table", index, table.link);
  const u32 count = table.size / symbol_bytes;
  if (count > max_symbols)
    return file.error("section {}: {} symbols, at most {} are read", index, count, max_symbols);
  const Section& names = sections[table.link];
  const auto strings = file.bytes(names.offset, names.size);

  u64 name_bytes = 0;
  for (u32 i = 0; i < count; ++i) {
    const u64 at = table.offset + u64{i} * symbol_bytes;
    const u32 name_offset = file.u32_at(at);
    const u32 type = file.u8_at(at + 12) & 15;
    const u32 section = file.u16_at(at + 14);
    if (type > symbol_function || section == symbol_undefined || name_offset == 0) continue;
    std::string_view name;
    if (!string_at(strings, name_offset, name))
      return file.error("symbol {} at offset {:#x}: st_name {:#x} does not end inside section {}",
                        i, at, name_offset, table.link);
    if (name.size() > max_name_bytes)
      return file.error("symbol {} at offset {:#x}: a name of {} bytes, at most {} are possible", i,
                        at, name.size(), max_name_bytes);
    if (name.empty() || is_mark(name)) continue;
    name_bytes += name.size();
    if (name_bytes > max_total_name_bytes)
      return file.error("symbol {} at offset {:#x}: more than {} bytes of symbol names", i, at,
                        max_total_name_bytes);
    symbols.push_back({.name = std::string(name),
                       .address = file.u32_at(at + 4),
                       .size = file.u32_at(at + 8),
                       .function = type == symbol_function});
  }
  return {};
}

}  // namespace

Result<std::vector<Section>> read_sections(const File& file) {
  const u32 table = file.u32_at(32);
  const u32 entry_bytes = file.u16_at(46);
  const u32 count = file.u16_at(48);
  const u32 names_index = file.u16_at(50);
  std::vector<Section> sections;
  if (count == 0) {
    if (table != 0)
      return file.error("e_shnum is 0 (offset 48) with a section table at {:#x}", table);
    return sections;
  }
  if (entry_bytes != section_header_bytes)
    return file.error("e_shentsize is {} (offset 46), ELF32 has {}", entry_bytes,
                      section_header_bytes);
  if (!file.holds(table, u64{count} * section_header_bytes))
    return file.error("e_shoff {:#x} (offset 32): {} section headers do not fit a file of {} bytes",
                      table, count, file.size());
  for (u32 i = 0; i < count; ++i) {
    const u64 at = table + u64{i} * section_header_bytes;
    Section section{.type = file.u32_at(at + 4),
                    .flags = file.u32_at(at + 8),
                    .offset = file.u32_at(at + 16),
                    .size = file.u32_at(at + 20),
                    .link = file.u32_at(at + 24),
                    .entry_size = file.u32_at(at + 36)};
    // Entry 0 describes nothing; .bss and its like have no bytes in the file.
    const bool has_bytes = i != 0 && section.type != section_nobits;
    if (has_bytes && !file.holds(section.offset, section.size))
      return file.error(
          "section {} at offset {:#x}: sh_offset {:#x} and sh_size {:#x} leave a file of {} bytes",
          i, at, section.offset, section.size, file.size());
    sections.push_back(section);
  }
  if (names_index == 0) return sections;
  if (names_index >= count || sections[names_index].type != section_strtab)
    return file.error("e_shstrndx {} (offset 50) is not a string table", names_index);
  const auto names = file.bytes(sections[names_index].offset, sections[names_index].size);
  for (u32 i = 1; i < count; ++i) {
    const u64 at = table + u64{i} * section_header_bytes;
    if (!string_at(names, file.u32_at(at), sections[i].name))
      return file.error("section {} at offset {:#x}: sh_name {:#x} does not end inside section {}",
                        i, at, file.u32_at(at), names_index);
  }
  return sections;
}

Result<std::vector<Symbol>> read_symbols(const File& file, const std::vector<Section>& sections) {
  std::vector<Symbol> symbols;
  for (u32 i = 1; i < sections.size(); ++i) {
    if (sections[i].type != section_symtab) continue;
    if (!symbols.empty()) return file.error("section {}: a second symbol table", i);
    if (auto read = read_symbol_table(file, sections, i, symbols); !read) return read.error();
  }
  std::ranges::stable_sort(
      symbols, {}, [](const Symbol& symbol) { return std::tie(symbol.address, symbol.name); });
  return symbols;
}

}  // namespace simfarm::elf
