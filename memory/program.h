// A program as loaded: read from ELF files, checked, and independent of any machine.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace simfarm {

/// One loadable piece of an image. `bytes` may be shorter than `memory_bytes`; the rest is zero.
struct Segment {
  u32 address = 0;
  std::vector<u8> bytes;
  u32 memory_bytes = 0;
  bool executable = false;
  bool writable = false;
};

/// A symbol of the image: functions and objects, by address.
struct Symbol {
  std::string name;
  u32 address = 0;
  u32 size = 0;
  bool function = false;
};

/// A place in the source: what DWARF says of a pc. Empty file: nothing known.
struct SourceLine {
  std::string file;
  u32 line = 0;
  std::string function;
};

/// Source lines by pc, from .debug_line; shared, read-only.
class LineTable {
 public:
  virtual ~LineTable() = default;
  virtual SourceLine find(u32 pc) const = 0;
};

/// One ELF image.
struct Image {
  std::string file;
  u32 entry = 0;
  std::vector<Segment> segments;           ///< by address, not overlapping
  std::vector<Symbol> symbols;             ///< by (address, name)
  std::shared_ptr<const LineTable> lines;  ///< null when the file has no DWARF lines
};

/// The function that holds `pc`, or the nearest label before it; null when there is none. `symbols`
/// are in order of address.
const Symbol* function_at(std::span<const Symbol> symbols, u32 pc);

/// All that is known of `pc`: its line when the image has DWARF, its function when it has symbols.
SourceLine locate(const Image& image, u32 pc);

/// An image on a rectangle of PEs (both ends inside).
struct Placement {
  u32 image = 0;
  u32 row0 = 0, column0 = 0, row1 = 0, column1 = 0;
};

/// Images and where they run. No placements: image 0 on every PE.
struct Program {
  std::vector<std::shared_ptr<const Image>> images;
  std::vector<Placement> placements;
};

/// Reads an ELF file's bytes (hostile until parsed): ELF32, little-endian, RISC-V, static
/// executable. Errors name the field and its offset: "prog.elf: program header 2 at offset 0x74:
/// p_filesz ...".
Result<Image> parse_elf(std::vector<u8> bytes, std::string_view file_name);

/// The same from a path.
Result<Image> load_elf(const std::string& path);

}  // namespace simfarm
