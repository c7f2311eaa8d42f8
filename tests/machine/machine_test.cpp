#include "engine/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "engine/machine_keys.h"

namespace simfarm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::string& toml) {
  const auto machine = parse_machine(toml, "m.toml");
  return machine ? "accepted" : machine.error().message;
}

u64 value(Machine& machine, const MachineKey& key) {
  return std::visit([](auto* field) { return static_cast<u64>(*field); }, key.field(machine));
}

TEST(Machine, ShipsFourSizes) {
  EXPECT_THAT(shipped_machines(), ElementsAre("single", "nano", "perform", "ultra"));
  const std::pair<const char*, u32> sides[] = {
      {"single", 1}, {"nano", 4}, {"perform", 8}, {"ultra", 32}};
  for (const auto& [name, side] : sides) {
    const auto machine = load_machine(name);
    ASSERT_TRUE(machine) << machine.error().message;
    EXPECT_EQ(machine->name, name);
    EXPECT_EQ(machine->rows, side);
    EXPECT_EQ(machine->columns, side);
    EXPECT_EQ(machine->map.local.bytes, 32u << 10);
  }
}

TEST(Machine, FileWithoutTablesGivesTheDefaults) {
  auto machine = parse_machine("name = \"plain\"", "m.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  Machine defaults;
  for (const MachineKey& key : machine_keys())
    EXPECT_EQ(value(*machine, key), value(defaults, key)) << key.table << '.' << key.name;
}

TEST(Machine, EveryKeyIsReadIntoAFieldOfItsOwn) {
  // Each key in turn gets another allowed value; that key alone must change.
  for (const MachineKey& key : machine_keys()) {
    Machine defaults;
    const u64 old = value(defaults, key);
    u64 wanted = old + 1;
    if (key.rule == KeyRule::flag) wanted = 1 - old;
    if (key.rule == KeyRule::power_of_two) wanted = old / 2;
    if (key.rule == KeyRule::page_multiple) wanted = old + 4096;
    if (key.name == "dram_base") wanted = 0x9000'0000;
    const std::string text =
        key.rule == KeyRule::flag ? (wanted ? "true" : "false") : std::to_string(wanted);
    auto machine = parse_machine(
        "name = \"m\"\n[" + std::string(key.table) + "]\n" + std::string(key.name) + " = " + text,
        "m.toml");
    ASSERT_TRUE(machine) << machine.error().message;
    for (const MachineKey& other : machine_keys())
      EXPECT_EQ(value(*machine, other), other.name == key.name && other.table == key.table
                                            ? wanted
                                            : value(defaults, other))
          << key.table << '.' << key.name << " changed " << other.table << '.' << other.name;
  }
}

TEST(Machine, EveryKeyHasBounds) {
  for (const MachineKey& key : machine_keys()) {
    const std::string head =
        "name = \"m\"\n[" + std::string(key.table) + "]\n" + std::string(key.name) + " = ";
    const std::string where = "m.toml:3: " + std::string(key.table) + "." + std::string(key.name);
    if (key.rule == KeyRule::flag) {
      EXPECT_EQ(refusal(head + "1"), where + " is neither true nor false");
      continue;
    }
    EXPECT_EQ(refusal(head + "true"), where + " is not an integer");
    EXPECT_EQ(refusal(head + "1.0"), where + " is not an integer");
    EXPECT_THAT(refusal(head + "-1"), HasSubstr(where + " is -1, "));
    EXPECT_THAT(refusal(head + std::to_string(key.largest + 1)), HasSubstr(" are possible"));
    if (key.smallest > 0) {
      EXPECT_THAT(refusal(head + std::to_string(key.smallest - 1)), HasSubstr(" are possible"));
    }
    if (key.rule == KeyRule::power_of_two) {
      EXPECT_EQ(refusal(head + "12"), where + " is 12, not a power of two");
    }
    if (key.rule == KeyRule::page_multiple) {
      EXPECT_THAT(refusal(head + "0x10004"), HasSubstr(" is 0x10004, not a multiple of 4096"));
    }
  }
}

TEST(Machine, NamesLineAndKeyOfMistakes) {
  EXPECT_EQ(refusal("[array]\nrows = 2"), "m.toml: name is missing");
  EXPECT_EQ(refusal("\nname = 3"), "m.toml:2: name is not a string");
  EXPECT_THAT(refusal("name = \"Big\""), HasSubstr("m.toml:1: name has 1 to 64 characters"));
  EXPECT_THAT(refusal("name = \"\""), HasSubstr("m.toml:1: name has 1 to 64 characters"));
  EXPECT_EQ(refusal("name = \"m\"\n\ncolour = 1"), "m.toml:3: unknown key colour");
  EXPECT_EQ(refusal("name = \"m\"\n[array]\nrow = 1"), "m.toml:3: unknown key array.row");
  EXPECT_EQ(refusal("name = \"m\"\narray = 1"), "m.toml:2: array is not a table");
  EXPECT_THAT(refusal("name = \"m\"\n[array\nrows = 2"), HasSubstr("m.toml:2: "));
  EXPECT_THAT(refusal("name = \"m\"\n[array]\nrows = 2\nrows = 3"), HasSubstr("m.toml:4: "));
  EXPECT_THAT(refusal(std::string(2u << 20, ' ')), HasSubstr("at most 1048576 are read"));
}

TEST(Machine, RefusesWrongAddressMaps) {
  EXPECT_THAT(refusal("name = \"m\"\n[memory]\nocm_base = 0xfff0_0000"),
              HasSubstr("m.toml:3: memory.ocm_base: the region 0xfff00000..0x1002fffff leaves"));
  EXPECT_EQ(refusal("name = \"m\"\n[memory]\nlocal_base = 0"),
            "m.toml:3: memory.local_base: page 0 belongs to nothing unless memory.unified is true");
  EXPECT_EQ(refusal("name = \"m\"\n[memory]\nlocal_base = 0x4000_0000"),
            "m.toml:3: memory.local_base: 0x40000000..0x403fffff overlaps memory.local_base "
            "0x40000000..0x40007fff");
  EXPECT_THAT(
      refusal("name = \"m\"\n[ocm]\nbytes = 0x4000_0000\n[memory]\ndram_base = 0x7fff_f000"),
      HasSubstr("overlaps"));
  EXPECT_THAT(refusal("name = \"m\"\n[pe]\nlocal_memory_bytes = 0x41000"),
              HasSubstr("m.toml:3: pe.local_memory_bytes: 266240 is above 262144"));
  EXPECT_THAT(refusal("name = \"m\"\n[array]\nrows = 256\ncolumns = 256\n[memory]\nunified = true\n"
                      "[pe]\nlocal_memory_bytes = 0x41000"),
              HasSubstr("m.toml:8: pe.local_memory_bytes: 65536 PEs of 266240 bytes"));
}

TEST(Machine, UnifiedMachinesMirrorTheirProgram) {
  const auto machine = parse_machine(
      "name = \"m\"\n[memory]\nunified = true\ninstruction_base = 0\nlocal_base = 0\n"
      "[pe]\nlocal_memory_bytes = 0x10_0000\ninstruction_memory_bytes = 0x10_0000",
      "m.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_TRUE(machine->map.unified);
  EXPECT_EQ(machine->map.find(0, 4), AddressMap::Space::local);
  EXPECT_THAT(refusal("name = \"m\"\n[memory]\nunified = true\nlocal_base = 0x4000_0000"),
              HasSubstr("overlaps"));
}

TEST(Machine, InheritsFromAShippedMachine) {
  const auto machine = parse_machine(
      "name = \"mine\"\ninherits = \"ultra\"\n[array]\ncolumns = 16\ntorus_columns = true",
      "m.toml");
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->name, "mine");
  EXPECT_EQ(machine->rows, 32u);
  EXPECT_EQ(machine->columns, 16u);
  EXPECT_TRUE(machine->torus_columns);
  EXPECT_EQ(refusal("name = \"m\"\ninherits = \"mega\""),
            "m.toml:2: inherits names no shipped machine: single, nano, perform, ultra");
  EXPECT_EQ(refusal("name = \"m\"\ninherits = 4"), "m.toml:2: inherits is not a string");
}

TEST(Machine, PrintsAFileThatGivesTheSameMachine) {
  for (const std::string& name : shipped_machines()) {
    Machine machine = *load_machine(name);
    machine.map.local.bytes = 64u << 10;
    machine.link.latency = 7;
    machine.torus_rows = true;
    const std::string text = print_machine(machine);
    auto again = parse_machine(text, "m.toml");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->name, machine.name);
    for (const MachineKey& key : machine_keys())
      EXPECT_EQ(value(*again, key), value(machine, key)) << key.table << '.' << key.name;
    EXPECT_EQ(print_machine(*again), text);
  }
}

TEST(Machine, ManualHasEveryKey) {
  std::stringstream manual;
  manual << std::ifstream(SIMFARM_SOURCE_DIR "/docs/machine-files.md").rdbuf();
  Machine defaults;
  u32 rows = 0;
  for (const MachineKey& key : machine_keys()) {
    const u64 given = value(defaults, key);
    const std::string possible =
        key.rule == KeyRule::flag ? "true, false | " + std::string(given ? "true" : "false")
                                  : std::to_string(key.smallest) + ".." +
                                        std::to_string(key.largest) + " | " + std::to_string(given);
    EXPECT_THAT(manual.str(), HasSubstr("| `" + std::string(key.table) + "." +
                                        std::string(key.name) + "` | " + possible + " |\n"));
    ++rows;
  }
  // One row a key and no more.
  std::string line;
  u32 lines = 0;
  while (std::getline(manual, line)) lines += line.starts_with("| `");
  EXPECT_EQ(lines, rows);
}

TEST(Machine, ManualsExamplesAreRight) {
  std::stringstream manual;
  manual << std::ifstream(SIMFARM_SOURCE_DIR "/docs/machine-files.md").rdbuf();
  std::string line, example;
  u32 examples = 0;
  bool inside = false;
  while (std::getline(manual, line)) {
    if (line == "```" && inside) {
      EXPECT_EQ(refusal(example), "accepted") << example;
      ++examples;
      inside = false;
    }
    if (inside) example += line + "\n";
    if (line == "```toml") inside = true, example.clear();
  }
  EXPECT_EQ(examples, 2u);
}

TEST(Machine, LoadsFiles) {
  const std::string path = ::testing::TempDir() + "machine_test.toml";
  std::ofstream(path) << "name = \"of-a-file\"\n[array]\nrows = 3\n";
  const auto machine = load_machine(path);
  std::remove(path.c_str());
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->name, "of-a-file");
  EXPECT_EQ(machine->rows, 3u);
  const auto missing = load_machine("mega");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, Error::Kind::io);
  EXPECT_EQ(
      missing.error().message,
      "mega: cannot open: No such file or directory (shipped machines: single, nano, perform, "
      "ultra)");
}

}  // namespace
}  // namespace simfarm
