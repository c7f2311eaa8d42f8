// Every result of tests/pe/xcv_results.txt, taken on the core's RTL.
#include <fstream>
#include <sstream>

#include "tests/pe/core.h"

namespace simfarm::reference {
namespace {

/// One result: immediates, rs1, rs2, rd before and after.
struct Result {
  std::vector<i32> immediates;
  u32 rs1 = 0, rs2 = 0, before = 0, after = 0;
};

Result parse(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  EXPECT_GE(words.size(), 4u) << text;
  Result result;
  const auto hex = [&](u64 from_end) {
    return static_cast<u32>(std::stoul(words[words.size() - from_end], nullptr, 16));
  };
  for (u64 k = 0; k + 4 < words.size(); ++k) result.immediates.push_back(std::stoi(words[k]));
  result.rs1 = hex(4), result.rs2 = hex(3), result.before = hex(2), result.after = hex(1);
  return result;
}

TEST(XcvResults, AgreeWithTheRtl) {
  std::ifstream file(SIMFARM_SOURCE_DIR "/tests/pe/xcv_results.txt");
  ASSERT_TRUE(file);
  u32 instructions = 0, results = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const u64 colon = line.find(": ");
    ASSERT_NE(colon, std::string::npos);
    const std::string name = line.substr(0, colon);
    const Op op = op_named(name);
    ++instructions;
    std::istringstream rest(line.substr(colon + 2));
    for (std::string text; std::getline(rest, text, ',');) {
      const Result result = parse(text);
      TestCore core;
      core.hart.x[10] = result.before;
      core.hart.x[11] = result.rs1;
      core.hart.x[12] = result.rs2;
      const u64 count = result.immediates.size();
      const bool reads_rs2 =
          row(op).registers.substr(row(op).registers.find('<')).find('t') != std::string_view::npos;
      const Executed done = core.run({.op = op,
                                      .rd = 10,
                                      .rs1 = 11,
                                      .rs2 = static_cast<u8>(reads_rs2 ? 12 : 0),
                                      .imm2 = static_cast<u8>(count > 1 ? result.immediates[1] : 0),
                                      .imm = count > 0 ? result.immediates[0] : 0});
      ASSERT_FALSE(done.fault) << name;
      EXPECT_EQ(core.hart.x[10], result.after)
          << name << ' ' << text << std::hex << " gives " << core.hart.x[10];
      ++results;
    }
  }
  EXPECT_EQ(instructions, 289u);
  EXPECT_EQ(results, 289u * 12);
}

}  // namespace
}  // namespace simfarm::reference
