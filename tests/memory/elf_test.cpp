#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/program.h"
#include "tests/support/elf_writer.h"

namespace simfarm {
namespace {

using test::ElfWriter;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr u32 code = 0x0040'0000;
constexpr u32 data = 0x1000'0000;
const std::vector<u32> end_program{0x05d0'0893, 0x0000'0073};  // li a7, 93; ecall

ElfWriter small() { return ElfWriter().code(code, end_program); }

std::string refusal(std::vector<u8> bytes) {
  const auto image = parse_elf(std::move(bytes), "prog.elf");
  return image ? "accepted" : image.error().message;
}

/// `bytes` with `count` bytes at `offset` replaced by `value`.
std::vector<u8> patched(std::vector<u8> bytes, u32 offset, u32 value, u32 count) {
  for (u32 i = 0; i < count; ++i) bytes.at(offset + i) = static_cast<u8>(value >> 8 * i);
  return bytes;
}

TEST(Elf, ReadsSegmentsEntryAndSymbols) {
  const auto image = parse_elf(small()
                                   .data(data, {1, 2, 3}, 64)
                                   .entry(code + 4)
                                   .symbol("second", code + 4, 4)
                                   .symbol("table", data, 64, 1)
                                   .symbol("first", code, 4)
                                   .symbol("$x", code, 0, 0)
                                   .write(),
                               "prog.elf");
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->file, "prog.elf");
  EXPECT_EQ(image->entry, code + 4);
  ASSERT_EQ(image->segments.size(), 2u);
  EXPECT_EQ(image->segments[0].address, code);
  EXPECT_THAT(image->segments[0].bytes, ElementsAre(0x93, 0x08, 0xd0, 0x05, 0x73, 0, 0, 0));
  EXPECT_TRUE(image->segments[0].executable);
  EXPECT_FALSE(image->segments[0].writable);
  EXPECT_EQ(image->segments[1].address, data);
  EXPECT_THAT(image->segments[1].bytes, ElementsAre(1, 2, 3));
  EXPECT_EQ(image->segments[1].memory_bytes, 64u);
  EXPECT_TRUE(image->segments[1].writable);
  ASSERT_EQ(image->symbols.size(), 3u);
  EXPECT_EQ(image->symbols[0].name, "first");
  EXPECT_EQ(image->symbols[1].name, "second");
  EXPECT_EQ(image->symbols[2].name, "table");
  EXPECT_FALSE(image->symbols[2].function);
  EXPECT_EQ(locate(*image, code + 6).function, "second");
  EXPECT_EQ(image->lines, nullptr);
}

TEST(Elf, SortsSegmentsByAddress) {
  const auto image =
      parse_elf(ElfWriter().data(data, {1}).code(code, end_program).write(), "prog.elf");
  ASSERT_TRUE(image);
  EXPECT_EQ(image->segments[0].address, code);
}

TEST(Elf, LoadsWhereThePhysicalAddressSays) {
  // Start-up code copies .data: the bytes are in ROM, the zeros after them are nowhere.
  const auto image =
      parse_elf(small().data(data, {1, 2}, 32).loaded_at(code + 0x1000).write(), "prog.elf");
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->segments[1].address, code + 0x1000);
  EXPECT_EQ(image->segments[1].memory_bytes, 2u);
  const auto unset = parse_elf(small().data(data, {1, 2}, 32).loaded_at(0).write(), "prog.elf");
  ASSERT_TRUE(unset) << unset.error().message;
  EXPECT_EQ(unset->segments[1].address, data);
  EXPECT_THAT(refusal(ElfWriter().code(code, end_program).loaded_at(code + 64).write()),
              HasSubstr("p_paddr 0x400040 differs from p_vaddr 0x400000 in an executable segment"));
}

TEST(Elf, RefusesWhatIsNotAProgramForThisMachine) {
  const auto bytes = small().write();
  EXPECT_EQ(refusal({}), "prog.elf: 0 bytes, an ELF32 header has 52");
  EXPECT_EQ(refusal(std::vector<u8>(bytes.begin(), bytes.begin() + 51)),
            "prog.elf: 51 bytes, an ELF32 header has 52");
  struct Case {
    u32 offset, value, bytes;
    const char* message;
  };
  for (const Case& c : std::initializer_list<Case>{
           {0, 0x7e, 1, "e_ident (offset 0)"},
           {4, 2, 1, "EI_CLASS (offset 4) is 2"},
           {5, 2, 1, "EI_DATA (offset 5) is 2"},
           {6, 0, 1, "EI_VERSION (offset 6) is 0"},
           {7, 9, 1, "EI_OSABI (offset 7) is 9"},
           {16, 3, 2, "e_type (offset 16) is 3"},
           {18, 62, 2, "e_machine (offset 18) is 62"},
           {20, 2, 4, "e_version (offset 20) is 2"},
           {24, code + 1, 4, "e_entry (offset 24) is 0x400001, an instruction has an even"},
           {24, code + 8, 4, "e_entry (offset 24) is 0x400008, inside no executable"},
           {24, data, 4, "inside no executable segment"},
           {28, 0xffff'fff0, 4, "e_phoff 0xfffffff0 (offset 28): 1 program headers do not fit"},
           {36, 5, 4, "e_flags (offset 36) is 0x5: a floating-point ABI"},
           {36, 9, 4, "e_flags (offset 36) is 0x9: the RVE ABI"},
           {36, 0x11, 4, "e_flags (offset 36) is 0x11: only bit 0"},
           {40, 64, 2, "e_ehsize (offset 40) is 64"},
           {42, 56, 2, "e_phentsize (offset 42) is 56"},
           {44, 0, 2, "e_phnum (offset 44) is 0"},
           {44, 65, 2, "e_phnum (offset 44) is 65, at most 64"},
           {44, 64, 2, "64 program headers do not fit"},
       })
    EXPECT_THAT(refusal(patched(bytes, c.offset, c.value, c.bytes)), HasSubstr(c.message));
}

TEST(Elf, AcceptsCompressedInstructionsFlag) {
  EXPECT_EQ(refusal(patched(small().write(), 36, 1, 4)), "accepted");
}

TEST(Elf, RefusesWrongProgramHeaders) {
  const auto bytes = small().write();
  struct Case {
    u32 offset, value;
    const char* message;
  };
  for (const Case& c : std::initializer_list<Case>{
           {4, 85, "program header 0 at offset 0x34: p_offset 0x55 and p_filesz 0x8 leave"},
           {4, 0xffff'ffff, "p_offset 0xffffffff"},
           {8, 0xffff'fffc, "p_vaddr 0xfffffffc and p_memsz 0x8 leave the 4 GiB"},
           {16, 9, "p_filesz 0x9 is above p_memsz 0x8"},
           {20, 7, "p_filesz 0x8 is above p_memsz 0x7"},
           {20, 0x1000'0001, "p_memsz 0x10000001 makes the image 268435457 bytes"},
       })
    EXPECT_THAT(refusal(patched(bytes, 52 + c.offset, c.value, 4)), HasSubstr(c.message));
  EXPECT_EQ(refusal(patched(bytes, 52, 4, 4)), "prog.elf: no program header loads anything");
}

TEST(Elf, NamesHeadersThatNeedALinkerAtRunTime) {
  struct Case {
    u32 type;
    const char* message;
  };
  for (const Case& c : std::initializer_list<Case>{{2, "p_type 2 is PT_DYNAMIC: link statically"},
                                                   {3, "p_type 3 is PT_INTERP: link statically"},
                                                   {5, "p_type 5 is PT_SHLIB"},
                                                   {8, "p_type 8 is unknown"}})
    EXPECT_THAT(refusal(small().header(c.type).write()),
                HasSubstr(std::string("program header 1 at offset 0x54: ") + c.message));
  for (const u32 type : {0u, 4u, 6u, 7u, 0x6474'e551u, 0x7000'0003u})
    EXPECT_EQ(refusal(small().header(type).write()), "accepted");
}

TEST(Elf, RefusesOverlappingSegments) {
  EXPECT_EQ(refusal(small().data(code + 7, {1}).write()),
            "prog.elf: program headers 0 and 1 overlap at 0x400007");
  EXPECT_EQ(refusal(small().data(code + 8, {1}).write()), "accepted");
  EXPECT_EQ(refusal(ElfWriter().data(code - 4, {1}, 5).code(code, end_program).write()),
            "prog.elf: program headers 0 and 1 overlap at 0x400000");
}

TEST(Elf, BoundsTheMemoryThatHeadersSharingBytesCanAskFor) {
  ElfWriter writer = small();
  for (u32 i = 0; i < 5; ++i) writer.data(0x8000'0000 + i * 0x1000'0000, {1}, 0x0400'0000);
  EXPECT_THAT(refusal(writer.write()), HasSubstr("at most 268435456 are loaded"));
}

TEST(Elf, RefusesWrongSectionTables) {
  const auto bytes = small().symbol("main", code, 8).write();
  const auto table = static_cast<u32>(bytes.size() - 4 * 40);
  // Sections: none, .symtab, .strtab, .shstrtab.
  const u32 symtab = table + 40, strtab = table + 80;
  struct Case {
    u32 offset, value, bytes;
    const char* message;
  };
  for (const Case& c : std::initializer_list<Case>{
           {32, table + 1, 4, "e_shoff"},
           {32, 0xffff'ffff, 4, "4 section headers do not fit"},
           {46, 39, 2, "e_shentsize is 39 (offset 46)"},
           {48, 0, 2, "e_shnum is 0 (offset 48)"},
           {48, 0xffff, 2, "65535 section headers do not fit"},
           {50, 4, 2, "e_shstrndx 4 (offset 50)"},
           {50, 1, 2, "e_shstrndx 1 (offset 50) is not a string table"},
           {symtab + 16, 0xffff'ff00, 4, "section 1 at offset"},
           {symtab + 20, 17, 4, "section 1: sh_size 17 is not a multiple of 16"},
           {symtab + 24, 9, 4, "section 1: sh_link 9 is not a string table"},
           {symtab + 24, 1, 4, "section 1: sh_link 1 is not a string table"},
           {symtab + 36, 24, 4, "section 1: sh_entsize is 24"},
           {symtab, 1000, 4, "section 1 at offset"},
           {strtab + 20, 3, 4, "st_name 0x1 does not end inside section 2"},
           {strtab + 4, 2, 4, "sh_link 2 is not a string table"},
       })
    EXPECT_THAT(refusal(patched(bytes, c.offset, c.value, c.bytes)), HasSubstr(c.message));
}

TEST(Elf, ReportsFilesThatCannotBeRead) {
  const auto image = load_elf("/nonexistent/prog.elf");
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().kind, Error::Kind::io);
  EXPECT_THAT(image.error().message, HasSubstr("/nonexistent/prog.elf: cannot open: No such file"));
}

TEST(FunctionAt, PrefersTheFunctionThatHoldsThePc) {
  const std::vector<Symbol> symbols{
      {"open", 0x100, 0, true},   {"outer", 0x200, 0x40, true}, {"label", 0x210, 0, false},
      {"table", 0x240, 8, false}, {"after", 0x300, 0, false},
  };
  const auto name = [&](u32 pc) {
    const Symbol* found = function_at(symbols, pc);
    return found ? found->name : "";
  };
  EXPECT_EQ(name(0x0ff), "");
  EXPECT_EQ(name(0x100), "open");
  EXPECT_EQ(name(0x1ff), "open");
  EXPECT_EQ(name(0x220), "outer");
  EXPECT_EQ(name(0x304), "open");
}

}  // namespace
}  // namespace simfarm
