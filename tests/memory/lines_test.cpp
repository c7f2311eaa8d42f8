#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "memory/program.h"
#include "tests/support/elf_writer.h"
#include "tests/support/line_writer.h"

namespace simfarm::lines {
namespace {

using test::ElfWriter;
using test::LineTableWriter;

constexpr u32 code = 0x0040'0000;

/// An image with 64 nops, a function over half of them, and these bytes as .debug_line.
Image image_with(std::vector<u8> debug_line) {
  auto image = parse_elf(ElfWriter()
                             .code(code, std::vector<u32>(64, 0x13))
                             .symbol("work", code, 128)
                             .section(".debug_line", std::move(debug_line))
                             .write(),
                         "prog.elf");
  EXPECT_TRUE(image) << image.error().message;
  return *image;
}

std::string at(const Image& image, u32 pc) {
  const SourceLine found = locate(image, pc);
  return found.file + ":" + std::to_string(found.line) + " " + found.function;
}

LineTableWriter small(u32 version) {
  LineTableWriter table(version, "/src", "work.c");
  table.address(code).row(10, 8).row(12, 8).special(2, 3).row(9, 6).end();
  return table;
}

TEST(Lines, AreFoundInEveryVersion) {
  for (const u32 version : {2u, 3u, 4u, 5u}) {
    const Image image = image_with(small(version).write());
    EXPECT_EQ(at(image, code), "/src/work.c:10 work");
    EXPECT_EQ(at(image, code + 6), "/src/work.c:10 work");
    EXPECT_EQ(at(image, code + 8), "/src/work.c:12 work");
    EXPECT_EQ(at(image, code + 17), "/src/work.c:12 work");
    EXPECT_EQ(at(image, code + 18), "/src/work.c:9 work");
    EXPECT_EQ(at(image, code + 24), ":0 work");  // the sequence has ended
    EXPECT_EQ(at(image, code + 128), ":0 ");
    EXPECT_EQ(at(image, code - 4), ":0 ");
  }
}

TEST(Lines, OfCodeThatNoLineAskedForAreThoseBefore) {
  LineTableWriter table(4, "/src", "work.c");
  table.address(code).row(10, 8).row(0, 8).row(11, 4).end();
  EXPECT_EQ(at(image_with(table.write()), code + 12), "/src/work.c:10 work");
}

TEST(Lines, OfDroppedFunctionsAreIgnored) {
  auto bytes = small(4).write();
  LineTableWriter dropped(4, "/src", "dropped.c");
  dropped.address(0).row(1, 8).end().address(0xffff'ffff).row(2, 8).end();
  for (const u8 byte : dropped.write()) bytes.push_back(byte);
  const Image image = image_with(bytes);
  EXPECT_EQ(at(image, code), "/src/work.c:10 work");
  EXPECT_EQ(at(image, 0), ":0 ");
}

TEST(Lines, OfNeighbouringSequencesMeet) {
  LineTableWriter first(4, "/src", "first.c"), second(5, "/src", "second.c");
  first.address(code).row(1, 16).end();
  second.address(code + 16).row(2, 16).end();
  for (const bool swap : {false, true}) {
    auto bytes = (swap ? second : first).write();
    for (const u8 byte : (swap ? first : second).write()) bytes.push_back(byte);
    const Image image = image_with(bytes);
    EXPECT_EQ(at(image, code + 14), "/src/first.c:1 work");
    EXPECT_EQ(at(image, code + 16), "/src/second.c:2 work");
  }
}

TEST(Lines, SurviveDamageBeforeThem) {
  // Tables of an unknown version, with a line range of zero, with a broken program.
  auto unknown = small(4).write();
  unknown[4] = 6;
  auto no_range = small(4).write();
  no_range[14] = 0;
  LineTableWriter broken(4, "/src", "broken.c");
  broken.address(code).row(77, 4).bytes({0, 200});
  for (const auto& damaged : {unknown, no_range, broken.write()}) {
    auto bytes = damaged;
    for (const u8 byte : small(5).write()) bytes.push_back(byte);
    EXPECT_EQ(at(image_with(bytes), code), "/src/work.c:10 work");
    EXPECT_EQ(image_with(damaged).lines, nullptr);
  }
}

TEST(Lines, SurviveEveryTruncation) {
  for (const u32 version : {3u, 5u}) {
    const auto whole = small(version).write();
    for (std::size_t length = 0; length < whole.size(); ++length) {
      const Image image = image_with({whole.begin(), whole.begin() + static_cast<i64>(length)});
      EXPECT_EQ(at(image, code), ":0 work");
    }
  }
}

TEST(Lines, DoNotMultiplyNames) {
  // Regression: one directory of 512 KiB with 50,000 files took another reader 16 GB and a minute.
  auto table = small(4).write();
  std::vector<u8> names(std::size_t{1} << 19, 'd');
  names.push_back(0);
  names.push_back(0);
  for (u32 i = 0; i < 50'000; ++i)
    for (const u8 byte : {'a', '\0', '\1', '\0', '\0'}) names.push_back(byte);
  // Instead of the directory "/src": offset 28 of a version 4 header, after 12 operand counts.
  table.erase(table.begin() + 28, table.begin() + 28 + 6);
  table.insert(table.begin() + 28, names.begin(), names.end());
  const auto patch = [&](u32 offset, u32 value) {
    for (u32 i = 0; i < 4; ++i) table[offset + i] = static_cast<u8>(value >> 8 * i);
  };
  patch(0, static_cast<u32>(table.size() - 4));
  const u32 old_header = 6 + 12 + 6 + 7 + 4;
  patch(6, old_header - 6 + static_cast<u32>(names.size()));
  const Image image = image_with(table);
  EXPECT_NE(image.lines, nullptr);        // the table itself was read
  EXPECT_EQ(at(image, code), ":0 work");  // the path is too long to be told
}

}  // namespace
}  // namespace simfarm::lines
