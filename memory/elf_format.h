// What ELF calls things: the constants of the System V gABI and the RISC-V psABI that the loader
// reads, and a view of a file's bytes that cannot be read outside its end.
#pragma once
#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace simfarm::elf {

// Sizes of ELF32's structures, bytes.
inline constexpr u32 header_bytes = 52;
inline constexpr u32 program_header_bytes = 32;
inline constexpr u32 section_header_bytes = 40;
inline constexpr u32 symbol_bytes = 16;

// e_type, e_machine, e_flags.
inline constexpr u32 type_executable = 2;
inline constexpr u32 machine_riscv = 243;
inline constexpr u32 flag_rvc = 0x1;
inline constexpr u32 flag_float_abi = 0x6;
inline constexpr u32 flag_rve = 0x8;

// p_type, p_flags.
inline constexpr u32 segment_null = 0;
inline constexpr u32 segment_load = 1;
inline constexpr u32 segment_dynamic = 2;
inline constexpr u32 segment_interp = 3;
inline constexpr u32 segment_note = 4;
inline constexpr u32 segment_shlib = 5;
inline constexpr u32 segment_phdr = 6;
inline constexpr u32 segment_tls = 7;
inline constexpr u32 segment_first_os_specific = 0x6000'0000;
inline constexpr u32 segment_executable = 0x1;
inline constexpr u32 segment_writable = 0x2;

// sh_type, sh_flags, section numbers, symbol types.
inline constexpr u32 section_symtab = 2;
inline constexpr u32 section_strtab = 3;
inline constexpr u32 section_nobits = 8;
inline constexpr u32 section_compressed = 0x800;
inline constexpr u32 symbol_undefined = 0;
inline constexpr u32 symbol_notype = 0;
inline constexpr u32 symbol_object = 1;
inline constexpr u32 symbol_function = 2;

/// A file's bytes and its name. Reads are checked by the caller through holds(); a read outside is
/// a bug of ours and stops.
class File {
 public:
  File(std::span<const u8> bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  u64 size() const { return bytes_.size(); }
  bool holds(u64 offset, u64 length) const {
    return offset <= bytes_.size() && length <= bytes_.size() - offset;
  }
  std::span<const u8> bytes(u64 offset, u64 length) const {
    check(holds(offset, length), "ELF range not checked before reading");
    return bytes_.subspan(offset, length);
  }
  u32 u8_at(u64 offset) const { return bytes(offset, 1)[0]; }
  u32 u16_at(u64 offset) const { return u8_at(offset) | u8_at(offset + 1) << 8; }
  u32 u32_at(u64 offset) const { return u16_at(offset) | u16_at(offset + 2) << 16; }

  /// "<file>: <what is wrong>"
  template <class... Args>
  Error error(fmt::format_string<Args...> text, Args&&... args) const {
    return input_error(
        fmt::format("{}: {}", name_, fmt::format(text, std::forward<Args>(args)...)));
  }

 private:
  std::span<const u8> bytes_;
  std::string_view name_;
};

}  // namespace simfarm::elf
