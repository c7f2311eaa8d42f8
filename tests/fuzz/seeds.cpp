#include "tests/fuzz/seeds.h"

#include <algorithm>
#include <string>

#include "dma/descriptor.h"
#include "engine/machine.h"
#include "tests/support/elf_writer.h"
#include "tests/support/line_writer.h"
#include "tests/support/random_descriptor.h"

namespace simfarm::fuzz {
namespace {

constexpr u32 code = 0x0040'0000;

std::vector<u8> line_table(u32 version) {
  test::LineTableWriter table(version, "/src", "work.c");
  table.address(code).row(10, 8).row(12, 8).special(2, 3).row(9, 6).end();
  table.address(code + 64).row(40, 2).special(1, -4).row(0, 4).end();
  return table.write();
}

/// A DWARF 5 table whose names are offsets into .debug_line_str, as clang writes it: the names are
/// the text behind the table, which is all three sections at once.
std::vector<u8> offset_table() {
  std::vector<u8> header{1, 1, 1, 0xfb, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
  header.insert(header.end(), {1, 1, 0x1f, 1, 0, 0, 0, 0});  // one directory, patched below
  header.insert(header.end(), {3, 1, 0x1f, 2, 0x0b, 5, 0x1e, 1, 0, 0, 0, 0, 0});
  header.resize(header.size() + 16, 0x5a);  // the file's MD5
  const std::vector<u8> program{0, 5, 2, 0, 0, 0x40, 0, 1, 2, 8, 1, 0, 1, 1};
  const u32 total = 12 + static_cast<u32>(header.size() + program.size());
  header[18 + 4] = static_cast<u8>(total);
  header[18 + 8 + 8] = static_cast<u8>(total + 5);
  std::vector<u8> table{static_cast<u8>(total - 4),     0, 0, 0, 5, 0, 4, 0,
                        static_cast<u8>(header.size()), 0, 0, 0};
  table.insert(table.end(), header.begin(), header.end());
  table.insert(table.end(), program.begin(), program.end());
  for (const char c : std::string("/src\0work.c\0", 12)) table.push_back(static_cast<u8>(c));
  return table;
}

}  // namespace

Inputs elf_seeds() {
  const std::vector<u32> words{0x05d0'0893, 0x0000'0073, 0x0000'0013, 0x0000'0013};
  test::ElfWriter plain, data, debug;
  plain.code(code, words);
  data.code(code, words)
      .data(0x1000'0000, {1, 2, 3, 4}, 4096)
      .data(0x4000'0000, {5, 6})
      .loaded_at(0x4000'1000)
      .symbol("_start", code, 8)
      .symbol("table", 0x1000'0000, 4, 1);
  debug.code(code, std::vector<u32>(32, 0x13))
      .header(4)
      .symbol("work", code, 64)
      .symbol("label", code + 64, 0, 0)
      .section(".debug_line", line_table(4))
      .section(".debug_line_str", {'a', 0});
  return {plain.write(), data.write(), debug.write()};
}

Inputs line_seeds() {
  Inputs seeds;
  for (const u32 version : {2u, 3u, 4u, 5u}) seeds.push_back(line_table(version));
  auto both = line_table(3);
  for (const u8 byte : line_table(5)) both.push_back(byte);
  seeds.push_back(both);
  seeds.push_back(offset_table());
  return seeds;
}

Inputs machine_seeds() {
  Inputs seeds;
  const auto add = [&](const std::string& text) { seeds.emplace_back(text.begin(), text.end()); };
  add("name = \"m\"\ninherits = \"nano\"\n[array]\nrows = 3\n[link]\nlatency = 1\n");
  add("name = \"m\"\n[memory]\nunified = true\nlocal_base = 0\ninstruction_base = 0x0\n"
      "[pe]\nlocal_memory_bytes = 65_536\n");
  add("name = \"m\"\ndma = {queue = 2, setup = 1}\nocm.banks = 4\n");
  add(print_machine(Machine{}));
  return seeds;
}

Inputs descriptor_seeds() {
  const AddressMap map;
  const dma::Context context{.map = map, .rows = 4, .columns = 4, .pe = 5};
  test::Random random(11);
  Inputs seeds;
  for (u32 i = 0; i < 24; ++i) {
    // A chain of two in the first 256 bytes; the index lists lie at 4 KiB, the input ends behind
    // them.
    std::vector<u8> local(map.local.bytes);
    auto second = test::random_transfer(random, context, 128);
    auto first = test::random_transfer(random, context, 0);
    if (i % 2) first.descriptor.next = second.descriptor.address;
    test::place(second, map, local);
    test::place(first, map, local);
    const bool lists = !first.indices.empty() || !second.indices.empty();
    local.resize(lists ? 6144 : 256);
    seeds.push_back(std::move(local));
  }
  return seeds;
}

}  // namespace simfarm::fuzz
