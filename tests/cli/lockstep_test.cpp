// `simfarm lockstep`, as a user calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.h"

namespace simfarm::test {
namespace {

using testing::HasSubstr;

TEST(CliLockstep, RunsAProgramAndTheCaseFileOfIt) {
  const Folder folder;
  const std::string elf = compile(folder, R"(#include <simfarm.h>
int main(void) { volatile int x = 0; for (int k = 0; k < 100; ++k) x += k; return x != 4950; })");
  const std::string file = folder.path("run.case");
  const Said first = simfarm({"lockstep", elf, "--machine", "nano", "--save", file});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("equal: reference and "));
  const Said second = simfarm({"lockstep", "--case", file});
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_THAT(read_text(file), HasSubstr("simfarm case 1\n"));
  EXPECT_THAT(read_text(file), HasSubstr("ecall"));
}

TEST(CliLockstep, RefusesWhatItCannotRun) {
  const Folder folder;
  EXPECT_EQ(simfarm({"lockstep"}).code, 2);
  EXPECT_EQ(simfarm({"lockstep", "--case", folder.path("none.case")}).code, 74);
  const Said said = simfarm({"lockstep", "--case", folder.write("bad.case", "hello\n")});
  EXPECT_EQ(said.code, 78);
  EXPECT_THAT(said.err, HasSubstr("bad.case:1: the first line is not \"simfarm case 1\""));
}

}  // namespace
}  // namespace simfarm::test
