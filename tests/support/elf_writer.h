// Writes small ELF32 RISC-V executables for tests: segments and symbols in, bytes out.
//
//   auto bytes = ElfWriter()
//                    .code(0x0040'0000, {0x05d00893, 0x00000073})  // li a7, 93; ecall
//                    .data(0x1000'0000, {1, 2, 3, 4}, 4096)
//                    .symbol("_start", 0x0040'0000, 8)
//                    .write();
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"

namespace simfarm::test {

class ElfWriter {
 public:
  /// An executable, read-only segment of 32-bit words; the first one's address is the entry unless
  /// entry() says otherwise.
  ElfWriter& code(u32 address, const std::vector<u32>& words) {
    std::vector<u8> bytes;
    for (const u32 word : words) put(bytes, word, 4);
    return segment(address, std::move(bytes), 0, 5);
  }
  /// A writable segment; `memory_bytes` above the bytes' number asks for zeros after them.
  ElfWriter& data(u32 address, std::vector<u8> bytes, u32 memory_bytes = 0) {
    return segment(address, std::move(bytes), memory_bytes, 6);
  }
  /// Any PT_LOAD; flags are p_flags (4 read, 2 write, 1 execute).
  ElfWriter& segment(u32 address, std::vector<u8> bytes, u32 memory_bytes, u32 flags) {
    if (memory_bytes < bytes.size()) memory_bytes = static_cast<u32>(bytes.size());
    segments_.push_back({address, address, std::move(bytes), memory_bytes, flags, 1});
    if (!entry_set_ && (flags & 1)) entry(address);
    return *this;
  }
  /// The last segment is loaded at another address than it is used at.
  ElfWriter& loaded_at(u32 physical_address) {
    segments_.back().physical = physical_address;
    return *this;
  }
  /// A program header of another type than PT_LOAD.
  ElfWriter& header(u32 type) {
    segments_.push_back({0, 0, {}, 0, 4, type});
    return *this;
  }
  ElfWriter& entry(u32 address) {
    entry_ = address;
    entry_set_ = true;
    return *this;
  }
  /// A symbol of type 2 (function), 1 (object) or 0 (label), defined in section 1.
  ElfWriter& symbol(std::string name, u32 address, u32 size, u32 type = 2) {
    symbols_.push_back({std::move(name), address, size, type});
    return *this;
  }
  /// A section that is not loaded: ".debug_line".
  ElfWriter& section(std::string name, std::vector<u8> bytes) {
    sections_.push_back({std::move(name), std::move(bytes), 1, 0, 0});
    return *this;
  }

  /// Header, program headers, segments' bytes, sections' bytes, section headers. Without symbols
  /// and sections there is no section table.
  std::vector<u8> write() const {
    std::vector<Section> sections(1);
    if (!symbols_.empty() || !sections_.empty()) {
      sections.insert(sections.end(), sections_.begin(), sections_.end());
      if (!symbols_.empty()) add_symbols(sections);
      sections.push_back({".shstrtab", {}, 3, 0, 0});
    }
    std::vector<u32> names(sections.size());
    if (sections.size() > 1) {
      std::vector<u8>& text = sections.back().bytes;
      text.push_back(0);
      for (std::size_t i = 1; i < sections.size(); ++i) {
        names[i] = static_cast<u32>(text.size());
        put_text(text, sections[i].name);
      }
    }

    const u32 count = static_cast<u32>(segments_.size());
    u32 offset = 52 + 32 * count;
    std::vector<u8> headers, body, table;
    for (const Segment& one : segments_) {
      for (const u32 field : {one.type, offset, one.address, one.physical,
                              static_cast<u32>(one.bytes.size()), one.memory_bytes, one.flags, 4u})
        put(headers, field, 4);
      body.insert(body.end(), one.bytes.begin(), one.bytes.end());
      offset += static_cast<u32>(one.bytes.size());
    }
    for (std::size_t i = 0; i < sections.size() && sections.size() > 1; ++i) {
      const Section& one = sections[i];
      const u32 size = static_cast<u32>(one.bytes.size());
      for (const u32 field : {names[i], one.type, 0u, 0u, i == 0 ? 0 : offset, size, one.link, 0u,
                              1u, one.entry_size})
        put(table, field, 4);
      body.insert(body.end(), one.bytes.begin(), one.bytes.end());
      offset += size;
    }

    std::vector<u8> file{0x7f, 'E', 'L', 'F', 1, 1, 1};
    file.resize(16);
    put(file, 2, 2);    // ET_EXEC
    put(file, 243, 2);  // RISC-V
    for (const u32 field : {1u, entry_, 52u, table.empty() ? 0 : offset, 1u}) put(file, field, 4);
    const u32 section_count = table.empty() ? 0 : static_cast<u32>(sections.size());
    for (const u32 field :
         {52u, 32u, count, 40u, section_count, section_count ? section_count - 1 : 0})
      put(file, field, 2);
    for (const auto& part : {headers, body, table})
      file.insert(file.end(), part.begin(), part.end());
    return file;
  }

 private:
  struct Segment {
    u32 address = 0, physical = 0;
    std::vector<u8> bytes;
    u32 memory_bytes = 0, flags = 0, type = 1;
  };
  struct Symbol {
    std::string name;
    u32 address = 0, size = 0, type = 0;
  };
  struct Section {
    std::string name;
    std::vector<u8> bytes;
    u32 type = 0, link = 0, entry_size = 0;
  };

  static void put(std::vector<u8>& bytes, u32 value, u32 count) {
    for (u32 i = 0; i < count; ++i) bytes.push_back(static_cast<u8>(value >> 8 * i));
  }
  static void put_text(std::vector<u8>& bytes, const std::string& text) {
    bytes.insert(bytes.end(), text.begin(), text.end());
    bytes.push_back(0);
  }
  void add_symbols(std::vector<Section>& sections) const {
    std::vector<u8> table(16), names(1);
    for (const Symbol& one : symbols_) {
      put(table, static_cast<u32>(names.size()), 4);
      put(table, one.address, 4);
      put(table, one.size, 4);
      put(table, 0x10 | one.type, 2);  // global
      put(table, 1, 2);
      put_text(names, one.name);
    }
    const u32 link = static_cast<u32>(sections.size() + 1);
    sections.push_back({".symtab", std::move(table), 2, link, 16});
    sections.push_back({".strtab", std::move(names), 3, 0, 0});
  }

  std::vector<Segment> segments_;
  std::vector<Symbol> symbols_;
  std::vector<Section> sections_;
  u32 entry_ = 0;
  bool entry_set_ = false;
};

}  // namespace simfarm::test
