// What shells and man are told about the commands.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace simfarm {
namespace {

using testing::HasSubstr;

std::string completed(const std::string& words, int place) {
  const test::Said said = test::run_program(
      "/bin/bash", {"-c", "source <(" SIMFARM_PROGRAM " completion bash); COMP_WORDS=(" + words +
                              "); COMP_CWORD=" + std::to_string(place) +
                              "; _simfarm; echo \"${COMPREPLY[*]}\""});
  EXPECT_EQ(said.err, "");
  return said.out;
}

TEST(Completion, OfBashKnowsCommandsAndTheirOptions) {
  EXPECT_EQ(completed("simfarm boa", 1), "board\n");
  EXPECT_EQ(completed("simfarm farm i", 2), "init import\n");
  EXPECT_EQ(completed("simfarm board --h", 2), "--help --html\n");
  EXPECT_EQ(completed("simfarm farm init --ta", 3), "--task\n");
  EXPECT_EQ(completed("simfarm board --csv gemm --j", 4), "--json\n");
}

TEST(Completion, OfZshAndFishOffersTheSame) {
  if (test::run_program("/bin/sh", {"-c", "command -v zsh"}).code == 0) {
    const test::Said said = test::run_program(
        "zsh", {"-f", "-c",
                "compdef() {}; source <(" SIMFARM_PROGRAM " completion zsh); "
                "_describe() { print -l ${(P)2}; }; words=(simfarm farm ''); CURRENT=3; _simfarm"});
    EXPECT_EQ(said.err, "");
    EXPECT_THAT(said.out, HasSubstr("init:Make a farm in a new folder on a local disk\n"));
  }
  if (test::run_program("/bin/sh", {"-c", "command -v fish"}).code == 0) {
    const test::Said said = test::run_program(
        "fish", {"-c", SIMFARM_PROGRAM " completion fish | source; complete -C'simfarm farm i'"});
    EXPECT_EQ(said.out, "init\tMake a farm in a new folder on a local disk\n");
  }
}

TEST(Completion, OfAllShellsHasEveryCommandOfTheHelp) {
  const std::string help = test::simfarm({"--help"}).out;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const test::Said said = test::simfarm({"completion", shell});
    ASSERT_EQ(said.code, 0) << said.err;
    for (const char* const word : {"leader", "upgrade", "completion", "checkout", "reason"})
      EXPECT_THAT(said.out, HasSubstr(word)) << shell;
    const test::Said there = test::run_program("/bin/sh", {"-c", "command -v " + shell});
    if (there.code != 0) continue;  // then nobody here can say whether it is one
    const test::Said checked = test::run_program(
        "/bin/sh", {"-c", SIMFARM_PROGRAM " completion " + shell + " | " + shell + " -n"});
    EXPECT_EQ(checked.code, 0) << shell << checked.err;
  }
  EXPECT_EQ(test::simfarm({"completion", "tcsh"}).code, 2);
}

TEST(Man, HasEveryCommandAndOption) {
  const test::Said said = test::simfarm({"man"});
  ASSERT_EQ(said.code, 0) << said.err;
  for (const char* const part : {".TH SIMFARM 1", ".SS farm upgrade\n", ".SS board\n", "\\-\\-html",
                                 "\\-\\-checkout", ".SH SEE ALSO"})
    EXPECT_THAT(said.out, HasSubstr(part));
  if (test::run_program("/bin/sh", {"-c", "command -v groff"}).code != 0) return;
  const test::Said shown =
      test::run_program("/bin/sh", {"-c", SIMFARM_PROGRAM " man | groff -man -Tascii -ww -P-cbou"});
  EXPECT_EQ(shown.err, "") << "groff has nothing to complain of";
  EXPECT_NE(shown.out.find("   farm upgrade\n"), std::string::npos);
}

}  // namespace
}  // namespace simfarm
