// `simfarm profile`, as a user calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace simfarm::test {
namespace {

using testing::HasSubstr;

constexpr const char* source = R"(#include <simfarm.h>
__attribute__((noinline)) int work(int n) {
  volatile int x = 0;
  for (int k = 0; k < n; ++k) x += k;
  return x;
}
int main(void) { return work(ROUNDS) == 1; })";

std::string program(const Folder& folder, int rounds) {
  std::string text = source;
  text.replace(text.find("ROUNDS"), 6, std::to_string(rounds));
  return compile(folder, text);
}

TEST(CliProfile, NamesFunctionsAndSaysWhatMoved) {
  const Folder folder, other;
  const std::string a = folder.path("a.json"), b = folder.path("b.json");
  const Said said = simfarm({"profile", program(folder, 100), "--machine", "nano", "--json", a,
                             "--folded", folder.path("stacks")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_THAT(said.out, HasSubstr("work"));
  EXPECT_THAT(read_text(folder.path("stacks")), HasSubstr("region 0;work;"));
  const auto document = nlohmann::json::parse(read_text(a));
  EXPECT_EQ(document["schema"], "simfarm.profile");
  EXPECT_THAT(document["rerun"].get<std::string>(), HasSubstr("--machine 'nano'"));
  EXPECT_EQ(simfarm({"profile", program(other, 200), "--machine", "nano", "--json", b}).code, 0);
  const Said moved = simfarm({"profile", "diff", a, b});
  EXPECT_EQ(moved.code, 0) << moved.err;
  EXPECT_THAT(moved.out, HasSubstr("work, issued"));
  EXPECT_EQ(nlohmann::json::parse(simfarm({"profile", "diff", a, b, "--json"}).out)["schema"],
            "simfarm.profile.diff");
}

TEST(CliProfile, ChangesNoCycleAndIsTheSameOnBothEngines) {
  const Folder folder;
  const std::string elf = program(folder, 100);
  const auto run = nlohmann::json::parse(simfarm({"run", elf, "--machine", "nano", "--json"}).out);
  nlohmann::json made[2];
  for (const std::string engine : {"fast", "reference"}) {
    const std::string file = folder.path(engine + ".json");
    EXPECT_EQ(
        simfarm({"profile", elf, "--machine", "nano", "--engine", engine, "--json", file}).code, 0);
    made[engine == "fast"] = nlohmann::json::parse(read_text(file));
    EXPECT_EQ(made[engine == "fast"]["cycles"], run["cycles"]);
  }
  EXPECT_EQ(made[0], made[1]);
}

TEST(CliProfile, RefusesWhatItCannotProfile) {
  const Folder folder;
  EXPECT_EQ(simfarm({"profile"}).code, 2);
  EXPECT_EQ(simfarm({"profile", "diff", "one"}).code, 2);
  const std::string bad = folder.write("bad.json", "hello");
  EXPECT_EQ(simfarm({"profile", "diff", bad, bad}).code, 78);
}

}  // namespace
}  // namespace simfarm::test
