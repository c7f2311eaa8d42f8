#include "memory/lines.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "memory/line_program.h"

namespace simfarm::elf {
namespace {

// A kernel has some thousand rows. At 12 bytes a row and 4096 bytes a path, these keep what a
// hostile file can make us hold below 100 MiB.
constexpr u64 max_line_bytes = 16u << 20;  ///< of .debug_line; above it nothing is read
constexpr u64 max_rows = 4'000'000;
constexpr u64 max_files = 10'000;

/// Rows by address; files by number, each once.
class Lines final : public LineTable {
 public:
  struct Row {
    u32 address = 0;
    u32 line = 0;  ///< 0: nothing is known from here on
    u32 file = 0;
  };

  Lines(std::vector<Row> rows, std::vector<std::string> files, std::vector<Symbol> symbols)
      : rows_(std::move(rows)), files_(std::move(files)), symbols_(std::move(symbols)) {}

  SourceLine find(u32 pc) const override {
    SourceLine found;
    if (const Symbol* function = function_at(symbols_, pc)) found.function = function->name;
    const auto after = std::ranges::upper_bound(rows_, pc, {}, &Row::address);
    if (after == rows_.begin() || (after - 1)->line == 0) return found;
    found.file = files_[(after - 1)->file];
    found.line = (after - 1)->line;
    return found;
  }

 private:
  std::vector<Row> rows_;
  std::vector<std::string> files_;
  std::vector<Symbol> symbols_;
};

std::span<const u8> find_section(const File& file, const std::vector<Section>& sections,
                                 std::string_view name) {
  for (const Section& section : sections)
    if (section.name == name && section.type != section_nobits &&
        !(section.flags & section_compressed))
      return file.bytes(section.offset, section.size);
  return {};
}

bool is_code(const Image& image, u32 address) {
  return std::ranges::any_of(image.segments, [&](const Segment& segment) {
    return segment.executable && address >= segment.address &&
           address - segment.address < segment.memory_bytes;
  });
}

/// A compilation folder of "." and the like left out: "./src/../k.c" is "k.c".
std::string plain(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().generic_string();
}

/// Numbers the files of all tables; the same path gets the same number.
class FileNumbers {
 public:
  static constexpr u32 unknown = ~u32{0};
  /// unknown when there is no path or there are too many.
  u32 number(const std::string& path) {
    if (path.empty()) return unknown;
    if (const auto known = numbers_.find(path); known != numbers_.end()) return known->second;
    if (files_.size() >= max_files) return unknown;
    files_.push_back(path);
    return numbers_[path] = static_cast<u32>(files_.size() - 1);
  }
  std::vector<std::string> take() { return std::move(files_); }

 private:
  std::map<std::string, u32> numbers_;
  std::vector<std::string> files_;
};

/// Appends the rows of the sequences that begin in code. Linkers leave the tables of functions that
/// they dropped, at address 0 or -1.
void append_rows(const LineProgram& program, const Image& image, FileNumbers& files,
                 std::vector<Lines::Row>& rows) {
  std::vector<std::optional<u32>> numbers(program.files.size());
  const auto number = [&](u32 file) {
    if (file >= numbers.size()) return FileNumbers::unknown;
    if (!numbers[file]) numbers[file] = files.number(plain(program.path(file)));
    return *numbers[file];
  };
  bool starts = true, keep = false;
  for (const LineRow& row : program.rows) {
    if (starts) keep = is_code(image, row.address);
    starts = row.ends;
    // Line 0 is code that no line asked for; it counts with the line before it.
    if (!keep || (row.line == 0 && !row.ends)) continue;
    const u32 file = row.ends ? FileNumbers::unknown : number(row.file);
    if (file == FileNumbers::unknown)
      rows.push_back({.address = row.address});
    else
      rows.push_back({row.address, row.line, file});
  }
}

}  // namespace

std::shared_ptr<const LineTable> read_lines(const File& file, const std::vector<Section>& sections,
                                            const Image& image) {
  const LineSections dwarf{.line = find_section(file, sections, ".debug_line"),
                           .line_string = find_section(file, sections, ".debug_line_str"),
                           .string = find_section(file, sections, ".debug_str")};
  if (dwarf.line.size() > max_line_bytes) return nullptr;
  std::vector<Lines::Row> rows;
  FileNumbers files;
  u64 rows_left = max_rows;
  for (u64 offset = 0; offset < dwarf.line.size();) {
    LineProgram program;
    const bool whole = read_line_program(dwarf, offset, rows_left, program);
    rows_left -= program.rows.size();
    if (whole) append_rows(program, image, files, rows);
  }
  if (rows.empty()) return nullptr;
  // Where one sequence ends and the next begins, the beginning must come last to be found.
  std::ranges::stable_sort(
      rows, {}, [](const Lines::Row& row) { return std::tuple(row.address, row.line != 0); });
  return std::make_shared<Lines>(std::move(rows), files.take(), image.symbols);
}

}  // namespace simfarm::elf
