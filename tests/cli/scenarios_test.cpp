// A farm in trouble, as its operator meets it: what is nobody's fault is charged to nobody, and
// what one submission does touches no other.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "tests/farm/small_task.h"

namespace simfarm::farm {
namespace {

using nlohmann::json;
using test::kernel_with;
using test::shell;
using testing::HasSubstr;
using testing::Not;

class FarmInTrouble : public testing::Test {
 protected:
  FarmInTrouble() { test::write_small_task(folder_); }
  test::Ran run(const std::string& farm, const std::string& arguments,
                const std::string& before = "") const {
    return shell("cd " + folder_.path() + " && export SIMFARM_FARM=" + farm + "; " + before +
                 " " SIMFARM_PROGRAM " " + arguments + " 2>stderr </dev/null");
  }
  std::string told() const { return shell("cat " + folder_.path("stderr")).output; }
  json document(const std::string& farm, const std::string& arguments) const {
    const test::Ran ran = run(farm, arguments + " --json");
    EXPECT_EQ(ran.status, 0) << arguments << told();
    return json::parse(ran.output, nullptr, false);
  }
  void submit(const std::string& farm, const std::string& name, const std::string& source) const {
    const std::string path = test::write_submission(folder_, "submissions/" + name, source);
    ASSERT_EQ(run(farm, "submit " + path).status, 0) << told();
  }
  test::Folder folder_;
};

TEST_F(FarmInTrouble, Scenario03_AToolchainThatIsGoneIsNobodysCompileError) {
  ASSERT_EQ(run("farm", "farm init farm --task tasks/small").status, 0) << told();
  submit("farm", "right", kernel_with(""));
  // A compiler that goes away when it is called.
  const std::string clang =
      folder_.write("llvm/bin/clang", "#!/bin/sh\nmv \"$0\" \"$0.away\"\nexit 1\n");
  folder_.write("llvm/lib/clang/19/include/stddef.h", "");
  std::filesystem::permissions(clang, std::filesystem::perms(0755));
  EXPECT_EQ(run("farm", "score --trust -j 1", "export SIMFARM_CLANG=" + clang + ";").status, 5);
  const json one = document("farm", "show 1");
  EXPECT_EQ(one["state"], "system_error");
  EXPECT_TRUE(one["result"].is_null());
  int attempts = 0;
  for (const json& event : one["events"]) attempts += event["state"] == "running";
  EXPECT_EQ(attempts, 4) << "three repetitions";
  EXPECT_THAT(one.dump(), HasSubstr("SYSTEM_ERROR"));
  EXPECT_THAT(one.dump(), Not(HasSubstr("COMPILE_ERROR")));
  // A toolchain that cannot be read at all: nothing is begun, nothing charged.
  submit("farm", "again", kernel_with("/* again */"));
  EXPECT_EQ(run("farm", "score --trust", "export SIMFARM_CLANG=" + clang + ";").status, 78);
  EXPECT_EQ(document("farm", "show 2")["state"], "queued");
  EXPECT_EQ(run("farm", "score --trust").status, 0) << told();
  EXPECT_EQ(document("farm", "show 2")["result"]["verdict"], "ACCEPTED");
}

TEST_F(FarmInTrouble, Scenario04_EndlessOutputEndsSoonAndTheNextJobProceeds) {
  std::string toml = test::small_task_toml;
  toml.replace(toml.find("cycles = 20000"), 14, "cycles = 3000000");
  toml.replace(toml.find("console_bytes = 100"), 19, "console_bytes = 65536");
  folder_.write("tasks/small/task.toml", toml);
  ASSERT_EQ(run("farm", "farm init farm --task tasks/small").status, 0) << told();
  submit("farm", "flood", kernel_with("for (;;) sf_console_write(\"0123456789abcdef\", 16);"));
  submit("farm", "right", kernel_with(""));
  ASSERT_EQ(run("farm", "score --trust -j 1").status, 0) << told();
  const json flood = document("farm", "show 1");
  EXPECT_EQ(flood["result"]["verdict"], "OUTPUT_LIMIT");
  EXPECT_LT(flood.dump().size(), 100'000u);
  EXPECT_EQ(document("farm", "show 2")["result"]["verdict"], "ACCEPTED");
  struct rusage usage {};
  getrusage(RUSAGE_CHILDREN, &usage);
  EXPECT_LT(usage.ru_maxrss, 1024 * 1024) << "kB of the largest child";
}

TEST_F(FarmInTrouble, Scenario08_WhatExhaustsItsLimitsLeavesTheNextItsOwnNumbers) {
  const std::string tiny = kernel_with("sf_cycles();");
  for (const char* const farm : {"alone", "after"})
    ASSERT_EQ(run(farm, std::string("farm init ") + farm + " --task tasks/small").status, 0);
  submit("alone", "tiny", tiny);
  submit("after", "cycles", kernel_with("for (;;) sf_cycles();"));
  submit("after", "memory",
         "static char big[20000]; __asm__(\"\" :: \"r\"(big));\n" + kernel_with(""));
  submit("after", "console", kernel_with("for (;;) sf_console_write(\"0123456789\", 10);"));
  submit("after", "compiler", "char big[1 << 29] = {1};\n" + kernel_with(""));
  submit("after", "tiny", tiny);
  for (const char* const farm : {"alone", "after"})
    ASSERT_EQ(run(farm, "score --trust -j 1").status, 0) << told();
  const char* const verdicts[] = {"CYCLE_LIMIT", "", "OUTPUT_LIMIT", "COMPILE_LIMIT"};
  for (int k = 0; k < 4; ++k)
    if (*verdicts[k] != 0) {
      EXPECT_EQ(document("after", "show " + std::to_string(k + 1))["result"]["verdict"],
                verdicts[k]);
    }
  const json alone = document("alone", "show 1")["result"];
  const json after = document("after", "show 5")["result"];
  EXPECT_EQ(alone["verdict"], "ACCEPTED");
  EXPECT_EQ(alone["cases"], after["cases"]);
  EXPECT_EQ(alone["cycles"], after["cycles"]);
  EXPECT_EQ(alone["elf_digest"], after["elf_digest"]);
}

}  // namespace
}  // namespace simfarm::farm
