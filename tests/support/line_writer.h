// Writes tables of .debug_line for tests.
#pragma once
#include <string>
#include <vector>

#include "base/types.h"

namespace simfarm::test {

/// One table with one-byte operands where the tests need no more: opcode_base 13, line_base -5,
/// line_range 14. File 1 is `directory`/`file` (DWARF 5: file 0, directory 0).
class LineTableWriter {
 public:
  LineTableWriter(u32 version, std::string directory, std::string file)
      : version_(version), directory_(std::move(directory)), file_(std::move(file)) {}

  /// Begins a sequence, or moves in it.
  LineTableWriter& address(u32 value) {
    program_.insert(program_.end(), {0, 5, 2});
    put(program_, value, 4);
    return *this;
  }
  /// A row at the present address, then `bytes` on: line by DW_LNS_advance_line and DW_LNS_copy.
  LineTableWriter& row(i32 line, u32 bytes) {
    program_.push_back(3);
    signed_leb(line - line_);
    line_ = line;
    program_.insert(program_.end(), {1, 9});
    put(program_, bytes, 2);
    return *this;
  }
  /// A special opcode: address + advance, line + delta, a row there.
  LineTableWriter& special(u32 advance, i32 delta) {
    program_.push_back(static_cast<u8>(13 + advance * 14 + static_cast<u32>(delta + 5)));
    line_ += delta;
    return *this;
  }
  LineTableWriter& bytes(std::vector<u8> raw) {
    program_.insert(program_.end(), raw.begin(), raw.end());
    return *this;
  }
  LineTableWriter& end() {
    line_ = 1;
    return bytes({0, 1, 1});
  }

  std::vector<u8> write() const {
    std::vector<u8> header{1};               // instruction length
    if (version_ >= 4) header.push_back(1);  // operations of an instruction
    header.insert(header.end(), {1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1});
    if (version_ >= 5) {
      header.insert(header.end(), {1, 1, 8, 1});  // directories: one path, as a string
      text(header, directory_);
      header.insert(header.end(), {2, 1, 8, 2, 11, 2});  // files: path, directory as a byte
      for (u32 i = 0; i < 2; ++i) {
        text(header, file_);
        header.push_back(0);
      }
    } else {
      text(header, directory_);
      header.push_back(0);
      text(header, file_);
      header.insert(header.end(), {1, 0, 0, 0});
    }
    std::vector<u8> body;
    put(body, version_, 2);
    if (version_ >= 5) body.insert(body.end(), {4, 0});
    put(body, static_cast<u32>(header.size()), 4);
    body.insert(body.end(), header.begin(), header.end());
    body.insert(body.end(), program_.begin(), program_.end());
    std::vector<u8> table;
    put(table, static_cast<u32>(body.size()), 4);
    table.insert(table.end(), body.begin(), body.end());
    return table;
  }

 private:
  static void put(std::vector<u8>& to, u32 value, u32 count) {
    for (u32 i = 0; i < count; ++i) to.push_back(static_cast<u8>(value >> 8 * i));
  }
  static void text(std::vector<u8>& to, const std::string& value) {
    to.insert(to.end(), value.begin(), value.end());
    to.push_back(0);
  }
  void signed_leb(i32 value) {
    for (;;) {
      const u8 low = value & 0x7f;
      value >>= 7;
      const bool last = value == (low & 0x40 ? -1 : 0);
      program_.push_back(last ? low : low | 0x80);
      if (last) return;
    }
  }

  u32 version_;
  std::string directory_, file_;
  std::vector<u8> program_;
  i32 line_ = 1;
};

}  // namespace simfarm::test
