// Reads ELF32 RISC-V executables. The file comes from a stranger: every offset, size and count is
// checked in 64-bit arithmetic before it is used, everything that grows has a cap, and each refusal
// names the field and where it lies.
#include <algorithm>

#include "base/file.h"
#include "memory/elf_format.h"
#include "memory/elf_sections.h"
#include "memory/lines.h"
#include "memory/program.h"

namespace simfarm {
namespace {

using elf::File;

constexpr u64 max_file_bytes = 64u << 20;
constexpr u32 max_program_headers = 64;
/// Memory that a file can ask to be zeroed or filled: 256 MiB is 8 times the largest shipped OCM
/// and local memories taken together, and keeps a hostile .bss from filling the host.
constexpr u64 max_image_bytes = 256u << 20;

Result<void> check_identification(const File& file) {
  if (file.size() > max_file_bytes)
    return file.error("{} bytes, at most {} are read", file.size(), max_file_bytes);
  if (file.size() < elf::header_bytes)
    return file.error("{} bytes, an ELF32 header has {}", file.size(), elf::header_bytes);
  if (file.u32_at(0) != 0x464c'457f)
    return file.error("e_ident (offset 0) is {:#010x}, not the ELF magic 0x464c457f",
                      file.u32_at(0));
  if (file.u8_at(4) != 1)
    return file.error("EI_CLASS (offset 4) is {}, only 1 (32-bit) runs here", file.u8_at(4));
  if (file.u8_at(5) != 1)
    return file.error("EI_DATA (offset 5) is {}, only 1 (little-endian) runs here", file.u8_at(5));
  if (file.u8_at(6) != 1) return file.error("EI_VERSION (offset 6) is {}, not 1", file.u8_at(6));
  if (const u32 abi = file.u8_at(7); abi != 0 && abi != 3)
    return file.error("EI_OSABI (offset 7) is {}, only 0 (none) and 3 (GNU) run here", abi);
  return {};
}

Result<void> check_header(const File& file) {
  if (file.u16_at(16) != elf::type_executable)
    return file.error("e_type (offset 16) is {}, only 2 (static executable) runs here",
                      file.u16_at(16));
  if (file.u16_at(18) != elf::machine_riscv)
    return file.error("e_machine (offset 18) is {}, only 243 (RISC-V) runs here", file.u16_at(18));
  if (file.u32_at(20) != 1)
    return file.error("e_version (offset 20) is {}, not 1", file.u32_at(20));
  const u32 flags = file.u32_at(36);
  if (flags & elf::flag_float_abi)
    return file.error("e_flags (offset 36) is {:#x}: a floating-point ABI, there is no F extension",
                      flags);
  if (flags & elf::flag_rve)
    return file.error("e_flags (offset 36) is {:#x}: the RVE ABI, the core has 32 registers",
                      flags);
  if (flags & ~elf::flag_rvc)
    return file.error("e_flags (offset 36) is {:#x}: only bit 0 (RVC) is known", flags);
  if (file.u16_at(40) != elf::header_bytes)
    return file.error("e_ehsize (offset 40) is {}, ELF32 has {}", file.u16_at(40),
                      elf::header_bytes);
  return {};
}

/// What a program header of `type` means for a program that nothing links at run time.
Result<bool> is_loaded(const File& file, u32 type, u32 index, u64 at) {
  const char* reason = nullptr;
  switch (type) {
    case elf::segment_load:
      return true;
    case elf::segment_null:
    case elf::segment_note:
    case elf::segment_phdr:
    // Only says where in a PT_LOAD the template is that start-up code copies; linker scripts of
    // bare-metal C libraries (picolibc) always write one.
    case elf::segment_tls:
      return false;
    case elf::segment_dynamic:
      reason = "PT_DYNAMIC: link statically";
      break;
    case elf::segment_interp:
      reason = "PT_INTERP: link statically";
      break;
    case elf::segment_shlib:
      reason = "PT_SHLIB, which is reserved";
      break;
    default:
      if (type >= elf::segment_first_os_specific) return false;
      reason = "unknown";
  }
  return file.error("program header {} at offset {:#x}: p_type {} is {}", index, at, type, reason);
}

/// One PT_LOAD. Bytes go where the file says a loader puts them, p_paddr: where that is not the
/// address that the program uses (.data copied out of ROM by start-up code), only the file's bytes
/// are loaded, and what is at p_vaddr is the program's affair, as on a bare board.
Result<Segment> read_segment(const File& file, u32 index, u64 at) {
  const u32 offset = file.u32_at(at + 4);
  const u32 virtual_address = file.u32_at(at + 8);
  const u32 physical_address = file.u32_at(at + 12);
  const u32 file_bytes = file.u32_at(at + 16);
  const u32 memory_bytes = file.u32_at(at + 20);
  const u32 flags = file.u32_at(at + 24);
  const auto error = [&](std::string_view text) {
    return file.error("program header {} at offset {:#x}: {}", index, at, text);
  };
  if (file_bytes > memory_bytes)
    return error(fmt::format("p_filesz {:#x} is above p_memsz {:#x}", file_bytes, memory_bytes));
  if (file_bytes > 0 && !file.holds(offset, file_bytes))
    return error(fmt::format("p_offset {:#x} and p_filesz {:#x} leave a file of {} bytes", offset,
                             file_bytes, file.size()));
  if (u64{virtual_address} + memory_bytes > u64{1} << 32)
    return error(fmt::format("p_vaddr {:#x} and p_memsz {:#x} leave the 4 GiB address space",
                             virtual_address, memory_bytes));
  if (u64{physical_address} + file_bytes > u64{1} << 32)
    return error(fmt::format("p_paddr {:#x} and p_filesz {:#x} leave the 4 GiB address space",
                             physical_address, file_bytes));
  Segment segment;
  segment.executable = flags & elf::segment_executable;
  segment.writable = flags & elf::segment_writable;
  // Writers that know no physical addresses leave 0 there; page 0 is never loaded otherwise.
  const bool moved = physical_address != virtual_address && physical_address != 0;
  if (moved && segment.executable)
    return error(
        fmt::format("p_paddr {:#x} differs from p_vaddr {:#x} in an executable segment: "
                    "code runs where it is loaded",
                    physical_address, virtual_address));
  segment.address = moved ? physical_address : virtual_address;
  segment.memory_bytes = moved ? file_bytes : memory_bytes;
  if (file_bytes > 0) {
    const auto bytes = file.bytes(offset, file_bytes);
    segment.bytes.assign(bytes.begin(), bytes.end());
  }
  return segment;
}

Result<std::vector<Segment>> read_segments(const File& file) {
  const u32 table = file.u32_at(28);
  const u32 count = file.u16_at(44);
  if (count == 0) return file.error("e_phnum (offset 44) is 0: nothing to load");
  if (count > max_program_headers)
    return file.error("e_phnum (offset 44) is {}, at most {} are read", count, max_program_headers);
  if (file.u16_at(42) != elf::program_header_bytes)
    return file.error("e_phentsize (offset 42) is {}, ELF32 has {}", file.u16_at(42),
                      elf::program_header_bytes);
  if (!file.holds(table, u64{count} * elf::program_header_bytes))
    return file.error("e_phoff {:#x} (offset 28): {} program headers do not fit a file of {} bytes",
                      table, count, file.size());
  struct Loaded {
    u32 header = 0;
    Segment segment;
  };
  std::vector<Loaded> loaded;
  u64 total = 0;
  for (u32 i = 0; i < count; ++i) {
    const u64 at = table + u64{i} * elf::program_header_bytes;
    const auto load = is_loaded(file, file.u32_at(at), i, at);
    if (!load) return load.error();
    if (!*load) continue;
    // Before the bytes are copied: headers may share one range of the file.
    total += file.u32_at(at + 20);
    if (total > max_image_bytes)
      return file.error(
          "program header {} at offset {:#x}: p_memsz {:#x} makes the image {} bytes, "
          "at most {} are loaded",
          i, at, file.u32_at(at + 20), total, max_image_bytes);
    auto segment = read_segment(file, i, at);
    if (!segment) return segment.error();
    if (segment->memory_bytes > 0) loaded.push_back({i, std::move(*segment)});
  }
  if (loaded.empty()) return file.error("no program header loads anything");

  std::ranges::stable_sort(loaded, {}, [](const Loaded& one) { return one.segment.address; });
  for (std::size_t i = 1; i < loaded.size(); ++i) {
    const Loaded& low = loaded[i - 1];
    const Loaded& high = loaded[i];
    if (u64{low.segment.address} + low.segment.memory_bytes > high.segment.address)
      return file.error("program headers {} and {} overlap at {:#x}", low.header, high.header,
                        high.segment.address);
  }
  std::vector<Segment> segments;
  for (Loaded& one : loaded) segments.push_back(std::move(one.segment));
  return segments;
}

Result<void> check_entry(const File& file, u32 entry, const std::vector<Segment>& segments) {
  if (entry % 2 != 0)
    return file.error("e_entry (offset 24) is {:#x}, an instruction has an even address", entry);
  for (const Segment& segment : segments)
    if (segment.executable && entry >= segment.address &&
        entry - segment.address < segment.memory_bytes)
      return {};
  return file.error("e_entry (offset 24) is {:#x}, inside no executable segment", entry);
}

}  // namespace

Result<Image> parse_elf(std::vector<u8> bytes, std::string_view file_name) {
  const File file(bytes, file_name);
  if (auto ok = check_identification(file); !ok) return ok.error();
  if (auto ok = check_header(file); !ok) return ok.error();
  Image image;
  image.file = file_name;
  image.entry = file.u32_at(24);
  auto segments = read_segments(file);
  if (!segments) return segments.error();
  image.segments = std::move(*segments);
  if (auto ok = check_entry(file, image.entry, image.segments); !ok) return ok.error();
  const auto sections = elf::read_sections(file);
  if (!sections) return sections.error();
  auto symbols = elf::read_symbols(file, *sections);
  if (!symbols) return symbols.error();
  image.symbols = std::move(*symbols);
  image.lines = elf::read_lines(file, *sections, image);
  return image;
}

Result<Image> load_elf(const std::string& path) {
  auto bytes = read_file(path, max_file_bytes);
  if (!bytes) return bytes.error();
  return parse_elf(std::move(*bytes), path);
}

}  // namespace simfarm
