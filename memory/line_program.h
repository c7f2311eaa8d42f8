// One table of .debug_line (DWARF 2 to 5): its header, and the byte program that lists its rows.
//
// We read it ourselves, because submissions are hostile and the usual library was not made for
// that: elfutils 0.188 joins every file name with its directory while it reads the header, so that
// a file of 775 kB (one directory name of 512 KiB, 50,000 file names) makes it allocate more than
// 16 GB and then end the process. Here names stay views of the section until a row asks for one,
// and rows and names are counted.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"

namespace simfarm::elf {

/// The sections that a table refers to; empty where the file has none.
struct LineSections {
  std::span<const u8> line;         ///< .debug_line
  std::span<const u8> line_string;  ///< .debug_line_str
  std::span<const u8> string;       ///< .debug_str
};

/// From `address` on, instructions come from that place; `ends` marks the end of a sequence.
struct LineRow {
  u32 address = 0;
  u32 line = 0;
  u32 file = 0;  ///< as the program says it: an index into LineProgram::files
  bool ends = false;
};

struct LineProgram {
  struct File {
    std::string_view name;
    u64 directory = 0;
  };
  std::vector<std::string_view> directories;  ///< entry 0: the compilation directory, where known
  std::vector<File> files;
  std::vector<LineRow> rows;  ///< in order of the program, complete sequences only

  /// Directory and name joined; empty when there is no such file or it has more than 4096 bytes.
  std::string path(u32 file) const;
};

/// Reads the table at `offset` of .debug_line and moves `offset` past it. False when it is damaged,
/// of an unknown version, or has more than `max_rows` rows; `offset` is then moved where its length
/// makes sense, else to the section's end.
bool read_line_program(const LineSections& sections, u64& offset, u64 max_rows,
                       LineProgram& program);

}  // namespace simfarm::elf
