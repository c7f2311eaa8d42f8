// Cycles that short sequences take, against the CV32E40P's RTL. The figures are in rtl_cycles.tsv.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/equal_engines.h"
#include "tests/support/toolchain.h"

namespace simfarm {
namespace {

struct Row {
  std::string what;
  i64 cycles = 0;
  std::string sequence;
};

std::vector<Row> read_rows() {
  std::vector<Row> rows;
  std::ifstream file(SIMFARM_SOURCE_DIR "/tests/timing/rtl_cycles.tsv");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t first = line.find('\t');
    const size_t second = line.find('\t', first + 1);
    if (second == std::string::npos) {
      ADD_FAILURE() << "not three columns: " << line;
      continue;
    }
    rows.push_back({line.substr(0, first), std::stoll(line.substr(first + 1, second - first - 1)),
                    line.substr(second + 1)});
  }
  return rows;
}

std::string trim(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// One instruction or directive of the table's notation as assembler lines.
std::string assembly(std::string text, int& labels) {
  static const std::regex label("^([0-9]+):\\s*");
  std::string out;
  for (std::smatch match; std::regex_search(text, match, label); text = match.suffix())
    out += match.str(1) + ":\n";
  if (text.starts_with("C ")) {
    std::string name = trim(text.substr(2));
    if (!name.starts_with("c.")) name = "c." + name;
    return out + ".option push\n.option rvc\n" + name + "\n.option pop\n";
  }
  if (text.starts_with(".word") && text.find("-.)") != std::string::npos) {
    // llvm-mc has no '.' inside the expression of a .word: name the place.
    const std::string here = fmt::format("here{}", labels++);
    out += here + ":\n";
    for (size_t at; (at = text.find("-.)")) != std::string::npos;)
      text.replace(at, 3, "-" + here + ")");
  }
  return out + text + "\n";
}

struct Code {
  std::string setup, measured;
};

Code code_of(const std::string& sequence, int& labels) {
  Code code;
  std::string* part = sequence.find("SYNC") == std::string::npos ? &code.measured : &code.setup;
  for (size_t begin = 0; begin <= sequence.size();) {
    const size_t end = std::min(sequence.find(';', begin), sequence.size());
    const std::string item = trim(sequence.substr(begin, end - begin));
    if (item == "SYNC")
      part = &code.measured;
    else if (!item.empty())
      *part += assembly(item, labels);
    begin = end + 1;
  }
  return code;
}

// Some sequences load from their own code: code and data share one space, as the RTL's bench had
// it.
constexpr u32 code_base = 0x0040'0000;
constexpr u32 scratch = 0x0050'0000;
constexpr u32 results = 0x0051'0000;

std::string program_of(const std::vector<Row>& rows) {
  std::string text =
      fmt::format(".option norvc\n.option norelax\n.globl _start\n_start:\nli sp, {}\nli s11, {}\n",
                  scratch + 0x2000, results);
  int labels = 0;
  for (const Row& row : rows) {
    const Code code = code_of(row.sequence, labels);
    text += fmt::format(".balign 4\nli s0, {}\n", scratch);
    for (const char* reg :
         {"t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7"})
      text += fmt::format("li {}, 0\n", reg);
    text += code.setup;
    text += ".balign 4\nnop\nnop\nnop\ncsrr s1, mcycle\n" + code.measured +
            ".option norvc\ncsrr s2, mcycle\n.balign 4\nnop\nnop\nsub s2, s2, s1\nsw s2, 0(s11)\n"
            "addi s11, s11, 4\n";
  }
  return text + "li a7, 93\nli a0, 0\necall\n";
}

TEST(RtlCycles, EverySequenceTakesTheCyclesOfTheRealCore) {
  std::vector<Row> rows = read_rows();
  ASSERT_GE(rows.size(), 110u);
  rows.insert(rows.begin(), Row{"nothing", 0, ""});
  RunInput input;
  Result<Machine> machine = load_machine("single");
  ASSERT_TRUE(machine) << machine.error().message;
  input.machine = *machine;
  input.machine.map.unified = true;
  input.machine.map.instructions = {code_base, 1 << 20};
  input.machine.map.local = {code_base, 2 << 20};
  input.program.images = {std::make_shared<const Image>(test::assemble(program_of(rows)))};
  ASSERT_FALSE(input.program.images[0]->segments.empty());
  const profile::Ran ran = test::run_on_all(input, {});
  ASSERT_FALSE(ran.refused) << ran.refused->message;
  const Outcome& outcome = ran.outcome;
  ASSERT_EQ(outcome.kind, Outcome::Kind::finished)
      << (outcome.trap ? fmt::format("{} at pc {:x}, cycle {}: {}", name(outcome.trap->kind),
                                     outcome.trap->pc, outcome.trap->cycle, outcome.trap->detail)
                       : "");
  std::vector<u8> bytes(rows.size() * 4);
  ASSERT_TRUE(ran.simulation->read_local(0, results, bytes));
  const auto measured = [&](size_t k) {
    u32 value = 0;
    std::memcpy(&value, bytes.data() + 4 * k, 4);
    return static_cast<i64>(value);
  };
  for (size_t k = 0; k < rows.size(); ++k)
    EXPECT_EQ(measured(k) - measured(0), rows[k].cycles)
        << rows[k].what << ": " << rows[k].sequence;
}

}  // namespace
}  // namespace simfarm
