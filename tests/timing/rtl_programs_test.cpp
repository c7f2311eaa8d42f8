// Whole random programs, against the CV32E40P's RTL: cycles, instructions, registers and memory.
// The programs and what the core made of them are in rtl_programs.txt.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/hash.h"
#include "tests/support/equal_engines.h"

namespace simfarm {
namespace {

constexpr u32 program_base = 0x1000;
constexpr u32 memory_bytes = 0xbf000;

struct Measured {
  std::string name;
  u64 instructions = 0;
  Cycle cycles = 0;
  std::string memory;
  std::vector<u32> x;
  std::vector<u8> program;
};

std::vector<Measured> read_programs() {
  std::vector<Measured> programs;
  std::ifstream file(SIMFARM_SOURCE_DIR "/tests/timing/rtl_programs.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind.empty() || kind[0] == '#') continue;
    if (kind == "program") {
      Measured& next = programs.emplace_back();
      std::string label;
      words >> next.name >> label >> next.instructions >> label >> next.cycles >> label >>
          next.memory;
      continue;
    }
    words >> std::hex;
    for (u32 word = 0; words >> word;) {
      if (kind == "x") programs.back().x.push_back(word);
      if (kind != "w") continue;
      for (u32 k = 0; k < 4; ++k) programs.back().program.push_back(static_cast<u8>(word >> 8 * k));
    }
  }
  return programs;
}

class LastRegisters : public Observer {
 public:
  void issued(Cycle, PeId, u32, const Operation&, std::span<const u32, 32> x) override {
    x_.assign(x.begin(), x.end());
  }
  const std::vector<u32>& x() const { return x_; }

 private:
  std::vector<u32> x_;
};

Machine machine_of_the_bench() {
  Machine machine;
  machine.rows = machine.columns = 1;
  machine.map.unified = true;
  machine.map.instructions = {program_base, 0x10000};
  machine.map.local = {program_base, memory_bytes};
  return machine;
}

RunInput input_of(const Measured& measured) {
  Image image;
  image.file = "program " + measured.name;
  image.entry = program_base;
  const u32 bytes = static_cast<u32>(measured.program.size());
  image.segments.push_back({program_base, measured.program, bytes, true, false});
  RunInput input;
  input.machine = machine_of_the_bench();
  input.program.images = {std::make_shared<const Image>(std::move(image))};
  return input;
}

void expect_as_measured(const Measured& measured) {
  SCOPED_TRACE("program " + measured.name);
  LastRegisters registers;
  RunOptions options;
  options.cycle_limit = 2 * measured.cycles;
  options.observer = &registers;
  const profile::Ran ran = test::run_on_all(input_of(measured), options);
  ASSERT_FALSE(ran.refused) << ran.refused->message;
  const Outcome& outcome = ran.outcome;
  ASSERT_EQ(outcome.kind, Outcome::Kind::finished)
      << (outcome.trap ? fmt::format("pc {:x}: {}", outcome.trap->pc, outcome.trap->detail) : "");
  EXPECT_EQ(outcome.instructions(), measured.instructions);
  EXPECT_EQ(outcome.cycles, measured.cycles);
  EXPECT_EQ(outcome.pes[0].total.cycles(), measured.cycles);
  for (u32 k = 0; k < 32; ++k) EXPECT_EQ(registers.x()[k], measured.x[k]) << "x" << k;
  std::vector<u8> memory(memory_bytes);
  ASSERT_TRUE(ran.simulation->read_local(0, program_base, memory));
  EXPECT_EQ(to_string(digest(memory)), measured.memory);
}

TEST(RtlPrograms, EveryProgramRunsAsOnTheRealCore) {
  const std::vector<Measured> programs = read_programs();
  ASSERT_GE(programs.size(), 60u);
  for (const Measured& measured : programs) {
    ASSERT_EQ(measured.x.size(), 32u) << measured.name;
    expect_as_measured(measured);
  }
}

}  // namespace
}  // namespace simfarm
