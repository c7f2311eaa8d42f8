#include "memory/line_program.h"

#include <algorithm>
#include <array>

#include "memory/byte_reader.h"

namespace simfarm::elf {
namespace {

// Content types and forms of a DWARF 5 header's entries.
constexpr u64 content_path = 1, content_directory = 2;
constexpr u64 form_block2 = 0x03, form_block4 = 0x04, form_data2 = 0x05, form_data4 = 0x06,
              form_data8 = 0x07, form_string = 0x08, form_block = 0x09, form_block1 = 0x0a,
              form_data1 = 0x0b, form_strp = 0x0e, form_udata = 0x0f, form_data16 = 0x1e,
              form_line_strp = 0x1f;

// Opcodes.
constexpr u32 extended = 0, copy = 1, advance_pc = 2, advance_line = 3, set_file = 4,
              const_add_pc = 8, fixed_advance_pc = 9;
constexpr u32 end_sequence = 1, set_address = 2;

constexpr u64 max_path_bytes = 4096;
constexpr u64 max_entries = 65'536;  ///< directories, or files, of one table

struct Header {
  u32 version = 0;
  bool wide = false;  ///< 64-bit DWARF: offsets have 8 bytes
  u32 instruction_length = 0;
  i32 line_base = 0;
  u32 line_range = 0;
  u32 opcode_base = 0;
  std::array<u8, 256> operands{};  ///< of the standard opcodes
};

/// The text at `offset` of a string section, and what follows it: path() looks for the NUL. Many
/// entries may share one long string, which must not be walked for each.
std::string_view string_in(std::span<const u8> section, u64 offset, ByteReader& reader) {
  if (offset >= section.size()) {
    reader.fail();
    return {};
  }
  const auto rest = section.subspan(offset, std::min(section.size() - offset, max_path_bytes + 1));
  return {reinterpret_cast<const char*>(rest.data()), rest.size()};
}

/// One value of a DWARF 5 entry: its text or its number, by form.
struct FormValue {
  std::string_view text;
  u64 number = 0;
};

FormValue read_form(ByteReader& reader, u64 form, const Header& header,
                    const LineSections& sections) {
  const u32 offset_bytes = header.wide ? 8 : 4;
  switch (form) {
    case form_string:
      return {.text = reader.text()};
    case form_line_strp:
      return {.text = string_in(sections.line_string, reader.integer(offset_bytes), reader)};
    case form_strp:
      return {.text = string_in(sections.string, reader.integer(offset_bytes), reader)};
    case form_udata:
      return {.number = reader.unsigned_leb()};
    case form_data1:
      return {.number = reader.integer(1)};
    case form_data2:
      return {.number = reader.integer(2)};
    case form_data4:
      return {.number = reader.integer(4)};
    case form_data8:
      return {.number = reader.integer(8)};
    case form_data16:
      reader.take(16);
      return {};
    case form_block:
      reader.take(reader.unsigned_leb());
      return {};
    case form_block1:
      reader.take(reader.integer(1));
      return {};
    case form_block2:
      reader.take(reader.integer(2));
      return {};
    case form_block4:
      reader.take(reader.integer(4));
      return {};
    default:
      reader.fail();
      return {};
  }
}

/// DWARF 5: a list of formats, then entries in those formats. Used for directories and for files.
std::vector<LineProgram::File> read_entries(ByteReader& reader, const Header& header,
                                            const LineSections& sections) {
  struct Format {
    u64 content = 0, form = 0;
  };
  std::vector<Format> formats(reader.integer(1));
  for (Format& format : formats) {
    format.content = reader.unsigned_leb();
    format.form = reader.unsigned_leb();
  }
  const u64 count = reader.unsigned_leb();
  std::vector<LineProgram::File> entries;
  if (count > max_entries || (count > 0 && formats.empty())) reader.fail();
  for (u64 i = 0; i < count && !reader.failed(); ++i) {
    LineProgram::File entry;
    for (const Format& format : formats) {
      const FormValue value = read_form(reader, format.form, header, sections);
      if (format.content == content_path) entry.name = value.text;
      if (format.content == content_directory) entry.directory = value.number;
    }
    entries.push_back(entry);
  }
  return entries;
}

void read_names(ByteReader& reader, const Header& header, const LineSections& sections,
                LineProgram& program) {
  if (header.version >= 5) {
    for (const auto& entry : read_entries(reader, header, sections))
      program.directories.push_back(entry.name);
    program.files = read_entries(reader, header, sections);
    return;
  }
  // Before DWARF 5 both lists count from 1; directory 0 is the compilation's, written elsewhere.
  program.directories.push_back({});
  for (auto name = reader.text(); !name.empty(); name = reader.text())
    program.directories.push_back(name);
  program.files.push_back({});
  for (auto name = reader.text(); !name.empty(); name = reader.text()) {
    program.files.push_back({.name = name, .directory = reader.unsigned_leb()});
    reader.unsigned_leb();  // time of change
    reader.unsigned_leb();  // length
  }
  if (program.directories.size() > max_entries || program.files.size() > max_entries) reader.fail();
}

/// Runs the byte program. False when it is damaged or has too many rows.
bool run(ByteReader& reader, const Header& header, u64 max_rows, std::vector<LineRow>& rows) {
  LineRow state{.line = 1, .file = 1};
  std::size_t complete = 0;  // rows of sequences that have ended
  const auto advance = [&](u64 operations) {
    state.address += static_cast<u32>(operations) * header.instruction_length;
  };
  while (!reader.at_end()) {
    const u32 opcode = static_cast<u32>(reader.integer(1));
    bool emit = false;
    if (opcode >= header.opcode_base) {
      const u32 adjusted = opcode - header.opcode_base;
      advance(adjusted / header.line_range);
      state.line += static_cast<u32>(header.line_base) + adjusted % header.line_range;
      emit = true;
    } else if (opcode == extended) {
      ByteReader body(reader.take(reader.unsigned_leb()));
      const u64 sub = body.integer(1);
      if (sub == end_sequence) state.ends = emit = true;
      if (sub == set_address) state.address = static_cast<u32>(body.integer(4));
      if (body.failed()) reader.fail();
    } else if (opcode == copy) {
      emit = true;
    } else if (opcode == advance_pc) {
      advance(reader.unsigned_leb());
    } else if (opcode == advance_line) {
      state.line += static_cast<u32>(reader.signed_leb());
    } else if (opcode == set_file) {
      state.file = static_cast<u32>(reader.unsigned_leb());
    } else if (opcode == const_add_pc) {
      advance((255 - header.opcode_base) / header.line_range);
    } else if (opcode == fixed_advance_pc) {
      state.address += static_cast<u32>(reader.integer(2));
    } else {  // columns, statement marks, and whatever is newer than us
      for (u32 i = 0; i < header.operands[opcode]; ++i) reader.unsigned_leb();
    }
    if (reader.failed()) return false;
    if (!emit) continue;
    if (rows.size() >= max_rows) return false;
    rows.push_back(state);
    if (state.ends) {
      complete = rows.size();
      state = {.line = 1, .file = 1};
    }
  }
  rows.resize(complete);
  return true;
}

}  // namespace

bool read_line_program(const LineSections& sections, u64& offset, u64 max_rows,
                       LineProgram& program) {
  ByteReader section(sections.line.subspan(offset));
  Header header;
  u64 length = section.integer(4);
  if (length == 0xffff'ffff) {
    header.wide = true;
    length = section.integer(8);
  }
  ByteReader reader(section.take(length));
  offset = section.failed() ? sections.line.size() : offset + section.offset();
  if (section.failed()) return false;

  header.version = static_cast<u32>(reader.integer(2));
  if (header.version < 2 || header.version > 5) return false;
  if (header.version == 5) {
    const u64 address_bytes = reader.integer(1);
    const u64 selector_bytes = reader.integer(1);
    if (address_bytes != 4 || selector_bytes != 0) return false;
  }
  const u64 header_length = reader.integer(header.wide ? 8 : 4);
  ByteReader fields(reader.take(header_length));
  header.instruction_length = static_cast<u32>(fields.integer(1));
  if (header.version >= 4) fields.integer(1);  // operations of a VLIW word: one here
  fields.integer(1);                           // whether rows begin as statements
  header.line_base = static_cast<i8>(fields.integer(1));
  header.line_range = static_cast<u32>(fields.integer(1));
  header.opcode_base = static_cast<u32>(fields.integer(1));
  for (u32 i = 1; i < header.opcode_base; ++i)
    header.operands[i] = static_cast<u8>(fields.integer(1));
  if (header.line_range == 0 || header.opcode_base == 0) return false;
  read_names(fields, header, sections, program);
  if (fields.failed() || reader.failed()) return false;
  return run(reader, header, max_rows, program.rows);
}

std::string LineProgram::path(u32 file) const {
  if (file >= files.size()) return {};
  const auto until_nul = [](std::string_view text) { return text.substr(0, text.find('\0')); };
  std::string path(until_nul(files[file].name));
  if (path.empty()) return {};
  const auto prepend = [&](u64 directory) {
    if (directory >= directories.size() || path.starts_with('/')) return;
    const std::string_view text = until_nul(directories[directory]);
    if (!text.empty()) path = std::string(text) + '/' + path;
  };
  prepend(files[file].directory);
  prepend(0);
  return path.size() > max_path_bytes ? std::string{} : path;
}

}  // namespace simfarm::elf
