// `simfarm run`, `trace`, `disasm`, `isa`, `machine` and `dma explain`, as a user calls them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace simfarm::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Bins of one PE or region, added up: they must give the run's cycles.
std::uint64_t sum(const json& object) {
  std::uint64_t total = 0;
  for (const auto& [key, value] : object.items()) total += value.get<std::uint64_t>();
  return total;
}

TEST(CliRun, ReportsEveryPeAndSumsToTheRunsCycles) {
  const Folder folder;
  const std::string elf = compile(folder, R"(#include <simfarm.h>
int main(void) { return 0; })");
  const Said said = simfarm({"run", elf, "--machine", "nano", "--json"});
  EXPECT_EQ(said.code, 0) << said.err;
  const json document = json::parse(said.out);
  EXPECT_EQ(document["schema"], "simfarm.run");
  EXPECT_EQ(document["version"], 1);
  EXPECT_EQ(document["outcome"], "finished");
  EXPECT_EQ(document["exit_codes"], json(std::vector<int>(16, 0)));
  ASSERT_EQ(document["pes"].size(), 16u);
  EXPECT_EQ(document["pes"][6]["row"], 1);
  EXPECT_EQ(document["pes"][6]["column"], 2);
  std::uint64_t instructions = 0;
  for (const json& pe : document["pes"]) {
    EXPECT_EQ(sum(pe["issued"]) + sum(pe["stalls"]), document["cycles"]);
    EXPECT_EQ(sum(pe["sem_wait_by"]), pe["stalls"]["sem_wait"]);
    instructions += sum(pe["issued"]);
  }
  EXPECT_EQ(instructions, document["instructions"]);
  for (const json& dma : document["dma"]) EXPECT_EQ(sum(dma["cycles"]), document["cycles"]);
}

TEST(CliRun, AnUnknownCommandIsNamed) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"nope"}, {"farm", "nope"}, {"regress", "nope", "x"}}) {
    const Said said = simfarm(words);
    EXPECT_EQ(said.code, 2);
    EXPECT_THAT(said.err, testing::HasSubstr("simfarm: no such command: nope\n"));
  }
  EXPECT_THAT(simfarm({"farm"}).err, testing::HasSubstr("subcommand"));
}

TEST(CliRun, IsTheSameTwiceButForTheHost) {
  const Folder folder;
  const std::string elf = compile(folder, R"(#include <simfarm.h>
int main(void) { volatile int x = 0; for (int k = 0; k < 100; ++k) x += k; return x != 4950; })");
  json first = json::parse(simfarm({"run", elf, "--machine", "nano", "--json"}).out);
  json second = json::parse(simfarm({"run", elf, "--machine", "nano", "--json"}).out);
  EXPECT_EQ(first.erase("host"), 1u);
  EXPECT_EQ(second.erase("host"), 1u);
  EXPECT_EQ(first.dump(), second.dump());
}

TEST(CliRun, SaysWhichEngineRan) {
  const Folder folder;
  const std::string elf = compile(folder, "int main(void) { return 0; }");
  const auto engine = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"run", elf, "--json"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return json::parse(simfarm(arguments).out)["host"]["engine"];
  };
  EXPECT_EQ(engine({}), "fast");
  EXPECT_EQ(engine({"--engine", "reference"}), "reference");
  EXPECT_EQ(engine({"--check-races"}), "fast");
}

TEST(CliRun, WithoutTheCodeGeneratorItSaysSoAndReportsTheSame) {
  const Folder folder;
  const std::string elf = compile(folder, R"(int main(void) {
  unsigned x = 1;
  for (int k = 0; k < 20000000; ++k) x = x * 1664525u + 1013904223u;
  return x == 0; })");
  const std::string alone = folder.path("simfarm");
  std::filesystem::copy_file(SIMFARM_PROGRAM, alone);
  json with = json::parse(simfarm({"run", elf, "--json"}).out);
  const Said said = run_program(alone, {"run", elf, "--json"});
  json without = json::parse(said.out);
  EXPECT_THAT(said.err, HasSubstr("slower than it could be: no generated code: "));
  EXPECT_THAT(without["host"]["trouble"].get<std::string>(), HasSubstr("libsimfarm_jit.so"));
  EXPECT_FALSE(with["host"].contains("trouble"));
  with.erase("host");
  without.erase("host");
  EXPECT_EQ(with.dump(), without.dump());
}

TEST(CliRun, ExitCodeOfThePeIsReportedAndFailsTheRun) {
  const Folder folder;
  const std::string elf = compile(folder, "int main(void) { return 7; }");
  const Said said = simfarm({"run", elf});
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out, HasSubstr("PE 0 ended with exit code 7"));
}

TEST(CliRun, ATrapNamesPePcAddressAndSourceLine) {
  const Folder folder;
  const std::string elf = compile(folder, R"(
int main(void) {
  *(volatile int*)0x40000000 = 1;
  return 0;
})");
  const Said said = simfarm({"run", elf});
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out, HasSubstr("store outside local memory"));
  EXPECT_THAT(said.out, HasSubstr("0x40000000"));
  EXPECT_THAT(said.out, HasSubstr("program.c:3"));
  const json document = json::parse(simfarm({"run", elf, "--json"}).out);
  EXPECT_EQ(document["outcome"], "trap");
  EXPECT_EQ(document["trap"]["kind"], "store outside local memory");
  EXPECT_EQ(document["trap"]["address"], 0x40000000);
  EXPECT_EQ(document["exit_codes"][0], nullptr);
}

TEST(CliRun, ADeadlockSaysWhatEachWaitsFor) {
  const Folder folder;
  const std::string elf = compile(folder, R"(#include <simfarm.h>
int main(void) { sf_wait(8, 1); return 0; })");
  const Said said = simfarm({"run", elf});
  EXPECT_EQ(said.code, 1);
  EXPECT_THAT(said.out, HasSubstr("deadlock"));
  EXPECT_THAT(said.out, HasSubstr("semaphore 8"));
  EXPECT_THAT(said.out, HasSubstr("program.c:2"));
}

TEST(CliRun, TheCycleLimitEndsAnEndlessProgram) {
  const Folder folder;
  const std::string elf = compile(folder, "int main(void) { for (;;) __asm__ volatile(\"\"); }");
  const Said said = simfarm({"run", elf, "--cycle-limit", "1000", "--json"});
  EXPECT_EQ(said.code, 1);
  const json document = json::parse(said.out);
  EXPECT_EQ(document["outcome"], "cycle_limit");
  EXPECT_EQ(document["cycles"], 1000);
}

TEST(CliRun, BadCallsAndFilesHaveTheirOwnExitCodesAndSayWhatIsWrong) {
  const Folder folder;
  EXPECT_EQ(simfarm({}).code, 2);
  EXPECT_EQ(simfarm({"fly"}).code, 2);
  EXPECT_EQ(simfarm({"run"}).code, 2);
  const Said missing = simfarm({"run", folder.path("none.elf")});
  EXPECT_EQ(missing.code, 74);
  EXPECT_THAT(missing.err, HasSubstr("none.elf"));
  const Said garbage = simfarm({"run", folder.write("garbage.elf", "not an ELF file")});
  EXPECT_EQ(garbage.code, 78);
  EXPECT_THAT(garbage.err, HasSubstr("garbage.elf"));
  const std::string elf = compile(folder, "int main(void) { return 0; }");
  const Said giant = simfarm({"run", elf, "--machine", "giant"});
  EXPECT_EQ(giant.code, 74);
  EXPECT_THAT(giant.err, HasSubstr("giant"));
  EXPECT_EQ(simfarm({"run", elf, "--out", folder.path("o.h5")}).code, 2);
}

TEST(CliTrace, ShowsTheWindowAndThePesAskedFor) {
  const Folder folder;
  const std::string elf = compile(folder, "int main(void) { return 0; }");
  const Said said =
      simfarm({"trace", elf, "--machine", "nano", "--pe", "3,5", "--cycles", "2:6", "--json"});
  EXPECT_EQ(said.code, 0) << said.err;
  std::istringstream lines(said.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json event = json::parse(line);
    EXPECT_GE(event["cycle"], 2);
    EXPECT_LE(event["cycle"], 6);
    EXPECT_TRUE(event["pe"] == 3 || event["pe"] == 5) << line;
  }
  EXPECT_GE(count, 4);
  EXPECT_EQ(simfarm({"trace", elf, "--cycles", "9:3"}).code, 2);
  EXPECT_EQ(simfarm({"trace", elf, "--pe", "1"}).code, 2);
}

TEST(CliTools, DisasmIsaAndMachine) {
  const Folder folder;
  const std::string elf = compile(folder, "int main(void) { return 5; }");
  const Said disasm = simfarm({"disasm", elf});
  EXPECT_EQ(disasm.code, 0);
  EXPECT_THAT(disasm.out, HasSubstr("<main>:"));
  EXPECT_THAT(disasm.out, HasSubstr("c.li a0, 0x5"));
  EXPECT_THAT(simfarm({"isa", "gp.xsdot8"}).out, HasSubstr("gp.xsdot8.ld"));
  EXPECT_EQ(simfarm({"isa", "no-such-instruction"}).code, 2);
  const Said shown = simfarm({"machine", "show", "perform"});
  EXPECT_EQ(shown.code, 0);
  const std::string copy = folder.write("copy.toml", shown.out);
  EXPECT_EQ(simfarm({"machine", "show", copy}).out, shown.out);
  EXPECT_EQ(simfarm({"machine", "check", copy}).code, 0);
  const Said bad = simfarm(
      {"machine", "check", folder.write("bad.toml", "name = \"bad\"\n[array]\nrows = 0\n")});
  EXPECT_EQ(bad.code, 78);
  EXPECT_THAT(bad.err, HasSubstr("rows"));
}

// A copy of 64 bytes from OCM to local memory: 4 beats of one bank, 1 of the bus, 8 of the port.
constexpr const char* copy_descriptor = R"(# control, source, destination, next and acquire
000000c0 40000000 10000400 00000000
# sizes, source strides
00000008 00000000 00000008 00000000
00000000 00000000
# destination strides, releases, rectangle
00000008 00000000 00000000 00000000
00000000 00000000
)";

TEST(CliDma, ExplainsADescriptorByItsBeats) {
  const Folder folder;
  const Said said = simfarm(
      {"dma", "explain", folder.write("copy.txt", copy_descriptor), "--machine", "nano", "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const json document = json::parse(said.out);
  ASSERT_EQ(document["transfers"].size(), 1u);
  int bank = 0, bus = 0, port = 0;
  for (const json& beat : document["transfers"][0]["beats"]) {
    const std::string resource = beat["resource"];
    bank += resource.find("bank") != std::string::npos;
    bus += resource.find("bus") != std::string::npos;
    port += resource.find("port") != std::string::npos;
  }
  EXPECT_EQ(bank, 4);
  EXPECT_EQ(bus, 1);
  EXPECT_EQ(port, 8);
  // The completion that ends the run is told as well.
  EXPECT_EQ(document["transfers"][0]["events"].back()["what"], "complete");
  std::string reserved_bit = copy_descriptor;
  reserved_bit.replace(reserved_bit.find("000000c0"), 8, "800000c0");
  const Said reserved = simfarm({"dma", "explain", folder.write("bad.txt", reserved_bit)});
  EXPECT_EQ(reserved.code, 78);
  EXPECT_THAT(reserved.err, HasSubstr("control"));
}

// The same copy, with an own release of 1 on semaphore 3 (control bits 12 and 23:20).
TEST(CliDma, TellsWhenASemaphoreIsReleased) {
  const Folder folder;
  std::string releasing = copy_descriptor;
  releasing.replace(releasing.find("000000c0"), 8, "003010c0");
  const size_t last_line = releasing.rfind("00000000 00000000");
  releasing.replace(last_line, 8, "00000001");
  const Said said = simfarm({"dma", "explain", folder.write("copy.txt", releasing), "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  bool told = false;
  const json out = json::parse(said.out);
  for (const json& event : out["transfers"][0]["events"])
    told |= event["what"] == "release: 1 to semaphore 3 of PE 0";
  EXPECT_TRUE(told) << said.out;
}

TEST(CliTrace, TellsWhenASemaphoreIsReleased) {
  const Folder folder;
  const std::string elf = compile(folder, R"(#include <simfarm.h>
static int from[16], to[16];
int main(void) { sf_copy(sf_address(to), sf_address(from), sizeof from); return 0; })");
  const Said said = simfarm({"trace", elf, "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("\"event\":\"transfer release\""));
  EXPECT_THAT(simfarm({"trace", elf}).out, HasSubstr("adds 1 to semaphore 0 of PE 0"));
}

TEST(CliDocs, TheCommandReferenceIsUpToDate) {
  const Folder folder;
  const std::string made = folder.path("cli.md");
  ASSERT_EQ(
      std::system(("python3 '" SIMFARM_SOURCE_DIR "/tools/cli_reference' '" SIMFARM_PROGRAM "' >'" +
                   made + "'")
                      .c_str()),
      0);
  EXPECT_EQ(read_text(made), read_text(SIMFARM_SOURCE_DIR "/docs/cli.md"))
      << "run ./dev docs and commit docs/cli.md";
}

}  // namespace
}  // namespace simfarm::test
